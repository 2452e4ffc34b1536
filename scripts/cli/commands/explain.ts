import { type Requirement, requirements } from "../../../conformance/requirements/all.ts";
import { sectionOf, sections } from "../../../conformance/requirements/requirement.ts";
import { covers, listChecks, namesOf } from "../../../conformance/suite/all.ts";
import { counted, minute } from "../../../schemas/words/format.ts";
import { didYouMean } from "../../config/did-you-mean.ts";
import { reportOf } from "../../core/added.ts";
import { UsageError } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { type Item, itemLabels, withAlso } from "../../report/model.ts";
import { type ConsoleStyle, consoleStyle, prose, wrap } from "../../report/terminal.ts";
import { consoleItems } from "../../report/writers/console.ts";
import { markdownItem } from "../../report/writers/markdown.ts";
import { NoSuchRun, readAnyRun } from "../../runs/read-run.ts";
import { type CommandDefinition, type Explains, type Printed, print } from "./command.ts";
import { type EarlierRunFlags, runNames, withEarlierRuns } from "./flags.ts";

interface ExplainFlags extends EarlierRunFlags {
  readonly markdown?: boolean;
}

/** `explain` lists the ids, `explain ID` explains one, `explain RUN ID` shows what a run found. */
export const explain: CommandDefinition<ExplainFlags> = {
  flags: (command) =>
    withEarlierRuns(command)
      .argument(
        "[id-or-run]",
        `a requirement, check or section to explain (default: all are listed); or ${runNames}`,
      )
      .argument("[id]", "of what the run found: such an id, or load.<scenario>.<profile> (default: a list)")
      .option("--markdown", "print the finding of the run as a Markdown ticket"),
  run: async (flags, io, [first, second], additions) => {
    if (second === undefined && flags.markdown === true)
      throw new UsageError({
        what: "--markdown needs a run and an id",
        where: `explain ${first ?? ""}`.trim(),
        fix: "Such as: npx shelfcheck explain latest ID --markdown",
      });
    const known = additions.flatMap((one) => one.explains ?? []);
    const shown =
      first !== undefined && second !== undefined
        ? await foundOf(first, second, flags, io)
        : await knownOf(first, known, flags, io);
    print(io, flags.json, shown);
    return 0;
  },
};

/** What an id means, or, if there is only such a run, what it found. Without a name, all ids. */
async function knownOf(
  name: string | undefined,
  known: readonly Explains[],
  flags: ExplainFlags,
  io: Io,
): Promise<Printed> {
  const style = consoleStyle(io);
  try {
    const value = explanationsOf(name, known);
    const text = () => (name === undefined ? renderIds(value, style) : renderExplanations(value, style));
    return { value, text };
  } catch (error) {
    const { results, now } = await readAnyRun(name ?? "", flags, io).catch((unread: unknown) => {
      throw unread instanceof NoSuchRun && name !== "latest" ? error : unread;
    });
    const { headline, suites } = reportOf(results, now);
    const items = suites.flatMap((suite) => suite.items).filter(isReported);
    const value = items.map(({ id, also, verdict, said: [first] }) => ({
      id,
      also: also?.map((one) => one.id),
      outcome: itemLabels[verdict],
      text: first?.message ?? "",
    }));
    const lines = value.flatMap(({ id, also = [], outcome, text }) => [
      [`${outcome} ${id}`, ...also].join(", also "),
      ...wrap(prose(text), { width: style.width, indent: "  " }),
    ]);
    const list = `${lines.join("\n")}\n\nTo see one: npx shelfcheck explain ${now} ID\n`;
    const nothing = `${now} has no findings. ${prose(headline.why)}\n`;
    return { value, text: () => (value.length === 0 ? nothing : list) };
  }
}

