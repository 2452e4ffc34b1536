import { covers, namesOf } from "../../../conformance/engine/select.ts";
import { verdictLabels } from "../../../schemas/verdicts.ts";
import { didYouMean } from "../../config/did-you-mean.ts";
import { type ExitCode, UsageError } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { clientReportOf } from "../../report/subjects/client/client-report.ts";
import { foundBesides } from "../../report/subjects/run/causes.ts";
import { worstFirst } from "../../report/subjects/run/rank.ts";
import type { ShownCheck, ShownRequirement } from "../../report/subjects/run/requirements.ts";
import { foundBlocks } from "../../report/subjects/run/run-document.ts";
import { type Report, reportOf } from "../../report/subjects/run/run-report.ts";
import type { ShownLoad } from "../../report/subjects/run/shown-load.ts";
import { renderTicket } from "../../report/subjects/run/ticket.ts";
import { consoleStyle, prose, wrap } from "../../report/terminal.ts";
import { writeConsole } from "../../report/writers/console.ts";
import type { AnyResults } from "../../runs/read-run.ts";
import { explanationsOf, renderExplanations, renderIds, requirementIds } from "../../setup/explain.ts";
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
  run: show,
});

async function show(flags: ExplainFlags, io: Io, names: readonly string[]): Promise<ExitCode> {
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
  const explanations = await explanationsOrRun(first, flags, io);
  if (explanations === undefined) return 0;
  print(io, {
    json: flags.json,
    value: explanations,
    text: () => renderExplanations(explanations, consoleStyle(io)),
  });
  return 0;
}

/** What an id means. If there is no such id but such a run, lists what the run found and returns undefined. */
async function explanationsOrRun(name: string, flags: ExplainFlags, io: Io) {
  try {
    return explanationsOf(name);
  } catch (error) {
    const run = await readAnyToShow(name, flags, io).catch((unread: unknown) => {
      throw name === "latest" ? unread : error;
    });
    listFound(shownOf(run.results, run.now), flags, io);
    return undefined;
  }
}

/** What this command shows of a run of any kind. */
interface Shown extends Pick<Report, "run" | "why" | "sections" | "load"> {
  readonly besides: ReturnType<typeof foundBesides>;
}

function shownOf(results: AnyResults, run: string): Shown {
  if (results.command === "client") return { ...clientReportOf(results, run), run, load: [], besides: [] };
  const report = reportOf(results, { run });
  return { ...report, besides: foundBesides(report) };
}

function listFound({ sections, load, run, why, besides }: Shown, { json }: ExplainFlags, io: Io): void {
  const requirements = sections.flatMap((section) => section.requirements);
  const reported = requirements.filter((one) => one.reported.length > 0);
  const failed = worstFirst(reported.filter(({ verdict }) => verdict === "fail"));
  const others = reported.filter(({ verdict }) => verdict !== "fail");
  const found = [
    ...[...failed, ...others].map(({ id, verdict, reported: [first] }) => ({
      id,
      outcome: verdictLabels[verdict],
      text: first?.parts[0] ?? "",
    })),
    ...load
      .filter(({ tone }) => tone !== "good")
      .map(({ id, label, reasons }) => ({ id, outcome: label, text: reasons[0] ?? "" })),
    ...besides,
  ];
  const width = Math.max(0, ...found.map(({ outcome }) => outcome.length));
  const lines = found.flatMap(({ id, outcome, text }) => [
    `${outcome.padEnd(width)}  ${id}`,
    ...wrap(prose(text), { width: consoleStyle(io).width, indent: " ".repeat(width + 2) }),
  ]);
  const text = () =>
    found.length === 0
      ? `${run} has no findings. ${why}\n`
      : `${lines.join("\n")}\n${found.length === besides.length ? "" : `\nTo see one: npx shelfcheck explain ${run} ID\n`}`;
  print(io, { json, value: found, text });
}

async function showFound(run: string, id: string, flags: ExplainFlags, io: Io): Promise<ExitCode> {
  const { name, results } = await readAnyToShow(run, flags, io);
  const { load, requirements } = foundOf(shownOf(results, name), id, run);
  if (results.command === "client" && flags.markdown === true) {
    throw new UsageError({
      what: "The findings of a client have no tickets",
      where: `explain ${run} ${id} --markdown`,
      fix: `Without --markdown it shows the finding: npx shelfcheck explain ${run} ${id}`,
    });
  }
  const ids = new Set(requirements.map((one) => one.requirement.id));
  print(io, {
    json: flags.json,
    value: {
      requirements: results.requirements.filter((one) => ids.has(one.id)),
      load: load.map(({ result }) => result),
    },
    text: () => {
      if (flags.markdown !== true || results.command === "client") {
        const blocks = foundBlocks(requirements.map(narrowed), load);
        return writeConsole({ head: [], blocks }, consoleStyle(io));
      }
      const report = reportOf(results, { run: name });
      // A requirement, check or load run has one ticket, a section has one for each requirement.
      const tickets = requirements.map(({ requirement }) => renderTicket(report, requirement.id) ?? "");
      return renderTicket(report, id) ?? tickets.join("\n---\n\n");
    },
  });
  return 0;
}

interface Found {
  readonly requirements: readonly {
    readonly requirement: ShownRequirement;
    readonly checks: readonly ShownCheck[];
  }[];
  readonly load: readonly ShownLoad[];
}

/** What a run found for an id. Of several requirements, only those that did not pass, or all if all passed. @throws UsageError for an unknown id. */
function foundOf({ sections, load }: Pick<Report, "sections" | "load">, id: string, run: string): Found {
  const all = sections.flatMap(({ requirements }) => requirements);
  const runs = load.filter((one) => one.id === id);
  const matching = all.flatMap((requirement) => {
    const checks = requirement.checks.filter((check) => check.id === id);
    if (checks.length > 0) return [{ requirement, checks }];
    const { reported } = requirement;
    if (!covers(id, { requirement: requirement.id })) return [];
    return [{ requirement, checks: reported.length > 0 ? reported : requirement.checks }];
  });
  if (matching.length + runs.length === 0) {
    const known = all.flatMap((one) => [
      { requirement: one.id },
      ...one.checks.map((check) => ({ id: check.id, requirement: one.id })),
    ]);
    throw new UsageError({
      what: "The run has nothing with this id",
      where: `explain ${id}`,
      fix:
        known.length + load.length === 0
          ? `To see what it found: npx shelfcheck explain ${run}`
          : didYouMean(id, [...namesOf(known), ...load.map((one) => one.id)]),
    });
  }
  const reported = matching.filter(({ requirement }) => requirement.reported.length > 0);
  return { requirements: reported.length > 0 ? reported : matching, load: runs };
}

function narrowed({ requirement, checks }: Found["requirements"][number]): ShownRequirement {
  return { ...requirement, reported: checks };
}
