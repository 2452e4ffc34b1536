import { covers } from "../../../conformance/engine/select.ts";
import { minute } from "../../../schemas/words/format.ts";
import { didYouMean } from "../../config/did-you-mean.ts";
import { reportOf } from "../../core/report-of.ts";
import { type ExitCode, UsageError } from "../../errors.ts";
import type { Io } from "../../io.ts";
import type { Item, Report } from "../../report/model.ts";
import { consoleStyle, prose, wrap } from "../../report/terminal.ts";
import { consoleItems } from "../../report/writers/console.ts";
import { markdownItem } from "../../report/writers/markdown.ts";
import { itemLabels } from "../../report/writers/told.ts";
import { type Explains, explanationsOf, renderExplanations, renderIds } from "../../setup/explain.ts";
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
  run: async (flags, io, [first, second, ...others], additions) => {
    const usage = (what: string, fix: string) =>
      new UsageError({ what, where: `explain ${[first, second, ...others].filter(Boolean).join(" ")}`, fix });
    if (others.length > 0)
      throw usage("explain takes an id, or a run and an id", "Put a heading that has spaces in quotes.");
    if (first !== undefined && second !== undefined) return await showFound(first, second, flags, io);
    if (flags.markdown === true) {
      const fix = `Name one: npx shelfcheck explain latest ${first ?? "ID"} --markdown`;
      throw usage("--markdown needs a run, and none is named", fix);
    }
    return await showKnown(
      first,
      additions.flatMap((one) => one.explains ?? []),
      flags,
      io,
    );
  },
});

/** What an id means, or, if there is no such id but such a run, what the run found. Without a name, all ids. */
async function showKnown(
  name: string | undefined,
  known: readonly Explains[],
  flags: ExplainFlags,
  io: Io,
): Promise<ExitCode> {
  try {
    const explanations = explanationsOf(name, known);
    const render = name === undefined ? renderIds : renderExplanations;
    const text = () => render(explanations, consoleStyle(io));
    print(io, { json: flags.json, value: explanations, text });
  } catch (error) {
    const { results, now } = await readAnyToShow(name ?? "", flags, io).catch((unread: unknown) => {
      throw name === "latest" ? unread : error;
    });
    listFound(reportOf(results, now), now, flags, io);
  }
  return 0;
}

function listFound({ headline, suites }: Report, run: string, { json }: ExplainFlags, io: Io): void {
  const found = suites
    .flatMap(({ items }) => items.filter(isReported))
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

/** Of several items with an id, only those that did not pass, or all if all passed. */
async function showFound(run: string, id: string, flags: ExplainFlags, io: Io): Promise<ExitCode> {
  const { name, results } = await readAnyToShow(run, flags, io);
  const { headline, suites } = reportOf(results, name);
  const all = suites.flatMap(({ items }) => items);
  const meant = all.filter((item) => isMeant(item, id));
  if (meant.length === 0) {
    const list = `To see what it found: npx shelfcheck explain ${run}`;
    const ids = [...new Set(all.map((item) => item.id))];
    const fix = ids.length === 0 ? list : didYouMean(id, ids);
    throw new UsageError({ what: "The run has nothing with this id", where: `explain ${id}`, fix });
  }
  const reported = meant.filter(isReported);
  const items = reported.length > 0 ? reported : meant;
  const { tool } = results;
  const frame = `Found by ${tool.name} ${tool.version}: ${headline.of}, ${minute(headline.startedAt)}, run ${name}.`;
  const text = () =>
    flags.markdown === true
      ? items.map((item) => `${markdownItem(item, frame)}\n`).join("\n---\n\n")
      : consoleItems(items, consoleStyle(io));
  print(io, { json: flags.json, value: items, text });
  return 0;
}

/** An id is that of an item or of what stands with it, of a section, of a check or of a load run with limits of its own. */
function isMeant(item: Item, id: string): boolean {
  return [item, ...(item.also ?? [])].some(
    (one) =>
      covers(id, { requirement: one.id }) || id.startsWith(`${one.id}/`) || one.id.startsWith(`${id}/`),
  );
}

function isReported({ verdict }: Item): boolean {
  return verdict !== "pass" && verdict !== "notApplicable";
}
