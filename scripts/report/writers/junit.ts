import XMLBuilder from "fast-xml-builder";
import { given } from "../../../schemas/json.ts";
import { capitalized } from "../../../schemas/words/format.ts";
import type { Item, Report } from "../model.ts";
import { exchangeText, plainProse, visibleText } from "../text.ts";
import { itemLabels, shownExchanges, waivedText } from "./told.ts";

type Element = Readonly<Record<string, unknown>>;

/** A case as test tools understand it: `error` is never the target's fault, and what is skipped has a reason. */
interface Case {
  readonly outcome: "passed" | "failure" | "error" | "skipped";
  readonly element: Element;
  readonly seconds?: number | undefined;
}

/**
 * JUnit XML in the dialect that Jenkins, GitLab and Azure read: a suite for each section of the spec and each other part, a
 * case for each item. What was not judged, does not apply or is waived is skipped, with the reason. Remarks on passed cases
 * are in `system-out`.
 */
export function writeJunit(report: Report): string {
  const { startedAt, finishedAt } = report.headline;
  const took = Math.max(0, (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000);
  const groups = Map.groupBy(
    report.suites.flatMap((suite) => suite.items.map((item) => ({ suite, item }))),
    ({ suite, item }) => item.section ?? suite.title,
  );
  const judged = [...groups].map(([name, all]) => ({
    name,
    cases: all.flatMap(({ item }) => itemCases(item)),
    startedAt: all[0]?.suite.startedAt ?? startedAt,
    seconds: all[0]?.suite.seconds,
  }));
  const whole = { name: "Run", cases: [runCase(report, took)], startedAt, properties: propertiesOf(report) };
  const suites = [whole, ...judged];
  const { "@skipped": _, ...counts } = countsOf(suites.flatMap(({ cases }) => cases));
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
      ...counts,
      "@time": took.toFixed(3),
      testsuite: suites.map(suiteElement),
    },
  });
}

interface CasesOfSuite {
  readonly name: string;
  readonly cases: readonly Case[];
  readonly startedAt: string;
  /** Of a suite whose cases took the same time together. Default: the sum of its cases */
  readonly seconds?: number | undefined;
  readonly properties?: Element;
}

function suiteElement({ name, cases, startedAt, seconds: whole, properties }: CasesOfSuite): Element {
  const took = whole ?? cases.reduce((sum, { seconds = 0 }) => sum + seconds, 0);
  return {
    "@name": xmlLine(name),
    ...countsOf(cases),
    "@time": took.toFixed(3),
    "@timestamp": startedAt.replace(/(\.\d+)?Z$/, ""),
    ...given({ properties }),
    testcase: cases.map(({ element, seconds }) => ({
      ...given({ "@time": seconds?.toFixed(3) }),
      ...element,
    })),
  };
}

function countsOf(cases: readonly Case[]) {
  const count = (wanted: Case["outcome"]) => String(cases.filter(({ outcome }) => outcome === wanted).length);
  return {
    "@tests": String(cases.length),
    "@failures": count("failure"),
    "@errors": count("error"),
    "@skipped": count("skipped"),
  };
}

/** The run as names and values. */
function propertiesOf({ headline, about, suites }: Report): Element {
  const { of, label, why, counts, exitCode } = headline;
  const figures = suites.filter(({ summary, tone }) => summary !== "" && tone !== "plain");
  const facts = [
    ["of", of],
    ["verdict", label],
    ["why", why],
    ["exitCode", String(exitCode)],
    ["counts", counts.join("; ")],
    ...about,
    ...figures.map(({ title, summary }) => [title, summary] as const),
  ];
  return {
    property: facts
      .filter(([, value]) => value !== "")
      .map(([name = "", value = ""]) => ({ "@name": xmlLine(name), "@value": xmlLine(value) })),
  };
}

