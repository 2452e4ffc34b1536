import XMLBuilder from "fast-xml-builder";
import type { Results } from "../../schemas/types.ts";
import { type Case, runSuite, type Suite, suitesOf } from "./cases.ts";
import { detailsRoom } from "./details-room.ts";
import { xmlLine, xmlText } from "./xml-text.ts";

const nameLength = 300;
const messageLength = 1000;

type Within = ReturnType<typeof detailsRoom>;
type Attributes = Readonly<Record<`@${string}`, string>>;
interface Element extends Readonly<Record<string, unknown>> {
  readonly "#text"?: string;
}

/**
 * JUnit XML in the dialect that Jenkins, GitLab and Azure read: a suite for each section of the spec, a case for each
 * check. What could not be judged, does not apply or is waived is skipped, with its reason; what was not the target's
 * fault is an error; a remark on what passed stands in `system-out`.
 */
export function renderJunit(results: Results): string {
  const suites = suitesOf(results);
  const within = detailsRoom();
  const builder = new XMLBuilder({
    format: true,
    ignoreAttributes: false,
    attributeNamePrefix: "@",
    suppressEmptyNode: true,
    // An attribute "true" would else lose its value.
    suppressBooleanAttributes: false,
  });
  return builder.build({
    "?xml": { "@version": "1.0", "@encoding": "UTF-8" },
    testsuites: {
      "@name": "shelfcheck",
      ...countsOf(suites.flatMap(({ cases }) => cases)),
      "@time": seconds(results),
      testsuite: suites.map((suite) => suiteElement(suite, results, within)),
    },
  });
}

function suiteElement({ name, cases }: Suite, results: Results, within: Within): Element {
  const { "@tests": tests, "@failures": failures, "@errors": errors } = countsOf(cases);
  const skipped = cases.filter(({ outcome }) => outcome.kind === "skipped").length;
  return {
    "@name": xmlLine(name, nameLength),
    "@tests": tests,
    "@failures": failures,
    "@errors": errors,
    "@skipped": String(skipped),
    "@timestamp": results.startedAt.replace(/(\.\d+)?Z$/, ""),
    ...(name === runSuite ? { properties: { property: properties(results) } } : {}),
    testcase: cases.map((one) => caseElement(one, within)),
  };
}

function properties({
  target,
  command,
  verdict,
  exitCode,
  startedAt,
  finishedAt,
  tool,
}: Results): Attributes[] {
  const values = {
    target: target.name,
    baseUrl: target.baseUrl,
    keyFingerprint: target.keyFingerprint,
    command,
    verdict,
    exitCode: String(exitCode),
    startedAt,
    finishedAt,
    version: tool.version,
  };
  return Object.entries(values).map(([name, value]) => ({
    "@name": name,
    "@value": xmlLine(value, messageLength),
  }));
}

function caseElement({ group, name, verdict, outcome }: Case, within: Within): Element {
  const frame = { "@name": xmlLine(name, nameLength), "@classname": xmlLine(group, nameLength) };
  switch (outcome.kind) {
    case "passed":
      return outcome.remark === undefined
        ? frame
        : { ...frame, "system-out": xmlText(within(outcome.remark), Infinity) };
    case "skipped":
      return { ...frame, skipped: { "@message": xmlLine(outcome.message, messageLength) } };
    case "failed":
    case "error": {
      const { message, details } = outcome;
      const element = {
        "@message": xmlLine(message, messageLength),
        "@type": xmlLine(verdict, nameLength),
        "#text": xmlText(within(details), Infinity),
      };
      return { ...frame, [outcome.kind === "failed" ? "failure" : "error"]: element };
    }
    default:
      return outcome satisfies never;
  }
}

function countsOf(cases: readonly Case[]) {
  const count = (kind: Case["outcome"]["kind"]) =>
    String(cases.filter(({ outcome }) => outcome.kind === kind).length);
  return { "@tests": String(cases.length), "@failures": count("failed"), "@errors": count("error") };
}

function seconds({ startedAt, finishedAt }: Results): string {
  const milliseconds = Date.parse(finishedAt) - Date.parse(startedAt);
  return (Math.max(0, milliseconds) / 1000).toFixed(3);
}
