import { describe, expect, test } from "vitest";
import type { CrossingFinding, Finding } from "../../../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../../../schemas/contracts/load-result.ts";
import type { CheckResult, RequirementResult, Results } from "../../../../schemas/contracts/results.ts";
import { eventfulResults } from "../../../../test/support/samples/eventful.ts";
import {
  exampleCheck,
  exampleLoad,
  exampleRequirement,
  exampleResults,
  exampleThreshold,
} from "../../../../test/support/samples/example.ts";
import { sampleExchange } from "../../../../test/support/samples/sample.ts";
import type { Drift } from "../../../earlier/contract-change.ts";
import type { RunEnvironment } from "../../../runs/environment.ts";
import { reportOf } from "./run-report.ts";

function notJudged(id: string, ...causes: readonly string[]): RequirementResult {
  const checks = causes.map((says, at) => exampleCheck({ id: `${id}/${at}`, verdict: "inconclusive", says }));
  return exampleRequirement({ id, verdict: "inconclusive", checks });
}

const causesOf = (requirements: readonly RequirementResult[]) =>
  reportOf(exampleResults({ requirements: [...requirements] })).notJudgedCauses.map(
    ({ cause, requirements: own, also }) => [cause, own.map(({ id }) => id), also.map(({ id }) => id)],
  );

test("the sentence of a run that passed counts load limits that were waived", () => {
  const waived = { code: "failed-requests", endpoint: "batch" } as const;
  const load = [exampleLoad({ notes: [{ code: "threshold-waived", details: { waived } }] })];
  expect(reportOf(exampleResults({ load })).why).toBe(
    "1 requirement passed, 1 load run passed, and 1 load limit waived.",
  );
});

test("the sentence of a run names what failed in conformance, and what got no response", () => {
  const lost = {
    code: "requests-lost",
    seen: { count: 3, total: 60, of: "requests" },
    details: { reset: 3 },
  } as const;
  const requests = { total: 60, byEndpoint: {}, failed: { count: 1, total: 50 }, lost };
  expect(reportOf(exampleResults({ requests })).why).toMatch(
    / In conformance 1 of 50 requests \(2 %\) failed\. In conformance 3 of 60 requests \(5 %\) got no response: the connection was [^:]*\.$/,
  );
});

test("a requirement has the texts of the deciding checks, each once", () => {
  const checkThat = (verdict: CheckResult["verdict"], says: string) => exampleCheck({ verdict, says });
  const textOf = (verdict: CheckResult["verdict"], ...checks: readonly CheckResult[]) => {
    const requirement = exampleRequirement({ verdict, checks: [...checks] });
    const { sections } = reportOf(exampleResults({ requirements: [requirement] }));
    return sections[0]?.requirements[0]?.text;
  };
  const failures = [checkThat("fail", "No code."), checkThat("pass", "Fine."), checkThat("fail", "No code.")];
  expect(textOf("fail", ...failures)).toBe("No code.");
  expect(textOf("pass", exampleCheck(), checkThat("pass", "Returned 404."))).toBe("Returned 404.");
});

describe("causes of requirements that were not judged", () => {
  test("the most frequent cause is first, and each requirement is listed once", () => {
    const causes = causesOf([
      notJudged("a", "no second key"),
      notJudged("b", "no other key", "no second key", "no other key"),
      notJudged("c", "no other key"),
      notJudged("d", "no other key"),
    ]);
    expect(causes).toEqual([
      ["no other key", ["b", "c", "d"], []],
      ["no second key", ["a"], ["b"]],
    ]);
  });

  test("a check that was judged is not a cause", () => {
    const passed = notJudged("a", "no category");
    const checks = [...passed.checks, exampleCheck({ id: "a/p", says: "held" })];
    expect(causesOf([{ ...passed, checks }, notJudged("b", "ended")])).toEqual([
      ["no category", ["a"], []],
      ["ended", ["b"], []],
    ]);
  });
});

