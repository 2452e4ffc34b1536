import { join } from "node:path";
import type { ExitCode } from "../../errors.ts";
import { writeWhole } from "../../files.ts";
import type { Io } from "../../io.ts";
import { historyReport } from "../../report/history.ts";
import { renderHistory } from "../../report/history-console.ts";
import { renderHistoryMarkdown } from "../../report/history-markdown.ts";
import { renderHistoryPage } from "../../report/history-page.ts";
import { consoleStyle } from "../../report/terminal.ts";
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
  const report = historyReport(trend, runs);
  const files = [
    ...(html ? [{ name: "history.html", text: await renderHistoryPage(report) }] : []),
    ...(markdown ? [{ name: "history.md", text: renderHistoryMarkdown(report) }] : []),
  ];
  for (const { name, text } of files) await writeWhole(join(out, name), redaction.redact(text));
  print(io, { json, value: { ...trend, skipped }, text: () => renderHistory(report, consoleStyle(io)) });
  if (!json) {
    if (files.length > 0) io.stdout.write("\n");
    for (const { name } of files) io.stdout.write(`Written: ${join(outShown, name)}\n`);
  }
  return 0;
}
