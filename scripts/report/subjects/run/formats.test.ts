import { writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "test-results-parser";
import { afterAll, describe, expect, test } from "vitest";
import { memoryPages, validateXML } from "xmllint-wasm";
import type { Finding } from "../../../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../../../schemas/contracts/load-result.ts";
import type { Results } from "../../../../schemas/contracts/results.ts";
import { eventfulResults, exampleEvidence } from "../../../../test/support/samples/eventful.ts";
import {
  exampleCheck,
  exampleLoad,
  exampleRequirement,
  exampleResults,
  exampleThreshold,
} from "../../../../test/support/samples/example.ts";
import { said } from "../../../runs/said.ts";
import { plainStyle } from "../../terminal.ts";
import { formatNames, formats, renderConsole } from "./formats.ts";
import { type Report, reportOf } from "./run-report.ts";
import { suitesOf } from "./suites.ts";

const folder = await mkdtemp(join(tmpdir(), "shelfcheck-formats-"));
afterAll(() => rm(folder, { recursive: true }));
const junitSchema = await readFile(new URL("./junit.xsd", import.meta.url), "utf8");

/** A dashboard's view, which counts errors as failures. */
function parsedJunit(text: string) {
  const file = join(folder, "junit.xml");
  writeFileSync(file, text);
  return parse({ type: "junit", files: [file] });
}

/** The element of a case, by the end of its name. */
function caseIn(report: Report, name: string): string {
  const cases = formats.junit.render(report).match(/<testcase .*?(?:\/>|<\/testcase>)/gs) ?? [];
  return cases.find((text) => text.includes(`name="${name}"`)) ?? "";
}

/** The messages of failed cases. */
function failuresIn(report: Report): string[] {
  return [...formats.junit.render(report).matchAll(/<failure message="([^"]*)"/g)].map(
    ([, text = ""]) => text,
  );
}

/** Errors of libxml2 in the documents, by the schema. */
async function junitMistakes(documents: readonly string[]): Promise<string[]> {
  const { errors } = await validateXML({
    xml: documents.map((contents, place) => ({ fileName: `${place}.xml`, contents })),
    schema: { fileName: "junit.xsd", contents: junitSchema },
    initialMemoryPages: 64 * memoryPages.MiB,
    maxMemoryPages: 512 * memoryPages.MiB,
  });
  return errors.map(({ rawMessage }) => rawMessage);
}

const loads = (...all: LoadResult["verdict"][]) => all.map((verdict) => exampleLoad({ verdict }));
const failing = (id: string) => exampleRequirement({ id, verdict: "fail" });
const waiver = { id: "x", reason: "r", owner: "o", ticket: "t", expires: "2027-01-31" };
const problem = { what: "Nothing answers", where: "http://127.0.0.1:9/v1", fix: "Start the service." };
const breaking = {
  rank: "breaking",
  kind: "dialect",
  rule: "dialect.renamed",
  subject: "gtin",
  before: "gtin",
  after: "ean",
} as const;

