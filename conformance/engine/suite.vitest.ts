import { afterAll, beforeAll, describe, inject, type RunnerTestSuite, type TestContext, test } from "vitest";
import type { CheckResult } from "../../schemas/contracts/results.ts";
import { defaultWords } from "../../schemas/words/finding-words.ts";
import { findingText } from "../../schemas/words/index.ts";
import { requirements } from "../requirements/all.ts";
import { listChecks } from "../suite/all.ts";
import { type JudgeOptions, judgeService } from "./judge-service.ts";

// Runs the suite in vitest: `npx vitest --project conformance`. Each check is a test with the check's verdict. The
// engine decides what runs, in which order and with what concurrency.

declare module "vitest" {
  interface ProvidedContext {
    conformance: Pick<JudgeOptions, "target" | "maxRequests">;
  }
  interface TaskMeta {
    verdict?: CheckResult["verdict"];
  }
}

const entries = listChecks();
const levels = new Map(requirements.map(({ id, level }) => [id, level]));
const results = new Map<string, PromiseWithResolvers<CheckResult>>(
  entries.map(({ id }) => [id, Promise.withResolvers()]),
);
const abort = new AbortController();
let run: Promise<unknown>;

// biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixtures it needs from the pattern.
beforeAll(async ({}, file) => {
  const discovered = Promise.withResolvers<void>();
  run = judgeService({
    ...inject("conformance"),
    selection: { only: namesToRun(file), skip: [] },
    signal: abort.signal,
    onDiscovered: () => discovered.resolve(),
    onResult: (result) => results.get(result.id)?.resolve(result),
  });
  await Promise.race([discovered.promise, run]);
});

afterAll(async () => {
  abort.abort();
  // beforeAll or each test reports the error.
  await run.catch(() => undefined);
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

function settle({ title, verdict, findings }: CheckResult, skip: TestContext["skip"]): void {
  const reason = findings.map((finding) => findingText(finding, defaultWords)).join(" ");
  if (verdict === "fail" || verdict === "error") throw new Error(`${title}: ${reason}`);
  if (verdict === "inconclusive" || verdict === "notApplicable") skip(reason);
}