/** What a run found. Of several items with an id, only those that did not pass, or all if all passed. */
async function foundOf(run: string, id: string, flags: ExplainFlags, io: Io): Promise<Printed> {
  const { name, results } = await readAnyRun(run, flags, io);
  const { headline, suites } = reportOf(results, name);
  const all = suites.flatMap(({ items }) => items);
  const meant = all.filter((item) => isMeant(item, id));
  if (meant.length === 0) {
    const ids = [...new Set(all.map((item) => item.id))];
    const list = `To see what it found: npx shelfcheck explain ${run}`;
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
  return { value: items, text };
}

/** Of an item or what stands with it, a section, a check, or a load run with limits of its own. */
function isMeant(item: Item, id: string): boolean {
  return withAlso(item).some(
    (one) =>
      covers(id, { requirement: one.id }) || id.startsWith(`${one.id}/`) || one.id.startsWith(`${id}/`),
  );
}

function isReported({ verdict }: Item): boolean {
  return verdict !== "pass" && verdict !== "notApplicable";
}

type Explanation = ReturnType<typeof explanationsOf>[number];

/**
 * Explains a requirement, the requirement that a check judges, or all requirements of a section of the spec.
 *
 * @param name The id of a requirement or check, or the key or heading of a section. Default: all requirements
 * @throws UsageError for an unknown name.
 */
export function explanationsOf(name: string | undefined, known: readonly Explains[]) {
  const all = listChecks();
  const matching = all.filter((check) => name === undefined || covers(name, check));
  const found = requirements.flatMap((requirement) => {
    const { id } = requirement;
    const checks = matching
      .filter((check) => check.requirement === id)
      .map(({ id, title, requests }) => {
        return { id, title, requests, notes: known.flatMap((explains) => explains(id)) };
      });
    if (name !== undefined && checks.length === 0 && !covers(name, { requirement: id })) return [];
    const judged = judgedBy(requirement, checks.length, known);
    return [{ ...requirement, section: sections[sectionOf(id)], judged, checks }];
  });
  if (name === undefined || found.length > 0) return found;
  throw new UsageError({
    what: "There is no requirement, check or section with this id",
    where: `explain ${name}`,
    fix: didYouMean(name, namesOf([...requirements.map(({ id }) => ({ requirement: id })), ...all])),
  });
}

function judgedBy({ id, treatment }: Requirement, checks: number, known: readonly Explains[]): string {
  switch (treatment.kind) {
    case "judged":
      return `Judged by ${checks === 1 ? "this check" : `these ${checks} checks`}:`;
    case "excluded":
      return `Not judged: ${treatment.why}`;
    case "gap":
      return `Not judged: the specification does not show ${treatment.what}.`;
    case "client":
      return known.flatMap((explains) => explains(id)).join(" ");
    default:
      return treatment satisfies never;
  }
}

const kindLabels = { judged: "", client: ", of clients", excluded: ", not judged", gap: ", not judged" };

function levelOf({ level, treatment }: Pick<Explanation, "level" | "treatment">): string {
  return `${level.toUpperCase()}${kindLabels[treatment.kind]}`;
}

/** Sections with their requirements, each in one line. */
function renderIds(explanations: readonly Explanation[], style: ConsoleStyle): string {
  const width = Math.max(...explanations.map(({ id }) => id.length));
  const lines = [...Map.groupBy(explanations, ({ id }) => sectionOf(id))].flatMap(([section, group]) => [
    `${style.strong(section)}: ${prose(sections[section])}`,
    ...group.map((one) => `  ${one.id.padEnd(width)}  ${style.faint(levelOf(one))}`),
  ]);
  return `${lines.join("\n")}\n\nTo see one, and why it is not judged: npx shelfcheck explain ID\n`;
}

export function renderExplanations(explanations: readonly Explanation[], style: ConsoleStyle): string {
  const lines = (text: string, depth: number) =>
    wrap(prose(text), { width: style.width, indent: " ".repeat(depth) });
  const rendered = explanations.map(({ statement, quote, judged, checks, ...one }) => [
    ...lines(`${one.id}: ${one.section}, ${levelOf(one)}`, 0).map(style.strong),
    ...lines(statement, 2),
    ...lines(`The spec: "${quote}"`, 2),
    ...lines(judged, 2).map(style.faint),
    ...checks.flatMap(({ id, title, requests, notes }) => {
      const most = `at most ${counted(requests, "request")}, more if it fails`;
      const sent = requests === 0 ? "examines the responses to other requests" : most;
      return [
        `    ${id}`,
        ...lines(`${title} (${sent}).`, 6),
        ...notes.flatMap((note) => lines(note, 6).map(style.faint)),
      ];
    }),
  ]);
  return `${rendered.map((each) => each.join("\n")).join("\n\n")}\n`;
}