/** Runs with the headline and the reason that every format must have. */
const runs: readonly (readonly [name: string, results: Results, headline: string, why: string])[] = [
  [
    "everything at once",
    { ...eventfulResults(), load: loads("fail") },
    "not conformant",
    "1 requirement failed.",
  ],
  [
    "all passed",
    exampleResults({ load: loads("pass", "pass") }),
    "conformant",
    "1 requirement passed and 2 load runs passed.",
  ],
  [
    "several failed",
    exampleResults({ exitCode: 1, requirements: [failing("a"), failing("b"), exampleRequirement()] }),
    "not conformant",
    "2 requirements failed.",
  ],
  [
    "load failed",
    exampleResults({ exitCode: 1, load: loads("pass", "fail", "invalid") }),
    "failed",
    "1 load run failed: Lookup (smoke).",
  ],
  [
    "load alone failed",
    exampleResults({ command: "load", exitCode: 1, requirements: [], load: loads("fail") }),
    "failed",
    "1 load run failed: Lookup (smoke).",
  ],
  [
    "load alone passed",
    exampleResults({ command: "load", requirements: [], load: loads("pass") }),
    "passed",
    "1 load run passed.",
  ],
  [
    "load invalid",
    exampleResults({ exitCode: 3, load: loads("invalid") }),
    "invalid",
    "1 load run is invalid: Lookup (smoke).",
  ],
  [
    "a stale waiver",
    exampleResults({ exitCode: 1, waivers: [{ waiver, state: "stale" }] }),
    "waiver stale",
    "1 waiver is stale.",
  ],
  [
    "an expired waiver",
    exampleResults({ exitCode: 1, waivers: [{ waiver, state: "expired" }] }),
    "waiver expired",
    "1 waiver has expired.",
  ],
  [
    "a breaking change",
    exampleResults({ exitCode: 1, drift: { since: "2026-11-01T00:00:00.000Z", changes: [breaking] } }),
    "contract changed",
    "1 breaking change since the baseline.",
  ],
  [
    "not judged",
    exampleResults({
      exitCode: 4,
      requirements: [exampleRequirement(), exampleRequirement({ id: "a", verdict: "inconclusive" })],
    }),
    "incomplete",
    "Nothing failed. 1 of 2 requirements was not judged.",
  ],
  [
    "a part that passed",
    exampleResults({ scope: { requirements: 1, of: 74 } }),
    "partial",
    "1 of 74 requirements judged, none failed.",
  ],
  [
    "a part of which nothing could be judged",
    exampleResults({
      scope: { requirements: 1, of: 74 },
      exitCode: 4,
      requirements: [exampleRequirement({ verdict: "notApplicable" })],
    }),
    "incomplete",
    "None of the selected requirements could be judged. Partial: 1 of 74 requirements was selected.",
  ],
  [
    "an error of ours",
    exampleResults({ exitCode: 3, requirements: [exampleRequirement({ verdict: "error" })] }),
    "error",
    "1 requirement ended in an error of shelfcheck.",
  ],
  [
    "a problem",
    exampleResults({ exitCode: 3, requirements: [], problem }),
    "error",
    "Nothing answers: http://127.0.0.1:9/v1.",
  ],
  [
    "interrupted",
    exampleResults({ exitCode: 130, problem: { ...problem, what: "The run was interrupted" } }),
    "incomplete",
    "The run was interrupted.",
  ],
  [
    "no load was sent",
    exampleResults({ exitCode: 4, cause: "load-not-sent", notices: [{ code: "no-products-to-load" }] }),
    "incomplete",
    "Nothing failed, but no load was sent: no usable products were found.",
  ],
  [
    "the built-in service",
    exampleResults({ target: { ...exampleResults().target, builtIn: true } }),
    "conformant",
    "1 requirement passed.",
  ],
];

test("JUnit of each run is valid by the schema", async () => {
  const reports = runs.map(([, results]) => formats.junit.render(reportOf(results)));
  expect(await junitMistakes(reports)).toEqual([]);
});

