import { join } from "node:path";
import { defineCommand, print } from "../cli/commands/command.ts";
import {
  type EarlierRunFlags,
  runNames,
  settingsWithoutTarget,
  withEarlierRuns,
} from "../cli/commands/earlier-runs.ts";
import { writeWhole } from "../files.ts";
import { consoleStyle } from "../report/terminal.ts";
import { writeConsole } from "../report/writers/console.ts";
import { writeMarkdown } from "../report/writers/markdown.ts";
import { readRun } from "../runs/read-run.ts";
import { compareRuns } from "./comparison.ts";
import { comparisonReport } from "./comparison-report.ts";

interface CompareFlags extends EarlierRunFlags {
  readonly markdown?: boolean;
}

/** `compare BEFORE AFTER` shows what changed between two runs. */
export const compare = defineCommand<CompareFlags>({
  flags: (command) =>
    withEarlierRuns(command)
      .argument("<before>", runNames)
      .argument("<after>", "the run to compare with it")
      .option("--markdown", "write compare.md into the reports folder, for a job summary"),
  run: async (flags, io, [before = "", after = ""]) => {
    const { json, markdown = false } = flags;
    const { out, outShown, redaction } = await settingsWithoutTarget(flags, io);
    const places = { out, cwd: io.cwd };
    const runs = { before: await readRun(places, before), after: await readRun(places, after) };
    const comparison = compareRuns(runs);
    const report = comparisonReport(comparison, runs);
    print(io, { json, value: comparison, text: () => writeConsole(report, { style: consoleStyle(io) }) });
    if (markdown) {
      await writeWhole(join(out, "compare.md"), redaction.redact(writeMarkdown(report)));
      if (json !== true) io.stdout.write(`Written: ${join(outShown, "compare.md")}\n`);
    }
    return comparison.exitCode;
  },
});
