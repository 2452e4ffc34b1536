import { realpath } from "node:fs/promises";
import { basename } from "node:path";
import { type ExitCode, UsageError } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { consoleStyle } from "../../report/terminal.ts";
import { acceptableRuns, planAcceptance, type WaiverTerms } from "../../runs/baseline/accept.ts";
import { renderAcceptance } from "../../runs/baseline/baseline-report.ts";
import {
  readRecorded,
  readText,
  recordedFile,
  waiversFile,
  writeBaselineFile,
} from "../../runs/baseline/run-baseline.ts";
import { dayOf, isDay } from "../../runs/baseline/waiver-states.ts";
import { addWaivers, parseWaivers } from "../../runs/baseline/waivers.ts";
import { type EarlierRun, type RunPlaces, readRun } from "../../runs/read-run.ts";
import { type CommandEntry, print } from "./command.ts";
import { type EarlierRunFlags, runNames, settingsWithoutTarget, withEarlierRuns } from "./earlier-runs.ts";
import { collect, withBaseline } from "./flags.ts";

interface AcceptFlags extends WaiverTerms, EarlierRunFlags {
  readonly notJudged?: boolean;
  readonly baseline?: string;
  readonly only?: readonly string[];
}

/** `baseline accept RUN…` records the contract of runs, and waives their failures. */
export const baseline: CommandEntry = (command, io, done) => {
  const accept = command
    .command("accept")
    .description("record the contract of one or more runs, and waive their failures")
    .showHelpAfterError("To list its flags: shelfcheck baseline accept --help")
    .argument("<run...>", `${runNames} (one or more, of one target)`);
  withBaseline(withEarlierRuns(accept))
    .option("--owner <name>", "person responsible for the waived failures")
    .option("--ticket <id>", "ticket that tracks the fix")
    .option("--expires <day>", "last day of the waivers, in UTC, such as 2026-12-31")
    .option("--reason <text>", "why the failures are accepted until then")
    .option("--not-judged", "also waive each MUST that was not judged")
    .option("--only <id>", "waive this failure only: a requirement or check; may be repeated", collect)
    .action(async (runs: readonly string[], flags: AcceptFlags) => done(await acceptRuns(runs, flags, io)));
};

async function acceptRuns(names: readonly string[], flags: AcceptFlags, io: Io): Promise<ExitCode> {
  const { owner, ticket, expires, reason, notJudged = false, json } = flags;
  const now = io.now();
  const today = dayOf(now);
  requireFutureDate(expires, today);
  const settings = await settingsWithoutTarget(flags, io);
  const [first, ...rest] = await Promise.all(
    names.map((name) => readNamed({ out: settings.out, cwd: io.cwd }, name)),
  );
  if (first === undefined) throw new TypeError("commander requires at least one run");
  const runs = acceptableRuns([first, ...rest]);
  const target = runs[0].results.target.name;
  const files = { waivers: waiversFile(settings), recorded: recordedFile(settings, target) };
  const known = { targets: [...settings.targetNames, target] };
  const text = await readText(files.waivers);
  const waivers = text === undefined ? [] : parseWaivers(text, files.waivers.shown, known);
  const recorded = await readRecorded(files.recorded, target);
  const acceptance = planAcceptance({
    runs,
    waivers,
    recorded,
    terms: withoutBlanks({ owner, ticket, expires, reason }),
    notJudged,
    ids: flags.only,
    now,
    today,
  });

  const written = [files.recorded.shown];
  if (acceptance.added.length > 0) {
    const changed = addWaivers(text, acceptance.added);
    // The written file must be valid for the next run.
    parseWaivers(changed, files.waivers.shown, known);
    await writeBaselineFile(files.waivers, changed);
    written.push(files.waivers.shown);
  }
  await writeBaselineFile(files.recorded, `${JSON.stringify(acceptance.baseline, null, 2)}\n`);
  print(io, {
    json,
    value: { ...acceptance, files: written },
    text: () => renderAcceptance(acceptance, { files: written, style: consoleStyle(io) }),
  });
  return 0;
}

// The baseline records the name of the run, not `latest`.
async function readNamed(places: RunPlaces, name: string): Promise<EarlierRun> {
  const run = await readRun(places, name);
  return { ...run, name: basename(await realpath(run.path)) };
}

function requireFutureDate(expires: string | undefined, today: string): void {
  if (expires === undefined || (isDay(expires) && expires >= today)) return;
  throw new UsageError({
    what: isDay(expires) ? `The date ${expires} has passed` : "There is no such date",
    where: `--expires ${expires}`,
    fix: "Give the last day on which the failures are accepted, in UTC, such as 2026-12-31.",
  });
}

// Blank terms count as missing.
function withoutBlanks(
  terms: {
    readonly [Term in keyof WaiverTerms]: WaiverTerms[Term] | undefined;
  },
): WaiverTerms {
  return Object.fromEntries(
    Object.entries(terms).filter(([, text]) => text !== undefined && text.trim() !== ""),
  );
}