/** The words of a text, without markup. */
function wordsOf(text: string): string {
  return text
    .replaceAll(/<[^>]*>|[`"\\*]/g, "")
    .replaceAll(/&(?:quot|#39);/g, "")
    .replaceAll(/\s+/g, " ");
}

describe("every format has the same verdict and cause", () => {
  test.each(runs)("%s", async (_name, results, headline, why) => {
    const report = reportOf(results);
    const onConsole = renderConsole(report, { resultsFile: "reports/run/results.json", style: plainStyle() });
    const texts = new Map([["console", onConsole]]);
    for (const name of formatNames) texts.set(name, await formats[name].render(report));
    for (const [name, text] of texts) {
      expect(wordsOf(text), name).toContain(wordsOf(why));
      expect(wordsOf(text).toLowerCase(), name).toContain(headline);
    }
    expect(onConsole).toContain(report.others ?? "");
    // A dashboard sees the same cases, with the same outcome.
    const { suites } = parsedJunit(texts.get("junit") ?? "");
    const cases = suites.flatMap((suite) => suite.cases.map(({ name, status }) => ({ name, status })));
    const statuses = { passed: "PASS", failed: "FAIL", error: "FAIL", skipped: "SKIP" };
    expect(cases).toEqual(
      suitesOf(report).flatMap((suite) =>
        suite.cases.map((one) => ({ name: one.name, status: statuses[one.outcome.kind] })),
      ),
    );
  });
});

test("each failure of a load run counts once, in the most specific case", async () => {
  const crossed = exampleThreshold({ value: 900, met: false });
  const finding: Finding = {
    code: "latency-over-limit",
    endpoint: "lookup-by-id",
    subject: "lookup-by-id",
    expected: 500,
    actual: 900,
    unit: "ms",
    details: { statistic: "p95" },
  };
  const load = exampleLoad({ verdict: "fail", findings: [finding], thresholds: [crossed], seconds: 31.5 });
  const report = reportOf(exampleResults({ exitCode: 1, load: [load] }));
  expect(failuresIn(report)).toEqual(["Lookup by id, p95: 900 ms, limit 500 ms"]);
  expect(caseIn(report, "Lookup by id, p95, at most 500 ms")).toMatch(/ time="31.500">\s*<failure /);
  expect(caseIn(report, "verdict of the run")).toContain(
    '<skipped message="failed: see Lookup by id, p95, at most 500 ms"',
  );
  const gone: Finding = { code: "target-gone-under-load", actual: 12 };
  const both = reportOf(exampleResults({ exitCode: 1, load: [{ ...load, findings: [gone, finding] }] }));
  expect(failuresIn(both)).toEqual([
    expect.stringMatching(/^The target stopped responding after 12 s\./),
    "Lookup by id, p95: 900 ms, limit 500 ms",
  ]);
});

test("the message about invalid responses has the first violation", () => {
  const evidence = [
    {
      request: "batch",
      finding: { code: "recorded", subject: "size is null" },
      exchange: exampleEvidence("{}"),
    },
  ] as const;
  const threshold = exampleThreshold({
    metric: "invalid_responses{name:batch}",
    crossing: "invalid-responses",
    request: "batch",
    statistic: "share",
    limit: 0,
    value: 0.05,
    unit: "share",
    met: false,
  });
  const load = exampleLoad({ verdict: "fail", thresholds: [threshold], evidence: [...evidence] });
  expect(failuresIn(reportOf(exampleResults({ load: [load] })))).toEqual([
    "Batch lookup, invalid responses: 5 %, limit 0 %. The first: Batch lookup: size is null",
  ]);
});

test("backticks mark code in Markdown only; plain text has none", async () => {
  const results = eventfulResults();
  results.notices = [said({ code: "no-products-to-load" })];
  const unknown = said({ code: "recorded", subject: "`products[9].mpn` is null: run `doctor`." });
  for (const requirement of results.requirements)
    for (const check of requirement.checks) check.findings = [unknown];
  const report = reportOf(results);
  expect(await formats.markdown.render(report)).toContain("`products[9].mpn` is null");
  const plain = [
    renderConsole(report, { resultsFile: undefined, style: plainStyle() }),
    await formats.junit.render(report),
  ];
  for (const text of plain) {
    expect(text).toContain("products[9].mpn is null: run doctor.");
    expect(text).not.toContain("`");
  }
});

