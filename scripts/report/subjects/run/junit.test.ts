import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { memoryPages, validateXML } from "xmllint-wasm";
import type { Results } from "../../../../schemas/contracts/results.ts";
import { sampleClientResults } from "../../../../test/support/samples/client-run.ts";
import { eventfulResults, exampleEvidence } from "../../../../test/support/samples/eventful.ts";
import { exampleRequirement, exampleResults } from "../../../../test/support/samples/example.ts";
import { hostileTexts } from "../../../../test/support/samples/hostile.ts";
import { renderJunit as renderReport } from "./junit.ts";
import { reportOf } from "./run-report.ts";
import { wholeRun } from "./suites.ts";

const renderJunit = (results: Results) => renderReport(reportOf(results));

const schema = await readFile(new URL("./junit.xsd", import.meta.url), "utf8");

/** Errors of libxml2 in the documents, as XML and by the schema. */
async function mistakes(...documents: readonly string[]): Promise<string[]> {
  const { errors } = await validateXML({
    xml: documents.map((contents, place) => ({ fileName: `${place}.xml`, contents })),
    schema: { fileName: "junit.xsd", contents: schema },
    initialMemoryPages: 64 * memoryPages.MiB,
    maxMemoryPages: 512 * memoryPages.MiB,
  });
  return errors.map(({ rawMessage }) => rawMessage);
}

test("is valid XML by the schema, whatever texts a target returns", async () => {
  const runs = [
    exampleResults(),
    exampleResults({ requirements: [] }),
    eventfulResults(),
    ...hostileTexts.map((text) => eventfulResults(` ${text} `)),
  ];
  expect(await mistakes(...runs.map(renderJunit))).toEqual([]);
});

test("the schema rejects an invalid document", async () => {
  const xml = renderJunit(exampleResults());
  expect(await mistakes(xml.replace("<testcase", '<testcase file="x"'))).toEqual([
    expect.stringContaining("'file' is not allowed"),
  ]);
  expect(await mistakes(xml.replace("</testcase>", ""), xml.replace('tests="', 'tests="x'))).not.toEqual([]);
});

test("counts match the cases", () => {
  const xml = renderJunit(eventfulResults());
  const count = (element: string) => xml.split(`<${element} `).length - 1;
  const [head = ""] = xml.match(/<testsuites[^>]*>/) ?? [];
  expect(head).toContain(`tests="${count("testcase")}"`);
  expect(head).toContain(`failures="${count("failure")}"`);
  expect(head).toContain(`errors="${count("error")}"`);
  // fail; breaking drift; stale and expired waiver; failed run, its crossed threshold; beside the old deployment six
  // differences, the failures, a slower kind of request.
  expect(count("failure")).toBe(14);
  // our own error; the threshold that guards the run.
  expect(count("error")).toBe(2);
});

test("skipped cases have reasons", () => {
  const xml = renderJunit(eventfulResults());
  expect(xml).toContain('<skipped message="not judged: reason of inconclusive"/>');
  expect(xml).toContain('<skipped message="not applicable: reason of notApplicable"/>');
  expect(xml).toContain(
    '<skipped message="waived until 2027-01-31 by team, CAT-1: known (reason of warn)"/>',
  );
  expect(xml).toContain('<skipped message="not judged: no key"/>');
  expect(xml).toContain("known (Batch lookup, p99: 1,200 ms, limit 900 ms)");
});

test("a failure has statement, reason, request, response and curl line", () => {
  const [, failure = ""] = renderJunit(eventfulResults()).match(/<failure ([\s\S]*?)<\/failure>/) ?? [];
  for (const part of [
    'message="reason of fail"',
    "An unknown product gives 404 with the code not_found.",
    "&gt; GET https://catalog.example/v1/products/acme/",
    "&lt; 410 after 3 ms",
    "$ curl -H",
  ]) {
    expect(failure).toContain(part);
  }
});

test("the run has properties and its problem", () => {
  const problem = { what: "Nothing answers", where: "http://127.0.0.1:9/v1", fix: "Start the service." };
  const xml = renderJunit(exampleResults({ exitCode: 3, verdict: "error", problem }));
  expect(xml).toContain('<property name="exitCode" value="3"/>');
  expect(xml).toContain('<property name="target" value="staging"/>');
  expect(xml).toContain('<error message="Nothing answers: http://127.0.0.1:9/v1"');
  expect(xml).toContain("Start the service.");
});

test("a stale waiver fails once, with its fix", () => {
  const waiver = { id: "errors.shape", reason: "r", owner: "o", ticket: "t", expires: "2999-12-31" };
  const where = "waivers.yaml, line 2";
  const xml = renderJunit(exampleResults({ waivers: [{ waiver, state: "stale", where }] }));
  const fix = `Fixed. Remove this waiver: ${where}.`;
  expect(xml).toContain(`<failure message="${fix}" type="stale">`);
});

test("characters that XML forbids become marks", () => {
  const xml = renderJunit(eventfulResults(hostileTexts[2]));
  expect(xml).not.toMatch(/[^\t\n\P{C}]/u);
  expect(xml).toContain("␀␁␛[31m␡‹U+0085›‹U+FFFE›‹U+FFFF›‹U+D800›x‹U+DC00›");
});

test("megabytes are cut, and many failures stay below the size limit", async () => {
  const huge = "z".repeat(3_000_000);
  const one = renderJunit(eventfulResults(huge));
  expect(one.length).toBeLessThan(500_000);
  expect(one).toContain("more characters)");

  const xml = renderJunit(manyFailures(5000));
  expect(Buffer.byteLength(xml)).toBeLessThan(10_000_000);
  expect(xml).toContain("failing.4999");
  expect(xml).toContain("see report.html");
  expect(await mistakes(xml, one)).toEqual([]);
});

function manyFailures(count: number): Results {
  const evidence = [exampleEvidence('"<&>'.repeat(1000)), exampleEvidence('"<&>'.repeat(1000))];
  const requirements = Array.from({ length: count }, (_, number) =>
    exampleRequirement({
      id: `failing.${number}`,
      verdict: "fail",
      checks: [
        {
          id: `failing.${number}/one`,
          title: "one",
          verdict: "fail",
          findings: [{ code: "recorded", subject: "410" }],
          evidence,
        },
      ],
    }),
  );
  return exampleResults({ requirements });
}

test.each([
  [0, "none", "passed"],
  [1, "requirement-failed", "passed"],
  [3, "client-failed", "error"],
  [4, "not-judged", "error"],
  [130, "interrupted", "error"],
] as const)("the run as a whole, with exit code %i and the cause %s, is %s", (exitCode, cause, kind) => {
  const { cases } = wholeRun(
    { ...sampleClientResults(), exitCode, cause },
    { label: "label", why: "Why." },
    [],
  );
  expect(cases.map(({ outcome }) => outcome.kind)).toEqual([kind]);
});
