import { join } from "node:path";
import type { Command } from "commander";
import { type ExitCode, UsageError } from "../../errors.ts";
import { writeWhole } from "../../files.ts";
import type { Io } from "../../io.ts";
import { comparisonDocument } from "../../report/subjects/comparison.ts";
import { consoleStyle } from "../../report/terminal.ts";
import { writeConsole } from "../../report/writers/console.ts";
import { writeMarkdown } from "../../report/writers/markdown.ts";
import { writePage } from "../../report/writers/page.ts";
import { type Comparison, compareRuns, type RunsToCompare } from "../../runs/compare/compare-runs.ts";
import { defaultRule, leastRuns } from "../../runs/compare/latency.ts";
import { readRun } from "../../runs/read-run.ts";
import { defineCommand, print } from "./command.ts";
import { type EarlierRunFlags, runNames, settingsWithoutTarget, withEarlierRuns } from "./earlier-runs.ts";
import { collect, positiveNumber } from "./flags.ts";

interface CompareFlags extends EarlierRunFlags {
  readonly html?: boolean;
  readonly markdown?: boolean;
  readonly minimumEffect?: number;
  readonly minimumMilliseconds?: number;
  readonly allowDifferent?: readonly string[];
}

/** `compare A B` shows what changed between two runs. `compare A… -- B…` also judges latency, with three or more runs before and after. */
export const compare = defineCommand<CompareFlags>({
  flags: withCompareFlags,
  run: (flags, io, runs) => readAndCompare(splitRuns(runs, io.argv ?? []), flags, io),
});

function withCompareFlags(command: Command): Command {
  const { minimumEffect, minimumMilliseconds } = defaultRule;
  return withEarlierRuns(command)
    .usage("[options] A B | A… -- B…")
    .argument("<runs...>", runNames)
    .option(
      "--minimum-effect <percent>",
      `smallest change in latency that counts, in percent (default: ${minimumEffect * 100})`,
      positiveNumber,
    )
    .option(
      "--minimum-milliseconds <ms>",
      `smallest change in latency that counts, in milliseconds (default: ${minimumMilliseconds})`,
      positiveNumber,
    )
    .option(
      "--allow-different <part>",
      "compare latency even if the runs differ in this part; may be repeated",
      collect,
    )
    .option("--html", "write compare.html into the reports folder, with tables and overlaid distributions")
    .option("--markdown", "write compare.md into the reports folder, for a job summary");
}

/**
 * Splits the names of runs into those before and after. Commander removes `--`, so the runs after it are counted in `argv`.
 *
 * @throws UsageError when there is no run before or after, when `--` is missing, or when a flag follows it.
 */
function splitRuns(
  runs: readonly string[],
  argv: readonly string[],
): Record<keyof RunsToCompare, [string, ...string[]]> {
  const separator = argv.indexOf("--");
  const behind = separator < 0 ? (runs.length === 2 ? 1 : 0) : argv.length - separator - 1;
  const [firstBefore, ...before] = runs.slice(0, runs.length - behind);
  const [firstAfter, ...after] = behind === 0 ? [] : runs.slice(-behind);
  const flag = [firstAfter ?? "", ...after].find((name) => name.startsWith("-"));
  if (flag !== undefined) {
    throw new UsageError({
      what: "A flag follows --, where only runs are allowed",
      where: flag,
      fix: `Flags come first: compare ${flag} A B C -- D E F.`,
    });
  }
  if (firstBefore !== undefined && firstAfter !== undefined) {
    return { before: [firstBefore, ...before], after: [firstAfter, ...after] };
  }
  throw new UsageError({
    what: "It is unclear which runs are before and which are after",
    where: `compare ${argv.slice(argv.indexOf("compare") + 1).join(" ")}`,
    fix: `Name two runs (compare A B), or ${leastRuns} or more before and after, separated by -- (compare A B C -- D E F).`,
  });
}

async function readAndCompare(
  names: Record<keyof RunsToCompare, [string, ...string[]]>,
  flags: CompareFlags,
  io: Io,
): Promise<ExitCode> {
  const { json, html = false, markdown = false, allowDifferent = [], minimumEffect } = flags;
  const { minimumMilliseconds = defaultRule.minimumMilliseconds } = flags;
  const { out, outShown, redaction } = await settingsWithoutTarget(flags, io);
  const read = async ([first, ...more]: [string, ...string[]]): Promise<RunsToCompare["before"]> => {
    const run = (name: string) => readRun({ out, cwd: io.cwd }, name);
    return [await run(first), ...(await Promise.all(more.map(run)))];
  };
  const rule = {
    ...defaultRule,
    minimumEffect: minimumEffect === undefined ? defaultRule.minimumEffect : minimumEffect / 100,
    minimumMilliseconds,
  };
  const runs = { before: await read(names.before), after: await read(names.after) };
  const comparison = compareRuns(runs, { rule, allowed: allowDifferent });
  const document = comparisonDocument(comparison, runs);
  print(io, { json, value: asJson(comparison), text: () => writeConsole(document, consoleStyle(io)) });
  const files = [
    ...(html ? [{ name: "compare.html", text: await writePage(document) }] : []),
    ...(markdown ? [{ name: "compare.md", text: writeMarkdown(document) }] : []),
  ];
  for (const { name, text } of files) {
    await writeWhole(join(out, name), redaction.redact(text));
    if (json !== true) io.stdout.write(`Written: ${join(outShown, name)}\n`);
  }
  return comparison.exitCode;
}

/** The comparison for `--json`, with the calculation of each latency result. */
function asJson({ load, ...comparison }: Comparison) {
  return { ...comparison, load: load.map(({ rows, ...rest }) => ({ ...rest, arithmetic: rows })) };
}