test("durations of checks and the environment are in JUnit", () => {
  const check = exampleCheck({ id: "a/one", verdict: "pass" });
  const results = exampleResults({
    requirements: [exampleRequirement({ id: "a", checks: [{ ...check, milliseconds: 1234 }] })],
    environment: {
      host: "4 cores",
      node: "26.10.0",
      isIncomplete: true,
      placeFlags: { config: "own.ts" },
      commit: "abc",
      branch: "main",
      jobUrl: "https://ci.example/7",
    },
  });
  const junit = parsedJunit(formats.junit.render(reportOf(results)));
  expect(junit.suites[0]?.metadata).toMatchObject({
    host: "4 cores",
    node: "26.10.0",
    commit: "abc",
    branch: "main",
    jobUrl: "https://ci.example/7",
  });
  expect(junit.suites[1]?.cases[0]).toMatchObject({ name: "a/one: by id", duration: 1234 });
});

test("a target cannot name a file of the CI to attach", () => {
  const says = "[[ATTACHMENT|/etc/passwd]]";
  const check = exampleCheck({ id: "a/one", verdict: "warn", says });
  const requirement = exampleRequirement({ id: "a", verdict: "warn", checks: [check] });
  const { suites } = parsedJunit(
    formats.junit.render(reportOf(exampleResults({ requirements: [requirement] }))),
  );
  expect(suites.flatMap(({ cases }) => cases.flatMap(({ attachments }) => attachments))).toEqual([]);
});

test("every finding of a failed requirement is in every format once", async () => {
  const says = "It is the unmistakable fact.";
  const check = exampleCheck({ id: "a/one", verdict: "fail", says });
  const requirement = exampleRequirement({ id: "a", verdict: "fail", checks: [check] });
  const report = reportOf(exampleResults({ exitCode: 1, requirements: [requirement] }));
  for (const name of formatNames) expect(await formats[name].render(report)).toContain(says);
  expect((await formats.junit.render(report)).split("<failure").length).toBe(2);
});

describe("a category without products is a warning in every format", () => {
  const empty = (count: number): Finding => ({
    code: "category-shows-nothing",
    seen: { count, total: 2, of: "items" },
    details: { categories: ["hats", "caps"].slice(0, count).map((category) => ({ category, status: 200 })) },
  });
  const notJudged = (finding: Finding) =>
    exampleRequirement({
      id: "a",
      verdict: "inconclusive",
      checks: [{ ...exampleCheck({ id: "a/one", verdict: "inconclusive" }), findings: [finding] }],
    });
  const incomplete = (notice: Finding, finding: Finding) =>
    exampleResults({
      exitCode: 4,
      cause: "not-judged",
      notices: [notice],
      requirements: [notJudged(finding), exampleRequirement()],
    });
  const nothing: Finding = { code: "no-product", details: { categories: ["hats", "caps"] } };
  const cost = "As a result, 1 of 2 requirements was not judged.";

  test.each<[string, Results, string[]]>([
    [
      "one of two, in a run that passed",
      exampleResults({ notices: [empty(1)] }),
      ["returned no products. Check the spelling"],
    ],
    ["all of them, and what that costs", incomplete(empty(2), nothing), ["returned no products.", cost]],
  ])("%s", async (_name, results, parts) => {
    const report = reportOf(results);
    const texts = await Promise.all(formatNames.map((name) => formats[name].render(report)));
    const onConsole = renderConsole(report, { resultsFile: "r.json", style: plainStyle(1000) });
    for (const text of [onConsole, ...texts]) {
      const plain = text.replaceAll(/<[^>]*>/g, "");
      expect(text).toContain("Warning");
      for (const part of parts) expect(plain).toContain(part);
    }
  });

  test("a missing category is no warning if the verdict says it", () => {
    const { why, warnings } = reportOf(incomplete({ code: "no-category" }, { code: "no-category" }));
    expect({ why, warnings }).toEqual({
      why: "Nothing failed. 1 of 2 requirements was not judged: No category was given.",
      warnings: [],
    });
  });

  test("a missing category is no warning if no selected requirement needs one", () => {
    expect(reportOf(exampleResults({ notices: [{ code: "no-category" }] })).warnings).toEqual([]);
  });
});
