import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Results } from "../../schemas/types.ts";
import { renderConsole } from "../report/console.ts";
import { reportOf } from "../report/model.ts";
import { plainStyle } from "../report/terminal.ts";
import { parseBaseline } from "./baseline.ts";
import baselineOfVersion1 from "./fixtures/baseline-version-1.json" with { type: "json" };
import resultsOfVersion1 from "./fixtures/results-version-1.json" with { type: "json" };
import { readResults } from "./read-run.ts";
import { resultsMistakes } from "./validate-results.ts";
import { resultsFromVersion1 } from "./version-1.ts";

const results = resultsFromVersion1(resultsOfVersion1) as Results;

test("converts results with failures, load, waivers and drift to valid results of version 2", () => {
  expect(resultsMistakes(results)).toEqual([]);
  const { verdict, exitCode, summary, requirements, load } = resultsOfVersion1;
  expect(results).toMatchObject({ schemaVersion: 2, verdict, exitCode, summary });
  expect(results.requirements.map((one) => [one.id, one.verdict, one.checks.length])).toEqual(
    requirements.map((one) => [one.id, one.verdict, one.checks.length]),
  );
  expect(results.load.map(({ scenario, metrics }) => [scenario, metrics])).toEqual(
    load.map(({ scenario, metrics }) => [
      scenario,
      JSON.parse(JSON.stringify(metrics).replaceAll("answers_invalid", "invalid_responses")),
    ]),
  );
});

test("converts endpoints to their ids", () => {
  const ids = [
    "retailers",
    "category-page",
    "lookup-by-id",
    "lookup-by-gtin",
    "batch",
    "lookup-by-url",
    "other",
  ];
  expect(Object.keys(results.requests.byEndpoint)).toEqual(ids);
  expect(results.discovered.statuses?.batch).toEqual(
    resultsOfVersion1.discovered.statuses["POST /products/batch-lookup"],
  );
  expect(results.discovered.rateLimit).toMatchObject({ accepted: 400, refused: 314 });
});

test("converts the verdict and thresholds of a load run", () => {
  const [lookup] = results.load;
  expect(lookup?.verdict).toBe("fail");
  const byMetric = Map.groupBy(lookup?.thresholds ?? [], ({ metric }) => metric);
  expect(byMetric.get("invalid_responses{name:lookup-by-id}")).toEqual([
    {
      metric: "invalid_responses{name:lookup-by-id}",
      crossing: "invalid-responses",
      request: "lookup-by-id",
      statistic: "share",
      bound: "most",
      limit: 0,
      value: expect.closeTo(0.769, 3),
      unit: "share",
      held: false,
      guards: "target",
      waiver: expect.objectContaining({ ticket: "CAT-1" }),
    },
  ]);
  const limits = lookup?.thresholds.map(({ crossing, bound, limit }) => [crossing, bound, limit]);
  expect(limits).toEqual(
    expect.arrayContaining([
      ["latency-over-limit", "most", 1000],
      ["no-samples", "least", 1],
      ["script-exceptions", "most", 0],
    ]),
  );
});

test("keeps sentences as they are", () => {
  const [lookup] = resultsOfVersion1.load;
  expect(results.load[0]?.findings.map(({ subject }) => subject)).toEqual(lookup?.reasons);
  expect(results.load[0]?.notes.map(({ subject }) => subject)).toEqual(lookup?.notes);
  expect(results.load[0]?.evidence?.[0]).toMatchObject({
    finding: {
      code: "recorded",
      endpoint: lookup?.evidence[0]?.endpoint,
      subject: lookup?.evidence[0]?.flaw,
    },
  });
  expect(results.load[0]?.comparison?.findings).toEqual([
    { code: "recorded", subject: lookup?.comparison?.reason },
  ]);
  expect(results.drift?.changes).toEqual(
    resultsOfVersion1.drift.changes.map(({ rank, rule, subject, statement }) => ({
      kind: "recorded",
      rank,
      rule,
      subject,
      text: statement,
    })),
  );
  expect(results.waivers?.map(({ state, where }) => [state, where])).toEqual([
    ["active", undefined],
    ["stale", "shelfcheck-baseline/waivers.yaml, line 7"],
    ["active", undefined],
    ["expired", "shelfcheck-baseline/waivers.yaml, line 17"],
  ]);
});

