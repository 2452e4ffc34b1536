import { describe, expect, test } from "vitest";
import type { Finding } from "../../../../schemas/contracts/finding.ts";
import type { Results } from "../../../../schemas/contracts/results.ts";
import {
  exampleCheck,
  exampleExchange,
  exampleLoad,
  exampleRequirement,
  exampleResults,
  exampleThreshold,
} from "../../../../test/support/samples/example.ts";
import { reportOf } from "../../../core/added.ts";
import type { RunEnvironment } from "../../../runs/environment.ts";
import { writeHtml } from "../../writers/html.ts";
import { writeJunit } from "../../writers/junit.ts";
import { markdownItem } from "../../writers/markdown.ts";
import { runReport } from "./run.ts";

const headlineOf = (change: Parameters<typeof exampleResults>[0], run?: string) =>
  reportOf(exampleResults(change), run).headline;
const failing = exampleRequirement({ id: "a", verdict: "fail" });

test("beside the verdict stand what failed in conformance, what got no response, and refused requests", () => {
  const lost = {
    code: "requests-lost",
    seen: { count: 3, total: 60, of: "requests" },
    details: { reset: 3 },
  } as const;
  const requests = { total: 60, failed: { count: 1, total: 50 }, lost };
  const load = [exampleLoad({ retryAfter: { refused: 50, withRetryAfter: 50 } })];
  const onTheWay = { code: "lost-on-the-way", seen: { count: 1, total: 50, of: "requests" } } as const;
  const notice = { ...onTheWay, details: { 502: 1 } };
  const [said] = headlineOf({ requests, load, notices: [notice] }).notes.filter((one) =>
    one.includes(" 50 "),
  );
  expect(said).toMatch(/1 of 50 requests \(2 %\) were lost/);
  expect(headlineOf({ requests, load }).notes).toEqual([
    "In conformance 1 of 50 requests (2 %) failed.",
    expect.stringMatching(
      /^In conformance 3 of 60 requests \(5 %\) got no complete response: the connection was /,
    ),
    expect.stringContaining("got a 429 response."),
  ]);
});

test("a kind of request that failed too often to be within its limit, and too rarely to be above it, is named", () => {
  const share = { crossing: "failed-requests", statistic: "share", limit: 0.01, value: 0.032 } as const;
  const open = exampleThreshold({
    ...share,
    request: "batch",
    met: false,
    notJudged: { samples: 125, needed: 300 },
  });
  const text = "4 of 125 requests (3.2 %) of Batch lookup failed, too few to judge the limit of 1 %";
  const { why, notes } = headlineOf({ load: [exampleLoad({ thresholds: [open] })] });
  expect([why, ...notes]).toEqual(["1 requirement passed and 1 load run passed.", `Under load ${text}.`]);
});

test("more requests are needed where some failed: no number is named", () => {
  const failures = { count: 2, total: 250, limit: 0.01, needed: 300, outcome: "open" } as const;
  const said = "Under load 2 of 250 requests (0.8 %) failed; too short to judge failed requests.";
  expect(headlineOf({ load: [exampleLoad({ failures })] }).notes).toEqual([said]);
});

test("of a requirement of which one check is waived, each other failure has an entry of its own", () => {
  const checks = ["a/x", "a/y"].map((id) => exampleCheck({ id, verdict: "fail", says: "no" }));
  const waiver = { id: "a/z", reason: "", owner: "", ticket: "", expires: "2026-12-31" };
  const waivers = [{ waiver, state: "active", where: "" }] as const;
  const accepted = (change: object) =>
    reportOf(exampleResults({ requirements: [{ ...failing, checks }], ...change })).suites.find(
      ({ id }) => id === "accept",
    )?.lines;
  expect(accepted({})).toEqual([expect.stringContaining('id: "a"')]);
  expect(accepted({ waivers })).toEqual(["a/x", "a/y"].map((id) => expect.stringContaining(id)));
  const waived = exampleCheck({ id: "a/z", title: "z", verdict: "warn", waiver, says: "no" });
  const requirements = [{ ...failing, checks: [...checks, waived] }];
  const [item] = reportOf(exampleResults({ requirements })).suites.flatMap(({ items }) => items);
  expect([item?.said.at(-1)?.check, item?.waivers]).toEqual(["Waived: z", [waiver]]);
  const open = exampleRequirement({ id: "a", verdict: "inconclusive" });
  const rest = reportOf(exampleResults({ requirements: [{ ...open, checks: [...open.checks, waived] }] }));
  expect(rest.suites.find(({ id }) => id === "waived")?.lines).toEqual([
    expect.stringMatching(/^`a\/z`: No /),
  ]);
});

test.each([
  ["must", "warn", 2, "the check failed in 2 of 5 attempts, each in another way"],
  ["should", "warn", 2, "the check failed in 2 of 5 attempts"],
  ["must", "warn", 1, "the check failed in 1 of 5 attempts"],
  ["must", "fail", 2, "the check failed in 2 of 5 attempts"],
] as const)("%s: %s after %i failed attempts", (level, verdict, failed, said) => {
  const checks = [exampleCheck({ verdict, says: "no", attempts: { failed, total: 5 } })];
  const requirements = [exampleRequirement({ level, verdict, checks })];
  const { suites } = reportOf(exampleResults({ requirements }));
  expect(suites.flatMap(({ items }) => items)[0]?.said[0]?.where).toContain(said);
});

