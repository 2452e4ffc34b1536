import { join } from "node:path";
import type { ExitCode } from "../../errors.ts";
import { writeWhole } from "../../files.ts";
import type { Io } from "../../io.ts";
import { historyDocument } from "../../report/subjects/history.ts";
import { consoleStyle } from "../../report/terminal.ts";
import { writeConsole } from "../../report/writers/console.ts";
import { writeMarkdown } from "../../report/writers/markdown.ts";
import { writePage } from "../../report/writers/page.ts";
import { readHistory, trendOf } from "../../runs/compare/trend.ts";
import { defineCommand, print } from "./command.ts";
import { type EarlierRunFlags, settingsWithoutTarget, withEarlierRuns } from "./earlier-runs.ts";
import { wholeNumber } from "./flags.ts";

interface HistoryFlags extends EarlierRunFlags {
  readonly target?: string;
  readonly last: number;
  readonly html?: boolean;
  readonly markdown?: boolean;
}

/** `history`: the last runs of a target as a trend. Exits with 0, whatever the runs found. */
export const history = defineCommand<HistoryFlags>({
  flags: (command) =>
    withEarlierRuns(command)
      .option("--target <name>", "target whose runs to show (default: the target of the newest run)")
      .option("--last <n>", "maximum number of runs to show", wholeNumber(1, 1000), 20)
      .option("--html", "write history.html into the reports folder")
      .option("--markdown", "write history.md into the reports folder, for a job summary"),
  run: show,
});

async function show(flags: HistoryFlags, io: Io): Promise<ExitCode> {
  const { target, last, html = false, markdown = false, json = false } = flags;
  const { out, outShown, redaction } = await settingsWithoutTarget(flags, io);
  const { runs, skipped, target: shown } = await readHistory(out, { target, last });
  for (const { name, reason } of skipped) io.stderr.write(`skipped ${join(outShown, name)}: ${reason}\n`);
  const trend = trendOf(shown, runs);
  const document = historyDocument(trend, runs);
  const files = [
    ...(html ? [{ name: "history.html", text: await writePage(document) }] : []),
    ...(markdown ? [{ name: "history.md", text: writeMarkdown(document) }] : []),
  ];
  for (const { name, text } of files) await writeWhole(join(out, name), redaction.redact(text));
  print(io, { json, value: { ...trend, skipped }, text: () => writeConsole(document, consoleStyle(io)) });
  if (!json) {
    if (files.length > 0) io.stdout.write("\n");
    for (const { name } of files) io.stdout.write(`Written: ${join(outShown, name)}\n`);
  }
  return 0;
}
