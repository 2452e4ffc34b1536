import { marked, type Tokens } from "marked";
import { describe, expect, test } from "vitest";
import type { LoadResult, RequirementResult, Results } from "../../schemas/types.ts";
import { loadVerdictLabels, verdictLabels } from "../../schemas/verdicts.ts";
import { capitalized } from "../../schemas/words/format.ts";
import { exampleCheck, exampleLoad, exampleRequirement, exampleResults } from "../run/example.ts";
import { renderConsole } from "./console.ts";
import { type FormatName, formats } from "./formats.ts";
import { countedLabel, reportOf } from "./model.ts";
import { plainStyle } from "./terminal.ts";
import { eventfulResults } from "./testing/eventful.ts";

/** What every format must say alike of a run. */
interface Told {
  readonly headline: string;
  readonly why: string;
  /** Number of requirements by the label of their verdict. */
  readonly requirements: Readonly<Record<string, number>>;
  /** Labels of the verdicts of the load runs, in their order. */
  readonly load: readonly string[];
  readonly builtIn: boolean;
}

const verdicts = Object.keys(verdictLabels) as RequirementResult["verdict"][];
const builtInNotice = "No service of yours was tested.";

/** What the results say, without the report: the reference for all formats. */
function expected({ requirements, load, target }: Results, headline: string, why: string): Told {
  const counts = verdicts.map((verdict) => [
    verdictLabels[verdict],
    requirements.filter((one) => one.verdict === verdict).length,
  ]);
  return {
    headline,
    why,
    requirements: Object.fromEntries(counts.filter(([, count]) => count !== 0)),
    load: load.map(({ verdict }) => loadVerdictLabels[verdict]),
    builtIn: target.builtIn === true,
  };
}

/** Reads a format back as its readers do, without the code that wrote it. */
const readers: Record<FormatName | "console", (text: string) => Told> = {
  console: (text) => ({
    headline: /^\n([A-Z ]+): /.exec(text)?.[1]?.toLowerCase() ?? "",
    why: /\nExit \d+: (.*)\n$/.exec(text)?.[1] ?? "",
    requirements: countsIn(/^(?:\d+ of )?\d+ requirements?: (.*);/m.exec(text)?.[1] ?? ""),
    load: [...text.matchAll(/^ {2}(passed|failed|slower|invalid) +\w+.* \(\w+\)$/gm)].map(
      ([, label]) => label ?? "",
    ),
    builtIn: text.includes(builtInNotice),
  }),
  html: (text) => ({
    headline: (/<span class="word">([^<]*)<\/span>/.exec(text)?.[1] ?? "").toLowerCase(),
    why: /<span class="word">[^<]*<\/span> ([^<]*)</.exec(text)?.[1]?.trim() ?? "",
    requirements: Object.fromEntries(
      [
        ...text.matchAll(/<a class="tile [a-z]+" href="[^"]*"><b>([\d,]+)<\/b><small>([^<]*)<\/small>/g),
      ].flatMap(([, count, name = ""]) => labelled(Number(count), name)),
    ),
    load: [...text.matchAll(/<a class="tile load"[^>]*><span><span class="chip [a-z]+">([^<]*)</g)].map(
      ([, label = ""]) => label.toLowerCase(),
    ),
    builtIn: text.includes(builtInNotice),
  }),
  markdown: (text) => {
    const tokens = marked.lexer(text);
    const tables = tokens.filter((token): token is Tokens.Table => token.type === "table");
    const load = tables.find(({ header }) => header[0]?.text === "run");
    return {
      headline: (/^## ([^:]*):/.exec(text)?.[1] ?? "").toLowerCase(),
      why: (
        tokens
          .filter(({ type }) => type === "paragraph")
          .map(({ raw }) => raw.trim())
          .find((raw) => !raw.startsWith("**")) ?? ""
      )
        .replace(/ Also: .*/, "")
        .replaceAll("`", ""),
      requirements: countsIn(/^- (?:\d+ of )?\d+ requirements?: (.*)$/m.exec(text)?.[1] ?? ""),
      load: load?.rows.map((row) => row[1]?.text.replaceAll("*", "") ?? "") ?? [],
      builtIn: text.includes(builtInNotice),
    };
  },
  junit: (text) => {
    const property = (name: string) =>
      new RegExp(`<property name="${name}" value="([^"]*)"/>`).exec(text)?.[1] ?? "";
    const counts = Object.values(verdictLabels).map((label) => [
      label,
      Number(property(`requirements ${label}`)),
    ]);
    return {
      headline: property("verdict"),
      why: property("why"),
      requirements: Object.fromEntries(counts.filter(([, count]) => count !== 0)),
      // A case that passed is closed at once, or holds its notes.
      load: text
        .split("<testcase ")
        .filter((each) => each.startsWith('name="verdict of the run"'))
        .map((each) => /<(?:failure|error) [^>]*type="([^"]*)"/.exec(each)?.[1] ?? "passed"),
      builtIn: property("builtInService") === "true",
    };
  },
  ctrf: (text) => {
    const { results } = JSON.parse(text);
    const { verdict, why, requirements, builtIn = false } = results.summary.extra;
    const cases: { name: string; rawStatus: string }[] = results.tests;
    return {
      headline: verdict,
      why,
      requirements: Object.fromEntries(
        Object.entries(requirements).filter(([, count]) => count !== 0),
      ) as Told["requirements"],
      load: cases.filter(({ name }) => name === "verdict of the run").map(({ rawStatus }) => rawStatus),
      builtIn,
    };
  },
};