test("requirements that one finding of one exchange breaks are one item", () => {
  const findings: Finding[] = [{ code: "null-value", path: "/title" }];
  const checks = [exampleCheck({ verdict: "fail", findings, evidence: [exampleExchange()] })];
  const broken = (id: string) => exampleRequirement({ id, section: id, verdict: "fail", checks });
  const report = runReport(exampleResults({ requirements: [broken("errors.one"), broken("errors.two")] }));
  const { suites } = report;
  expect(suites[0]?.items.map(({ id, also }) => [id, also?.map((one) => one.id)])).toEqual([
    ["errors.one", ["errors.two"]],
  ]);
  expect(suites[0]?.items.map((item) => markdownItem(item, ""))).toEqual([
    expect.stringContaining("also `errors.two`"),
  ]);
  expect(writeJunit(report)).toContain('<testsuite name="errors.two" tests="1"');
  expect(writeHtml(report, { script: "", style: "" })).toContain('data-sections="errors.one\nerrors.two"');
});

describe("the next command can be copied and run", () => {
  const nextOf = (cause: Results["cause"], change: Partial<Results> = {}) =>
    headlineOf({ cause, ...change }, "2026-run").next;
  const builtIn = { ...exampleResults().target, builtIn: true as const };

  test.each<[Results["cause"], Partial<Results>, string]>([
    ["requirement-failed", { requirements: [failing] }, "npx shelfcheck replay 2026-run a"],
    ["load-not-sent", {}, "npx shelfcheck doctor"],
    ["not-judged", { target: builtIn }, "npx shelfcheck doctor --target embedded"],
    [
      "partial",
      { environment: { host: "h", node: "26", placeFlags: { out: "my runs" } } },
      "npx shelfcheck gate --out 'my runs'",
    ],
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
    const ofPods = exampleLoad({ verdict: "fail", conditions: { host: "pods" } });
    expect(repeated({ commandLine: "shelfcheck load --collect logs" }, { load: [ofPods] })).toBe(other);
    expect(repeated({ isIncomplete: true, placeFlags: { out: "my runs" } })).toBe(`${other} --out 'my runs'`);
    expect(repeated({ commandLine: "npx shelfcheck gate" }, { command: "gate" })).toBe(other);
  });

  test.each([
    [{ target: "staging" }, " --target staging"],
    [
      { config: "my config.ts", baseUrl: "http://127.0.0.1:8080/v1" },
      " --config 'my config.ts' --base-url http://127.0.0.1:8080/v1",
    ],
    [
      { envFile: ".env", category: ["hats, caps", "shoes"] },
      " --env-file .env --category 'hats, caps' --category shoes",
    ],
    [undefined, ""],
  ])("after a run with %j, another command names the same target", (placeFlags, flags) => {
    const environment = { host: "h", node: "26", ...(placeFlags === undefined ? {} : { placeFlags }) };
    expect(nextOf("problem", { environment })).toBe(`npx shelfcheck doctor${flags}`);
  });
});

test("of one load run that failed, what decided is named; of several, which", () => {
  const gone: Finding = { code: "target-gone-under-load" };
  const slow: Finding = { code: "latency-over-limit", expected: 500, actual: 900, unit: "ms" };
  const whyOf = (...runs: Finding[][]) => {
    const load = runs.map((findings) => exampleLoad({ verdict: "fail", findings }));
    return headlineOf({ cause: "load-failed", load }).why;
  };
  expect(whyOf([gone])).toBe("Lookup (smoke) failed. GET /retailers got no response after the run.");
  expect(whyOf([gone, slow])).toMatch(/after the run\. 1 more finding\.$/);
  expect(whyOf([gone], [slow])).toBe("2 load runs failed: Lookup (smoke) and Lookup (smoke).");
});

describe("a category without products is a note", () => {
  const empty = (count: number): Finding => ({
    code: "category-shows-nothing",
    seen: { count, total: 2, of: "items" },
    details: { categories: ["hats", "caps"].slice(0, count).map((category) => ({ category, status: 200 })) },
  });
  const incomplete = (notice: Finding, finding: Finding) => {
    const check = exampleCheck({ verdict: "inconclusive", findings: [finding] });
    const requirements = [
      exampleRequirement({ id: "a", verdict: "inconclusive", checks: [check] }),
      exampleRequirement(),
    ];
    return headlineOf({ exitCode: 4, cause: "not-judged", notices: [notice], requirements });
  };

  test("of one of two categories, in a run that passed", () => {
    expect(headlineOf({ notices: [empty(1)] }).notes).toEqual([
      expect.stringMatching(/^Warning: .*returned this key no product whose .*\. Check the spelling/),
    ]);
  });

  test("unless the verdict says it, or no selected requirement needs one", () => {
    const { why, notes } = incomplete({ code: "no-category" }, { code: "no-category" });
    expect({ why, notes }).toEqual({
      why: "Nothing failed. 1 of 2 requirements was not judged: No category was given.",
      notes: [],
    });
    expect(headlineOf({ notices: [{ code: "no-category" }] }).notes).toEqual([]);
  });
});

test("an invalid run has no capacity, and no limit on the target that passed or was exceeded", () => {
  const limits = (["target", "search", "run"] as const).map((guards) =>
    exampleThreshold({ request: "batch", value: 120, limit: 100, met: false, guards }),
  );
  const findings: Finding[] = [{ code: "capacity-reached", actual: 50, unit: "requests/s" }];
  const load = [exampleLoad({ verdict: "invalid", findings, thresholds: limits })];
  const [suite] = runReport(exampleResults({ requirements: [], load })).suites;
  expect(suite?.summary).not.toContain("exceeded its limits");
  expect(suite?.items.map(({ verdict }) => verdict)).toEqual(["error", ...limits.map(() => "inconclusive")]);
});
