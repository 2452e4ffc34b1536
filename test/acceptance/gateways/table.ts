import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { missing } from "../../support/gateway-programs.ts";
import { type AcceptanceRow, mistakesIn, runRow } from "../row.ts";
import { correctConfigurations } from "./correct.ts";
import { rowsOf } from "./row-of.ts";
import { wrongConfigurations } from "./wrong.ts";

// Runs all configurations, or those whose names match, one command at a time, and prints a table of what each command said:
// node test/acceptance/gateways/table.ts [NAME] [--without-names]
// With --without-names, commands know no text and no header of gateways, and exit codes that are not those of README.md are errors.

const { positionals, values } = parseArgs({
  options: { "without-names": { type: "boolean", default: false } },
  allowPositionals: true,
});
const pattern = new RegExp(positionals[0] ?? "", "i");
const withoutNames = values["without-names"];
const env = withoutNames
  ? { NODE_OPTIONS: `--import=${new URL("without-names.ts", import.meta.url)}` }
  : undefined;
const measured = readFileSync(new URL("README.md", import.meta.url), "utf8");
const { signal } = new AbortController();

const lines: string[] = [];
for (const [kind, configurations] of Object.entries({
  correct: correctConfigurations,
  wrong: wrongConfigurations,
})) {
  for (const configuration of configurations) {
    for (const row of rowsOf(configuration, env)) {
      if (!pattern.test(`${kind} ${row.command}: ${row.target}`)) continue;
      const absent = configuration.needs.map(missing).find((one) => one !== undefined);
      if (absent !== undefined) {
        lines.push(`| ${kind} | ${row.target} | ${row.command} | skipped: ${absent} | | | |`);
        continue;
      }
      const outcome = await runRow(row, signal).catch((error: unknown) => String(error));
      if (typeof outcome === "string") {
        process.stdout.write(
          `| ${kind} | ${row.target} | ${row.command} | did not start: ${outcome.slice(0, 2000)} |\n`,
        );
        continue;
      }
      const mistakes = withoutNames
        ? otherExit(row, `| ${kind} | ${row.target} | ${row.command} | `, outcome.exit)
        : mistakesIn(outcome, row.expect);
      if (process.env.SHOW !== undefined) process.stdout.write(`${outcome.stdout}\n${outcome.stderr}\n`);
      const cells = [
        kind,
        row.target,
        row.command,
        outcome.exit,
        outcome.seconds.toFixed(0),
        firstFinding(outcome.stdout),
        mistakes.length === 0 ? "" : `EXPECTED ${mistakes.join("; ")}`,
      ];
      process.stdout.write(`| ${cells.join(" | ")} |\n`);
    }
  }
}
process.stdout.write(lines.join("\n"));

/** The difference to the exit code in README.md, or to the expected ones if the row is not there. */
function otherExit({ expect }: AcceptanceRow, start: string, exit: number | string): string[] {
  const line = measured.split("\n").find((one) => one.startsWith(start));
  const before = line === undefined ? expect.exit.join(" or ") : line.slice(start.length).split(" |")[0];
  return before?.split(" or ").includes(`${exit}`) === true ? [] : [`exit ${before}, as with names`];
}

/** What a command said first: a failure, a problem, or its last line. */
function firstFinding(output: string): string {
  const lines = output.split("\n").map((line) => line.trim());
  const failed = lines.findIndex((line) => /^(FAILED|problem)/.test(line));
  const first =
    failed >= 0 ? lines.slice(failed, failed + 2).join(": ") : lines.findLast((line) => line !== "");
  return (first ?? "").replaceAll("|", "/").slice(0, 200);
}