/** `1 failed, 2 warnings` by label. */
function countsIn(text: string): Record<string, number> {
  return Object.fromEntries(
    text.split(", ").flatMap((part) => {
      const [, count, name = ""] = /^([\d,]+) (.*)$/.exec(part) ?? [];
      return labelled(Number(count), name);
    }),
  );
}

function labelled(count: number, name: string): [string, number][] {
  const verdict = verdicts.find((one) =>
    [countedLabel(one, count), capitalized(countedLabel(one, count))].includes(name),
  );
  return verdict === undefined || count === 0 ? [] : [[verdictLabels[verdict], count]];
}

const loads = (...all: LoadResult["verdict"][]): LoadResult[] =>
  all.map((verdict) => exampleLoad({ verdict }));
const failing = (id: string) => exampleRequirement({ id, verdict: "fail" });
const waiver = { id: "x", reason: "r", owner: "o", ticket: "t", expires: "2026-12-31" };
const problem = { what: "Nothing answers", where: "http://127.0.0.1:9/v1", fix: "Start the service." };
const breaking = {
  rank: "breaking",
  kind: "recorded",
  rule: "r",
  subject: "s",
  text: "gtin is gone.",
} as const;

describe("every format says the same verdict, cause and counts", () => {
  test.each<[string, Results, string, string]>([
    [
      "everything at once",
      { ...eventfulResults(), load: loads("slower") },
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
      "load failed",
      "1 load run failed.",
    ],
    [
      "load alone failed",
      exampleResults({ command: "load", exitCode: 1, requirements: [], load: loads("fail") }),
      "failed",
      "1 load run failed.",
    ],
    [
      "load alone passed",
      exampleResults({ command: "load", requirements: [], load: loads("pass") }),
      "passed",
      "1 load run passed.",
    ],
    [
      "load slower",
      exampleResults({ exitCode: 1, load: loads("slower") }),
      "slower",
      "1 load run was slower than before.",
    ],
    [
      "load invalid",
      exampleResults({ exitCode: 3, load: loads("invalid") }),
      "load invalid",
      "1 load run is invalid.",
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
      "breaking change",
      "1 breaking change since the baseline.",
    ],
    [
      "not judged",
      exampleResults({
        exitCode: 4,
        requirements: [exampleRequirement(), exampleRequirement({ id: "a", verdict: "inconclusive" })],
      }),
      "incomplete",
      "Nothing failed, but 1 requirement was not judged.",
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
      "No requirement that was selected could be judged.",
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
      "the built-in service",
      exampleResults({ target: { ...exampleResults().target, builtIn: true } }),
      "conformant",
      "1 requirement passed.",
    ],
  ])("%s", async (_name, results, headline, why) => {
    const report = reportOf(results);
    const expectedOfAll = expected(results, headline, why);
    const style = plainStyle(1000);
    const texts = new Map<FormatName | "console", string>([
      ["console", renderConsole(report, { resultsFile: "reports/run/results.json", style })],
    ]);
    for (const name of Object.keys(formats) as FormatName[])
      texts.set(name, await formats[name].render(report));
    for (const [name, text] of texts) expect(readers[name](text), name).toEqual(expectedOfAll);
  });
});

test("every finding of a failed requirement is in every format, once as a finding", async () => {
  const says = "It is the unmistakable fact.";
  const check = exampleCheck({ id: "a/one", verdict: "fail", says });
  const requirement = exampleRequirement({ id: "a", verdict: "fail", checks: [check] });
  const report = reportOf(exampleResults({ exitCode: 1, requirements: [requirement] }));
  for (const format of Object.values(formats)) expect(await format.render(report)).toContain(says);
  expect((await formats.junit.render(report)).split("<failure").length).toBe(2);
});