test("recognizes the built-in service by its name", () => {
  const embedded = { ...resultsOfVersion1, target: { ...resultsOfVersion1.target, name: "embedded" } };
  expect(resultsFromVersion1(embedded)).toMatchObject({ target: { builtIn: true } });
  expect(results.target).not.toHaveProperty("builtIn");
});

test("extracts the rate of an intermittent failure from its sentence", () => {
  const check = { id: "a/b", title: "b", verdict: "fail", evidence: [], flaky: true, occurrences: 3 };
  const [requirement = {}] = resultsOfVersion1.requirements;
  const flaky = { ...requirement, checks: [{ ...check, reason: "It is blue (flaky: 2 of 5 attempts)" }] };
  const converted = resultsFromVersion1({ ...resultsOfVersion1, requirements: [flaky] }) as Results;
  expect(resultsMistakes(converted)).toEqual([]);
  expect(converted.requirements[0]?.checks).toEqual([
    {
      id: "a/b",
      title: "b",
      verdict: "fail",
      findings: [{ code: "recorded", subject: "It is blue" }],
      attempts: { failed: 2, total: 5 },
      evidence: [],
    },
  ]);
});

test("keeps the sentence about a missing fixture", () => {
  const fixtures = [
    { name: "a product", present: false, reason: "There is none.", mend: "Name a category." },
  ];
  const discovered = { ...resultsOfVersion1.discovered, fixtures };
  const converted = resultsFromVersion1({ ...resultsOfVersion1, discovered }) as Results;
  expect(resultsMistakes(converted)).toEqual([]);
  expect(converted.discovered.fixtures[0]?.missing).toEqual({
    code: "recorded",
    subject: "There is none. Name a category.",
  });
});

test("a run of version 1 can be read, and its report has the old sentences", async () => {
  const folder = await mkdtemp(join(tmpdir(), "shelfcheck-version-1-"));
  try {
    await writeFile(join(folder, "results.json"), JSON.stringify(resultsOfVersion1));
    expect(await readResults(folder)).toEqual(results);
  } finally {
    await rm(folder, { recursive: true });
  }
  const text = renderConsole(reportOf(results), { resultsFile: "results.json", style: plainStyle() });
  const shown = text.replaceAll(/\s+/g, " ");
  expect(shown).toContain("No product carries null or an empty string, at any depth: mpn is null");
  expect(shown).toContain("answers_invalid{name:lookup-by-gtin} crossed rate<=0: it was 0.75");
  expect(shown).toContain('the place of the GTIN on a product (dialect.gtin) was "gtin" and is "ean"');
});

test("a baseline of version 1 can be read", () => {
  const file = { path: "staging.json", shown: "staging.json" };
  const baseline = parseBaseline(JSON.stringify(baselineOfVersion1), file);
  expect(baseline).toMatchObject({ schemaVersion: 2, target: "staging" });
  expect(baseline.contract).toMatchObject({ accepted: 400, statuses: { "lookup-by-id": { "200": 26 } } });
  expect(baseline.load?.runs.map(({ scenario }) => scenario)).toEqual(["lookup"]);
});

test("other values are not converted into valid results", () => {
  for (const value of [null, 3, [], {}, { load: [null], drift: 1, waivers: 2 }]) {
    expect(resultsMistakes(resultsFromVersion1(value))).not.toEqual([]);
  }
});

test("keeps the fix of a problem", () => {
  const problem = {
    what: "The target stopped responding",
    where: "https://shop.example/v1",
    mend: "Start it.",
  };
  const converted = resultsFromVersion1({ ...resultsOfVersion1, problem }) as Results;
  expect(resultsMistakes(converted)).toEqual([]);
  expect(converted.problem).toEqual({ what: problem.what, where: problem.where, fix: "Start it." });
});
