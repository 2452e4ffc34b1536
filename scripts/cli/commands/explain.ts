import { covers, namesOf } from "../../../conformance/engine/select.ts";
import type { AnyResults } from "../../../schemas/contracts/results.ts";
import { minute } from "../../../schemas/words/format.ts";
import { didYouMean } from "../../config/did-you-mean.ts";
import { reportOf } from "../../core/report-of.ts";
import { type ExitCode, UsageError } from "../../errors.ts";
import type { Io } from "../../io.ts";
import type { Item, Report, Suite } from "../../report/model.ts";
import { consoleStyle, prose, wrap } from "../../report/terminal.ts";
import { consoleItems } from "../../report/writers/console.ts";
import { markdownItem } from "../../report/writers/markdown.ts";
import { itemLabels } from "../../report/writers/told.ts";
import {
  type Explains,
  explanationsOf,
  renderExplanations,
  renderIds,
  requirementIds,
} from "../../setup/explain.ts";
import { defineCommand, print } from "./command.ts";
import { type EarlierRunFlags, readAnyToShow, runNames, withEarlierRuns } from "./earlier-runs.ts";

interface ExplainFlags extends EarlierRunFlags {
  readonly markdown?: boolean;
}

/** `explain` lists the ids, `explain ID` explains one, `explain RUN ID` shows what a run found. */
export const explain = defineCommand<ExplainFlags>({
  flags: (command) =>
    withEarlierRuns(command)
      .argument(
        "[id...]",
        `an id, ${runNames}, or a run and an id; ids are those of requirements, checks and sections, and load.<scenario>.<profile> for load; without any, all are listed`,
      )
      .usage("[options] [id] | <run> [id]")
      .option("--markdown", "print the finding of the run as a Markdown ticket"),
  run: (flags, io, names, additions) =>
    show(
      flags,
      io,
      names,
      additions.flatMap((one) => one.explains ?? []),
    ),
});

async function show(
  flags: ExplainFlags,
  io: Io,
  names: readonly string[],
  known: readonly Explains[],
): Promise<ExitCode> {
  const [first, second, ...others] = names;
  if (first === undefined) {
    print(io, { json: flags.json, value: requirementIds(), text: () => renderIds(consoleStyle(io)) });
    return 0;
  }
  if (others.length > 0) {
    throw new UsageError({
      what: "explain takes an id, or a run and an id",
      where: `explain ${names.join(" ")}`,
      fix: "Put a heading that has spaces in quotes.",
    });
  }
  if (second !== undefined) return await showFound(first, second, flags, io);
  if (flags.markdown === true) {
    throw new UsageError({
      what: "--markdown needs a run, and none is named",
      where: `explain ${first}`,
      fix: `Name one: npx shelfcheck explain latest ${first} --markdown`,
    });
  }
  const explanations = await explanationsOrRun(first, known, flags, io);
  if (explanations === undefined) return 0;
  print(io, {
    json: flags.json,
    value: explanations,
    text: () => renderExplanations(explanations, known, consoleStyle(io)),
  });
  return 0;
}

/** What an id means. If there is no such id but such a run, lists what the run found and returns undefined. */
async function explanationsOrRun(name: string, known: readonly Explains[], flags: ExplainFlags, io: Io) {
  try {
    return explanationsOf(name, known);
  } catch (error) {
    const { results, now } = await readAnyToShow(name, flags, io).catch((unread: unknown) => {
      throw name === "latest" ? unread : error;
    });
    listFound(reportOf(results, now), now, flags, io);
    return undefined;
  }
}

function listFound({ headline, suites }: Report, run: string, { json }: ExplainFlags, io: Io): void {
  const found = suites
    .flatMap(({ items }) => items)
    .filter(({ verdict }) => verdict !== "pass" && verdict !== "notApplicable")
    .map(({ id, verdict, said: [first] }) => ({
      id,
      outcome: itemLabels[verdict],
      text: first?.message ?? "",
    }));
  const width = Math.max(0, ...found.map(({ outcome }) => outcome.length));
  const lines = found.flatMap(({ id, outcome, text }) => [
    `${outcome.padEnd(width)}  ${id}`,
    ...wrap(prose(text), { width: consoleStyle(io).width, indent: " ".repeat(width + 2) }),
  ]);
  const text = () =>
    found.length === 0
      ? `${run} has no findings. ${prose(headline.why)}\n`
      : `${lines.join("\n")}\n\nTo see one: npx shelfcheck explain ${run} ID\n`;
  print(io, { json, value: found, text });
}

async function showFound(run: string, id: string, flags: ExplainFlags, io: Io): Promise<ExitCode> {
  const { name, results } = await readAnyToShow(run, flags, io);
  const report = reportOf(narrowed(results, id), name);
  const suites = suitesWith(report, id);
  if (suites.length === 0) throw unknownId(reportOf(results, name), results, { id, run });
  const items = suites.flatMap((suite) => suite.items);
  const { headline } = report;
  const frame = `Found by ${results.tool.name} ${results.tool.version}: ${headline.of}, ${minute(headline.startedAt)}, run ${name}.`;
  print(io, {
    json: flags.json,
    value: items,
    text: () =>
      flags.markdown === true
        ? items.map((item) => `${markdownItem(item, frame)}\n`).join("\n---\n\n")
        : consoleItems(suites, consoleStyle(io)),
  });
  return 0;
}

/** The results with only the named check of its requirement; the same results for any other id. */
function narrowed<R extends AnyResults>(results: R, id: string): R {
  const requirements = results.requirements.flatMap((requirement) => {
    const checks = requirement.checks.filter((check) => check.id === id);
    const [first] = checks;
    return first === undefined ? [] : [{ ...requirement, verdict: first.verdict, checks }];
  });
  return requirements.length === 0 ? results : { ...results, requirements };
}

/** The suites with the items of an id. Of several, only those that did not pass, or all if all passed. */
function suitesWith({ suites }: Report, id: string): Suite[] {
  const isMeant = (item: Item) =>
    covers(id, { requirement: item.id }) ||
    covers(id, { id: item.id, requirement: item.id }) ||
    id.startsWith(`${item.id}/`) ||
    item.id.startsWith(`${id}/`) ||
    item.also?.some((other) => other.id === id);
  const all = suites.flatMap((suite) => ({ ...suite, items: suite.items.filter(isMeant) }));
  const reported = all.map((suite) => ({
    ...suite,
    items: suite.items.filter(({ verdict }) => verdict !== "pass" && verdict !== "notApplicable"),
  }));
  const isReported = reported.some(({ items }) => items.length > 0);
  return (isReported ? reported : all).filter(({ items }) => items.length > 0);
}

function unknownId(
  report: Report,
  results: AnyResults,
  { id, run }: { readonly id: string; readonly run: string },
) {
  const ids = report.suites.flatMap(({ items }) => items.map((item) => item.id));
  const known = results.requirements.flatMap((one) => [
    { requirement: one.id },
    ...one.checks.map((check) => ({ id: check.id, requirement: one.id })),
  ]);
  return new UsageError({
    what: "The run has nothing with this id",
    where: `explain ${id}`,
    fix:
      ids.length === 0
        ? `To see what it found: npx shelfcheck explain ${run}`
        : didYouMean(id, [...new Set([...namesOf(known), ...ids])]),
  });
}
