import { afterAll, beforeAll, describe, type RunnerTestSuite, type TestContext, test } from "vitest";
import { requirements } from "../../conformance/requirements/all.ts";
import { listChecks } from "../../conformance/suite/all.ts";
import type { SaidFinding } from "../../schemas/contracts/finding.ts";
import type { CheckResult, Results } from "../../schemas/contracts/results.ts";
import { capitalized, listed } from "../../schemas/words/format.ts";
import { refuseEmpty } from "../config/keys.ts";
import { reportOf } from "../core/added.ts";
import { notJudgedCauses } from "../report/subjects/run/requirements.ts";
import { judgeWith } from "./judging.ts";

// Runs the suite in vitest: `npx vitest --project conformance`. Each check is a test with its verdict. What
// vitest's filters leave is judged as `conformance --only` judges it; SHELFCHECK_TARGET replaces --target.

declare module "vitest" {
  interface TaskMeta {
    verdict?: CheckResult["verdict"];
    /** Of the file: why `conformance` would not end with 0; empty if it would. */
    why?: string;
  }
}

const entries = listChecks();
const levels = new Map(requirements.map(({ id, level }) => [id, level]));
const results = new Map<string, PromiseWithResolvers<CheckResult<SaidFinding>>>(
  entries.map(({ id }) => [id, Promise.withResolvers()]),
);
const abort = new AbortController();
/** Ids of the tests that have not ended. */
let open: Set<string>;
let run: Promise<Results>;

// biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixtures it needs from the pattern.
beforeAll(async ({}, file) => {
  const { env, versions } = process;
  refuseEmpty(env, "SHELFCHECK_TARGET");
  const only = namesToRun(file);
  open = new Set(only);
  const began = Promise.withResolvers<Pick<Results, "problem">>();
  const onResult = (result: CheckResult<SaidFinding>) => {
    began.resolve({});
    results.get(result.id)?.resolve(result);
  };
  const surroundings = { env, cwd: process.cwd(), nodeVersion: versions.node, onResult };
  run = judgeWith({ target: env.SHELFCHECK_TARGET }, { only, signal: abort.signal }, surroundings);
  const { problem } = await Promise.race([began.promise, run]);
  if (problem !== undefined) throw new Error(`${problem.what}: ${problem.where}. ${problem.fix}`);
});

// biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixtures it needs from the pattern.
afterAll(async ({}, file) => {
  // The flag --bail ends the tests early.
  if (open.size > 0) abort.abort();
  // beforeAll or each test reports the error.
  const ended = await run.catch(() => undefined);
  if (ended !== undefined) file.meta.why = ended.exitCode === 0 ? "" : whyNotGreen(ended);
});

for (const [heading, listed] of Map.groupBy(entries, (entry) => entry.heading)) {
  describe(heading, () => {
    for (const { id, section, requirement } of listed) {
      test.concurrent(id, { tags: [section, levels.get(requirement) ?? "must"] }, async ({
        task,
        signal,
        skip,
      }) => {
        signal.addEventListener("abort", () => abort.abort(signal.reason));
        const result = await Promise.race([results.get(id)?.promise, run.then(() => undefined)]);
        if (result === undefined) throw new Error("The run ended before this check.");
        open.delete(id);
        task.meta.verdict = result.verdict;
        settle(result, skip);
      });
    }
  });
}

/** Names of the tests that vitest's filters leave. */
function namesToRun(suite: Readonly<RunnerTestSuite>): string[] {
  return suite.tasks.flatMap((task) => {
    if (task.type === "suite") return namesToRun(task);
    return task.mode === "skip" || task.mode === "todo" ? [] : [task.name];
  });
}

function settle({ title, verdict, findings }: CheckResult<SaidFinding>, skip: TestContext["skip"]): void {
  const reason = findings.map(({ message }) => message).join(" ");
  if (verdict === "fail" || verdict === "error") throw new Error(`${title}: ${reason}`);
  if (verdict === "inconclusive" || verdict === "notApplicable") skip(reason);
}

/** What decided, and what every service has to meet and was not judged, with the reason and the fix. */
function whyNotGreen(results: Results): string {
  const { label, why } = reportOf(results).headline;
  const isOpen = ({ level, verdict, excused }: Results["requirements"][number]) =>
    level === "must" && verdict === "inconclusive" && excused === undefined;
  const notJudged = notJudgedCauses(results.requirements.filter(isOpen)).map(
    ({ text, fix = "", requirements: open }) =>
      `Not judged: ${listed(open.map(({ id }) => id))}. ${text} ${fix}`.trim(),
  );
  return [`${capitalized(label)}: ${why}`, ...notJudged].join("\n");
}
