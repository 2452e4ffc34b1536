import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { changesOf } from "../../../proof/table.ts";
import type { CheckResult } from "../../../schemas/contracts/results.ts";
import { type RunningService, startService } from "../../../service/start.ts";
import { environmentFor } from "../../../test/support/command.ts";
import { stubTarget } from "../../../test/support/stub-client.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { judgeTarget } from "./conformance-stage.ts";

const folder = await temporaryFolder("vitest");
const root = fileURLToPath(new URL("../../..", import.meta.url));

type Verdicts = Readonly<Record<string, CheckResult["verdict"] | undefined>>;

/** The state of a test in vitest for each verdict of its check. */
const states = {
  pass: "passed",
  warn: "passed",
  fail: "failed",
  error: "failed",
  inconclusive: "skipped",
  notApplicable: "skipped",
} as const satisfies Record<CheckResult["verdict"], string>;

/** Sections of products, statuses and lists, with rules for every response; none of them needs the rate limit. */
const only = ["product", "by-id", "query.paging"];

/** Runs them like `npx vitest --project conformance -t …` with environment variables only. */
async function verdictsOfVitest(service: RunningService): Promise<Verdicts> {
  const file = join(folder, "report.json");
  const reporter = ["--reporter", "json", "--outputFile", file];
  const names = `(?:^| )(?:${only.map((name) => RegExp.escape(name)).join("|")})[./]`;
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--project", "conformance"];
  const argv = [...vitest, "-t", names, ...reporter];
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, ...environmentFor(service) };
  await once(spawn(process.execPath, argv, { cwd: root, env, stdio: "ignore" }), "close");
  const report = JSON.parse(await readFile(file, "utf8")) as {
    testResults: {
      assertionResults: { title: string; status: string; meta: { verdict?: CheckResult["verdict"] } }[];
    }[];
  };
  const tests = report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ meta }) => meta.verdict !== undefined);
  for (const { title, status, meta } of tests)
    expect(status, title).toBe(meta.verdict && states[meta.verdict]);
  return Object.fromEntries(tests.map(({ title, meta }) => [title, meta.verdict]));
}

async function verdictsOfEngine({ baseUrl, keys, categories }: RunningService): Promise<Verdicts> {
  const target = stubTarget(baseUrl, { keys, categories, timeoutMilliseconds: 10_000 });
  const { signal } = new AbortController();
  const selection = { only, skip: [] };
  const { requirements } = await judgeTarget({ target, maxRequests: 3000, signal, selection });
  const checks = requirements.flatMap((requirement) => requirement.checks);
  return Object.fromEntries(checks.map(({ id, verdict }) => [id, verdict]));
}

test("vitest and the engine alone give each check the same verdict", async () => {
  // Faults in a product, a status and a list.
  const faults = ["price-string", "unknown-product-400", "cursor-repeats-item"];
  const start = () => startService({ products: 60, rate: 1000, burst: 1000, ...changesOf({ faults }) });
  const services = await Promise.all([start(), start()]);
  try {
    const [byVitest, byEngine] = await Promise.all([
      verdictsOfVitest(services[0]),
      verdictsOfEngine(services[1]),
    ]);
    expect(byVitest).toEqual(byEngine);
    expect(new Set(Object.values(byEngine))).toEqual(new Set(["pass", "fail"]));
    expect(Object.keys(byEngine).length).toBeGreaterThan(20);
  } finally {
    await Promise.all(services.map((service) => service.stop()));
  }
});
