import XMLBuilder from "fast-xml-builder";
import { given } from "../../../schemas/json.ts";
import { capitalized } from "../../../schemas/words/format.ts";
import {
  type Item,
  itemLabels,
  type Report,
  saidText,
  shownExchanges,
  waivedText,
  withAlso,
} from "../model.ts";
import { exchangeText, plainProse, visibleText } from "../text.ts";

type Element = Readonly<Record<string, unknown>>;

/**
 * JUnit XML as Jenkins, GitLab and Azure read it: a suite for each section of the spec and other part, a case
 * for each item. `error` is never the target's fault. What was not judged, does not apply or is waived is
 * skipped, with the reason. Remarks on passed cases are in `system-out`.
 */
export function writeJunit(report: Report): string {
  const { startedAt, finishedAt } = report.headline;
  const took = Math.max(0, (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000);
  const groups = Map.groupBy(
    report.suites.flatMap((suite) => suite.items.flatMap(withAlso).map((item) => ({ suite, item }))),
    ({ suite, item }) => item.section ?? suite.title,
  );
  const suites = [...groups].map(([name, all]) => {
    const cases = all.map(({ item }) => itemCase(item));
    const { startedAt: at = startedAt, seconds } = all[0]?.suite ?? {};
    // The cases of a load took the same time together.
    const whole = seconds ?? all.reduce((sum, { item }) => sum + (item.seconds ?? 0), 0);
    return { name, cases, startedAt: at, seconds: whole };
  });
  const whole = [{ "@time": took.toFixed(3), ...runCase(report) }];
  const { "@skipped": _, ...counts } = countsOf([...whole, ...suites.flatMap(({ cases }) => cases)]);
  const builder = new XMLBuilder({
    format: true,
    ignoreAttributes: false,
    attributeNamePrefix: "@",
    suppressEmptyNode: true,
    // Otherwise the builder drops the value of an attribute "true".
    suppressBooleanAttributes: false,
  });
  const run = { name: "Run", cases: whole, startedAt, seconds: took };
  return builder.build({
    "?xml": { "@version": "1.0", "@encoding": "UTF-8" },
    testsuites: {
      "@name": "shelfcheck",
      ...counts,
      "@time": took.toFixed(3),
      testsuite: [run, ...suites].map(suiteElement),
    },
  });
}

interface CasesOfSuite {
  readonly name: string;
  readonly cases: readonly Element[];
  readonly startedAt: string;
  readonly seconds: number;
}

function suiteElement({ name, cases, startedAt, seconds }: CasesOfSuite): Element {
  return {
    "@name": xmlLine(name),
    ...countsOf(cases),
    "@time": seconds.toFixed(3),
    "@timestamp": startedAt.replace(/(\.\d+)?Z$/, ""),
    testcase: cases,
  };
}

function countsOf(cases: readonly Element[]) {
  const having = (outcome: string) => String(cases.filter((one) => outcome in one).length);
  return {
    "@tests": String(cases.length),
    "@failures": having("failure"),
    "@errors": having("error"),
    "@skipped": having("skipped"),
  };
}

/**
 * The run as a whole, always: many tools treat an empty report as passed. What was not judged is an error
 * there, since a green dashboard would say that it was.
 */
function runCase({ headline, suites }: Report): Element {
  const { of, label, why, notes, exitCode } = headline;
  const hasError = suites.some(({ items }) => items.some(({ verdict }) => verdict === "error"));
  const isOpen = exitCode === 4 || exitCode === 130 || (exitCode === 3 && !hasError);
  const text = xmlText([`${capitalized(label)}: ${of}`, why, ...notes].map(plainProse).join("\n"));
  return {
    "@name": "run finished",
    "@classname": "run",
    ...(isOpen
      ? { error: { "@message": xmlLine(why), "@type": label, "#text": text } }
      : { "system-out": withoutDirectives(text) }),
  };
}

function itemCase(item: Item): Element {
  return {
    ...given({ "@time": item.seconds?.toFixed(3) }),
    "@name": xmlLine(item.title),
    "@classname": xmlLine(item.id),
    ...outcomeOf(item),
  };
}

function outcomeOf(item: Item): Element {
  const { verdict, said, waivers = [] } = item;
  const label = itemLabels[verdict];
  const message = said.map((one, at) => (at === 0 ? one.message : saidText(one))).join(" ") || label;
  switch (verdict) {
    case "pass":
      return {};
    case "warn":
      return { "system-out": withoutDirectives(xmlText(`${label}: ${detailsOf(item, message)}`)) };
    case "waived":
    case "inconclusive":
    case "notApplicable": {
      const reason = message === label ? label : `${label}: ${message}`;
      const why = waivers.length === 0 ? reason : `${waivers.map(waivedText).join(" ")} (${message})`;
      return { skipped: { "@message": xmlLine(why) } };
    }
    case "fail":
    case "error": {
      const details = xmlText(detailsOf(item, message));
      const element = { "@message": xmlLine(message), "@type": label, "#text": details };
      return { [verdict === "fail" ? "failure" : "error"]: element };
    }
    default:
      return verdict satisfies never;
  }
}

/** Findings come first, since some tools show only a few lines; then the requirement, and what shows it. */
function detailsOf(item: Item, message: string): string {
  const { said, about, title, waivers = [] } = item;
  const further = said.flatMap(({ where, fix }) => [...where, ...(fix === undefined ? [] : [fix])]);
  return [
    ...[message, ...new Set(further), ...waivers.map(waivedText)].map(plainProse),
    ...(about === undefined ? [] : [`Requirement (${about}): ${title}`]),
    ...shownExchanges(item).flatMap((one) => [exchangeText(one), `$ ${one.curl}`]),
  ].join("\n");
}

/** Marks replace what XML 1.0 forbids, and what is invisible or bidirectional. The builder escapes. */
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