/**
 * The run as a whole. It is always present: many tools treat an empty report as a passed one. What was not judged is an error
 * there: a dashboard that shows green would say that it was.
 */
function runCase({ headline, suites }: Report, took: number): Case {
  const { label, why, notes, exitCode } = headline;
  const hasError = suites.some(({ items }) => items.some(({ verdict }) => verdict === "error"));
  const isOpen = exitCode === 4 || exitCode === 130 || (exitCode === 3 && !hasError);
  const frame = { "@name": "run finished", "@classname": "run" };
  const text = xmlText([`${capitalized(label)}: ${why}`, ...notes].map(plainProse).join("\n"));
  return isOpen
    ? {
        outcome: "error",
        seconds: took,
        element: { ...frame, error: { "@message": xmlLine(why), "@type": label, "#text": text } },
      }
    : { outcome: "passed", seconds: took, element: { ...frame, "system-out": withoutDirectives(text) } };
}

/** An item, and what the same finding decides besides. */
function itemCases(item: Item): Case[] {
  const others = (item.also ?? []).map(({ id, title }) => itemCase({ ...item, id, title, evidence: [] }));
  return [itemCase(item), ...others];
}

function itemCase(item: Item): Case {
  const { id, title, verdict, seconds, said, waiver, attempts } = item;
  const frame = { "@name": xmlLine(title), "@classname": xmlLine(id) };
  const label = itemLabels[verdict];
  const tried = attempts === undefined ? "" : ` (failed in ${attempts.failed} of ${attempts.total} attempts)`;
  const message = `${said.map((one) => one.message).join(" ") || label}${tried}`;
  switch (verdict) {
    case "pass":
      return { outcome: "passed", seconds, element: frame };
    case "warn": {
      const text = xmlText(`${label}: ${detailsOf(item, message)}`);
      return { outcome: "passed", seconds, element: { ...frame, "system-out": withoutDirectives(text) } };
    }
    case "waived":
    case "inconclusive":
    case "notApplicable": {
      const reason = message === label ? label : `${label}: ${message}`;
      const why = waiver === undefined ? reason : `${waivedText(waiver)} (${message})`;
      return { outcome: "skipped", seconds, element: { ...frame, skipped: { "@message": xmlLine(why) } } };
    }
    case "fail":
    case "error": {
      const outcome = verdict === "fail" ? "failure" : verdict;
      const details = xmlText(detailsOf(item, message));
      const element = { "@message": xmlLine(message), "@type": label, "#text": details };
      return { outcome, seconds, element: { ...frame, [outcome]: element } };
    }
    default:
      return verdict satisfies never;
  }
}

/** Findings come first, since some tools show only a few lines; then the requirement, and what shows it. */
function detailsOf(item: Item, message: string): string {
  const { said, about, title } = item;
  const further = said.flatMap(({ where, fix }) => [...where, ...(fix === undefined ? [] : [fix])]);
  return [
    ...[message, ...new Set(further)].map(plainProse),
    ...(about === undefined ? [] : [`Requirement (${about}): ${title}`]),
    ...shownExchanges(item).flatMap((one) => [exchangeText(one), `$ ${one.curl}`]),
  ].join("\n");
}

/** Text for XML 1.0: marks replace forbidden, invisible and bidirectional characters. The builder escapes the rest. */
function xmlText(text: string): string {
  return visibleText(text).replaceAll(
    /[\uFFFE\uFFFF]/g,
    (character) => `\u2039U+${character.charCodeAt(0).toString(16).toUpperCase()}\u203a`,
  );
}

/** Some tools attach the file of `[[ATTACHMENT|path]]` in an output. A target must not name one. */
function withoutDirectives(text: string): string {
  return text.replaceAll("[[", "[ [");
}

/** A sentence in one line, for an attribute: without the backticks that mark code. */
function xmlLine(sentence: string): string {
  return xmlText(plainProse(sentence).replaceAll(/\s+/g, " "));
}