describe("the next command can be copied and run", () => {
  const nextOf = (cause: Results["cause"], change: Partial<Results> = {}) =>
    reportOf(exampleResults({ cause, ...change }), { run: "2026-run" }).next;
  const failing = exampleRequirement({ id: "a", verdict: "fail" });
  const builtIn = { ...exampleResults().target, builtIn: true as const };

  test.each<[Results["cause"], Partial<Results>, string]>([
    ["requirement-failed", { requirements: [failing] }, "npx shelfcheck replay 2026-run a"],
    ["contract-broken", {}, "npx shelfcheck baseline accept 2026-run"],
    ["load-not-sent", {}, "npx shelfcheck discover"],
    ["not-judged", { target: builtIn }, "npx shelfcheck doctor --target embedded"],
  ])("%s", (cause, change, command) => {
    expect(nextOf(cause, change)).toBe(command);
  });

  test("a load run is repeated with its own options, unless one of them is hidden", () => {
    const line = "shelfcheck load --rate 30 --duration 15s";
    const repeated = (environment: Partial<RunEnvironment>, change: Partial<Results> = {}) =>
      nextOf("load-failed", {
        command: "load",
        load: [exampleLoad({ verdict: "fail" })],
        environment: { commandLine: line, host: "h", node: "26", ...environment },
        ...change,
      });
    expect(repeated({})).toBe(`npx ${line}`);
    expect(repeated({}, { target: builtIn })).toBe(`npx ${line} --target embedded`);
    expect(repeated({ placeFlags: { target: "embedded" } }, { target: builtIn })).toBe(`npx ${line}`);
    const other = "npx shelfcheck load --scenario lookup --profile smoke";
    expect(repeated({ isIncomplete: true })).toBe(other);
    expect(repeated({ isIncomplete: true, placeFlags: { out: "my runs" } })).toBe(`${other} --out 'my runs'`);
    expect(repeated({ commandLine: "npx shelfcheck gate" }, { command: "gate" })).toBe(other);
  });

  test.each([
    [{ target: "staging" }, " --target staging"],
    [
      { config: "my config.ts", baseUrl: "http://127.0.0.1:8080/v1" },
      " --config 'my config.ts' --base-url http://127.0.0.1:8080/v1",
    ],
    [undefined, ""],
  ])("after a run with %j, another command names the same target", (placeFlags, flags) => {
    const environment = { host: "h", node: "26", ...(placeFlags === undefined ? {} : { placeFlags }) };
    expect(nextOf("problem", { environment })).toBe(`npx shelfcheck doctor${flags}`);
  });

  test("a partial run is repeated whole, with its other options", () => {
    const commandLine = "shelfcheck gate --only errors --skip 'a b' --profile stress --only=limits --out ci";
    const environment = { commandLine, host: "h", node: "26" };
    const scope = { requirements: 1, of: 74 };
    expect(nextOf("partial", { command: "gate", environment, scope })).toBe(
      "npx shelfcheck gate --profile stress --out ci",
    );
  });

  test("an interrupted run is repeated with its own options", () => {
    const environment = { commandLine: "shelfcheck gate --profile stress --out ci", host: "h", node: "26" };
    expect(nextOf("interrupted", { command: "gate", environment })).toBe(`npx ${environment.commandLine}`);
  });
});

test("advice to waive load is given only for a gate, where waivers apply to load", () => {
  const commandsOf = (command: Results["command"], cause: Results["cause"]) => {
    const load = [exampleLoad({ verdict: "fail" })];
    const { steps } = reportOf(exampleResults({ command, cause, load }), { run: "2026-run" });
    return steps.flatMap((step) => step.command ?? []);
  };
  const waive = expect.stringContaining("npx shelfcheck baseline accept 2026-run --owner");
  expect(commandsOf("gate", "load-failed")).toContainEqual(waive);
  expect(commandsOf("load", "load-failed")).not.toContainEqual(waive);
});

const dropped: Drift = {
  kind: "field",
  rank: "harmless",
  rule: "drift.field-harmless",
  subject: "colour",
  retailers: [],
};

test.each<[string, Results["drift"], RegExp, boolean]>([
  ["without a baseline", undefined, /^Record the current behaviour/, true],
  ["as its baseline", { since: "2026-11-01T00:00:00.000Z", changes: [] }, /^$/, false],
  [
    "with a harmless change",
    { since: "2026-11-01T00:00:00.000Z", changes: [dropped] },
    /^If the changes/,
    true,
  ],
])("a run in which nothing failed, %s", (_name, drift, text, records) => {
  const results = exampleResults({ cause: "none", ...(drift === undefined ? {} : { drift }) });
  const { steps } = reportOf(results, { run: "2026-run" });
  expect(steps).toHaveLength(records ? 1 : 0);
  expect(steps[0]?.text ?? "").toMatch(text);
  expect(steps[0]?.command?.startsWith("npx shelfcheck baseline accept 2026-run") ?? false).toBe(records);
});

