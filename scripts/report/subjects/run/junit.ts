import XMLBuilder from "fast-xml-builder";
import { given } from "../../../../schemas/json.ts";
import { clip } from "../../../../schemas/words/format.ts";
import { visibleText } from "../../text.ts";
import { type Case, detailsRoom, type Suite } from "./cases.ts";
import type { Report } from "./run-report.ts";
import { runSuite, suitesOf } from "./suites.ts";

const nameLength = 300;
const messageLength = 1000;

type Within = ReturnType<typeof detailsRoom>;
type Attributes = Readonly<Record<`@${string}`, string>>;
interface Element extends Readonly<Record<string, unknown>> {
  readonly "#text"?: string;
}

/**
 * JUnit XML in the dialect that Jenkins, GitLab and Azure read: a suite for each section of the spec, a case for each
 * check. Cases that were not judged, do not apply or are waived are skipped, with the reason. Failures that are not the
 * target's fault are errors. Remarks on passed cases are in `system-out`.
 */
export function renderJunit(report: Report): string {
  return junitOf(suitesOf(report), report.results.startedAt);
}

/** Suites of any subject as JUnit XML. The duration of the whole is that of the suite for the run. */
export function junitOf(suites: readonly Suite[], startedAt: string): string {
  const within = detailsRoom();
  const builder = new XMLBuilder({
    format: true,
    ignoreAttributes: false,
    attributeNamePrefix: "@",
    suppressEmptyNode: true,
    // Otherwise the builder drops the value of an attribute "true".
    suppressBooleanAttributes: false,
  });
  return builder.build({
    "?xml": { "@version": "1.0", "@encoding": "UTF-8" },
    testsuites: {
      "@name": "shelfcheck",
      ...countsOf(suites.flatMap(({ cases }) => cases)),
      "@time": seconds(suites.find(({ name }) => name === runSuite)?.milliseconds ?? 0),
      testsuite: suites.map((suite) => suiteElement(suite, startedAt, within)),
    },
  });
}

function suiteElement(suite: Suite, startOfRun: string, within: Within): Element {
  const { name, cases, properties } = suite;
  const { "@tests": tests, "@failures": failures, "@errors": errors } = countsOf(cases);
  const skipped = cases.filter(({ outcome }) => outcome.kind === "skipped").length;
  const startedAt = suite.startedAt ?? startOfRun;
  const took = suite.milliseconds ?? cases.reduce((sum, { milliseconds = 0 }) => sum + milliseconds, 0);
  return {
    "@name": xmlLine(name, nameLength),
    "@tests": tests,
    "@failures": failures,
    "@errors": errors,
    "@skipped": String(skipped),
    "@time": seconds(took),
    "@timestamp": startedAt.replace(/(\.\d+)?Z$/, ""),
    ...given({ properties: properties && { property: propertyElements(properties) } }),
    testcase: cases.map((one) => caseElement(one, within)),
  };
}

function propertyElements(properties: Suite["properties"] & object): Attributes[] {
  return Object.entries(properties).map(([name, value]) => ({
    "@name": xmlLine(name, nameLength),
    "@value": xmlLine(value, messageLength),
  }));
}

function caseElement({ group, name, verdict, outcome, milliseconds }: Case, within: Within): Element {
  const frame = {
    "@name": xmlLine(name, nameLength),
    "@classname": xmlLine(group, nameLength),
    ...given({ "@time": milliseconds === undefined ? undefined : seconds(milliseconds) }),
  };
  switch (outcome.kind) {
    case "passed":
      return outcome.remark === undefined
        ? frame
        : { ...frame, "system-out": withoutDirectives(xmlText(within(outcome.remark), Infinity)) };
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

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}

/**
 * Text for XML 1.0: marks replace forbidden, invisible and bidirectional characters. The builder escapes the rest. Cut
 * to `length` characters.
 */
function xmlText(text: string, length: number): string {
  // Cut before, so that not all of a megabyte is scanned, and after, since marks are longer than the characters they replace.
  const marked = visibleText(clip(text, length)).replaceAll(
    /[\uFFFE\uFFFF]/g,
    (character) => `\u2039U+${character.charCodeAt(0).toString(16).toUpperCase()}\u203a`,
  );
  return clip(marked, length + 40);
}

/** Some tools attach the file of `[[ATTACHMENT|path]]` in an output. A target must not name one. */
function withoutDirectives(text: string): string {
  return text.replaceAll("[[", "[ [");
}

/** The same in one line, for an attribute: parsers turn its line breaks into spaces. */
function xmlLine(text: string, length: number): string {
  return xmlText(clip(text, length).replaceAll(/\s+/g, " "), length);
}