test("a command for the target of a run has its file of variables and its categories", () => {
  const placeFlags = { envFile: ".env", category: ["hats, caps", "shoes"] };
  const environment = { host: "h", node: "26", placeFlags };
  const flags = "--env-file .env --category 'hats, caps' --category shoes";
  const partial = exampleResults({ command: "conformance", cause: "partial", environment });
  expect(reportOf(partial).next).toBe(`npx shelfcheck conformance ${flags}`);
  const requirements = [exampleRequirement({ id: "a", verdict: "fail" })];
  const failing = exampleResults({ cause: "requirement-failed", requirements, environment });
  expect(reportOf(failing).next).toBe(`npx shelfcheck replay latest a ${flags}`);
});

describe("the last line of a run that passed names", () => {
  const load = exampleLoad();
  const whyOf = (change: Partial<LoadResult>) =>
    reportOf(exampleResults({ cause: "none", load: [{ ...load, ...change }] })).why;
  const retryAfter = { refused: 50, withRetryAfter: 50 };
  const refused = "got a 429 response";

  test("refused requests", () => {
    expect(whyOf({ retryAfter: { refused: 0, withRetryAfter: 0 } })).not.toContain(refused);
    expect(whyOf({ retryAfter })).toContain(refused);
  });

  test("no refusals of a run that searched for the limit", () => {
    expect(whyOf({ retryAfter, rateLimit: { mode: "probe" } })).not.toContain(refused);
    const limit = { code: "rate-limit-reached", expected: 60, actual: 40, unit: "requests/s" } as const;
    expect(whyOf({ retryAfter, notes: [limit] })).not.toContain(refused);
  });

  test("requests on the way", () => {
    const details = { 503: 27 };
    const seen = { count: 27, total: 1029, of: "requests" } as const;
    expect(whyOf({ notes: [{ code: "lost-on-the-way", seen, details }] })).toContain(
      "Under load 27 of 1,029 requests (2.62 %) ended on the way to the service.",
    );
  });
});

test("a comparison whose latency was not judged says what is the same, and compares for longer", () => {
  const { twin, ...others } = eventfulResults();
  const shown = reportOf({
    ...others,
    command: "twin",
    cause: "twin-not-judged",
    load: [],
    environment: { host: "h", node: "26", commandLine: "shelfcheck twin --duration 25s" },
    twin: twin && {
      ...twin,
      seconds: 25,
      contract: [],
      responses: { ...twin.responses, outcome: "same", differences: [] },
    },
  });
  expect(shown.why).toContain("Responses and contract are the same. Latency was not judged in 25 s: ");
  expect(shown.next).toBe("npx shelfcheck twin --duration 75s");
});

test("the whole run after a partial one has the same folders, so that its waivers apply", () => {
  const environment = { host: "h", node: "26", placeFlags: { out: "my runs", baseline: "b" } };
  const results = exampleResults({ command: "conformance", cause: "partial", environment });
  expect(reportOf(results, { run: "2026-run" }).next).toBe(
    "npx shelfcheck conformance --out 'my runs' --baseline b",
  );
});

test("the command that waives failures has each required flag, and the config file of the run", () => {
  const requirements = [exampleRequirement({ id: "a", verdict: "fail" })];
  const environment = {
    host: "h",
    node: "26",
    placeFlags: { config: "my config.ts", target: "staging", out: "o", baseline: "b" },
  };
  const startedAt = "2026-12-15T23:30:00.000Z";
  const results = exampleResults({ cause: "requirement-failed", requirements, environment, startedAt });
  expect(reportOf(results, { run: "2026-run" }).steps.map(({ command }) => command)).toContain(
    "npx shelfcheck baseline accept 2026-run --config 'my config.ts' --baseline b --owner NAME --ticket TICKET --expires 2027-01-14 --reason REASON",
  );
});

describe("a load run that failed", () => {
  const finding = (change: Partial<CrossingFinding>): CrossingFinding => ({
    code: "latency-over-limit",
    subject: "batch",
    expected: 100,
    actual: 200,
    unit: "ms",
    details: { statistic: "p95" },
    ...change,
  });
  const invalid = finding({
    code: "invalid-responses",
    expected: 0,
    actual: 0.5,
    unit: "share",
    details: { statistic: "share" },
  });
  const shown = (findings: Finding[], evidence: NonNullable<LoadResult["evidence"]> = []) => {
    const load = [exampleLoad({ verdict: "fail", findings, evidence })];
    const { top, load: runs } = reportOf(exampleResults({ cause: "load-failed", load }));
    return { top: top.map(({ text }) => text), reasons: runs[0]?.reasons };
  };

  test.each<[string, CrossingFinding[], string]>([
    [
      "that is equal",
      [finding({ subject: "lookup-by-id", actual: 150 }), finding({})],
      "Latency, p95: 150 ms to 200 ms for 2 kinds of request, limit 100 ms: Batch lookup and Lookup by id. If latency",
    ],
    [
      "with limits of their own",
      [finding({ subject: "lookup-by-id", expected: 50, actual: 150 }), finding({})],
      "Latency, p95: Batch lookup 200 ms (limit 100 ms); Lookup by id 150 ms (limit 50 ms). If latency",
    ],
    [
      "by this machine's own delay",
      ["lookup-by-id", "batch"].map((subject) =>
        finding({ subject, details: { statistic: "p95", lateMilliseconds: 120 } }),
      ),
      "limit 100 ms: Lookup by id and Batch lookup. Iterations started 120 ms late: the delay may be that of this machine. Run the load",
    ],
  ])("several kinds of request above a limit %s are one reason", (_name, findings, reason) => {
    const { reasons, top } = shown(findings);
    expect(top.map((text) => reasons?.[0]?.startsWith(text))).toEqual([true]);
    expect(reasons).toEqual([expect.stringContaining(reason)]);
  });

  test.each<[string, readonly (readonly (CrossingFinding["code"] | "target-gone-under-load")[])[], string]>([
    [
      "the limit of one run",
      [["failed-requests"]],
      "Lookup (smoke) exceeded a limit: Lookup by id, failed requests 1,230 % (limit 50,000 %).",
    ],
    [
      "the worst of several limits of one run",
      [["failed-requests", "invalid-responses"]],
      "Lookup (smoke) exceeded 2 limits. Worst: Lookup by id, failed requests 1,230 % (limit 50,000 %).",
    ],
    [
      "what decided one run, if that was no limit",
      [["target-gone-under-load", "failed-requests"]],
      "Lookup (smoke): The target stopped responding during the run.",
    ],
    [
      "limits of several runs",
      [["failed-requests"], ["invalid-responses"]],
      "2 load runs exceeded 2 limits. Worst: Lookup by id, failed requests 1,230 % (limit 50,000 %).",
    ],
    [
      "more than limits",
      [["failed-requests"], []],
      "2 load runs failed: Lookup (smoke) and Lookup (smoke). Worst limit: Lookup by id, failed requests 1,230 % (limit 50,000 %).",
    ],
  ])("the verdict names %s", (_name, runs, why) => {
    const load = runs.map((crossed) => {
      const codes = crossed.filter((code) => code !== "target-gone-under-load");
      const thresholds = codes.map((crossing) =>
        exampleThreshold({ crossing, met: false, statistic: "share", unit: "share" }),
      );
      const findings = crossed.map(
        (code): Finding => (code === "target-gone-under-load" ? { code } : { code, subject: "lookup-by-id" }),
      );
      return exampleLoad({ verdict: "fail", thresholds, findings });
    });
    expect(reportOf(exampleResults({ cause: "load-failed", load })).why).toBe(why);
  });

  test("names what was wrong with the first invalid response of the endpoint", () => {
    const kept = (request: "batch" | "lookup-by-id", path: string) => ({
      request,
      finding: { code: "null-value", path } as const,
      exchange: sampleExchange(),
    });
    const evidence = [kept("lookup-by-id", "/size"), kept("batch", "/found/37/mpn")];
    expect(shown([invalid], evidence).reasons?.[0]).toContain("For example: `found[37].mpn` is null.");
    expect(shown([invalid]).reasons?.[0]).not.toContain("For example");
  });
});
