import { missing } from "../../support/gateway-programs.ts";
import { mistakesIn, runRow } from "../row.ts";
import { correctConfigurations } from "./correct.ts";
import { rowsOf } from "./row-of.ts";
import { wrongConfigurations } from "./wrong.ts";

// Runs all configurations, or those whose names match, one command at a time, and prints a table of what each command said:
// node test/acceptance/gateways/table.ts [NAME]

const pattern = new RegExp(process.argv[2] ?? "", "i");
const { signal } = new AbortController();

const lines: string[] = [];
for (const [kind, configurations] of Object.entries({
  correct: correctConfigurations,
  wrong: wrongConfigurations,
})) {
  for (const configuration of configurations) {
    for (const row of rowsOf(configuration)) {
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
      const mistakes = mistakesIn(outcome, row.expect);
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

/** What a command said first: a failure, a problem, or its last line. */
function firstFinding(output: string): string {
  const lines = output.split("\n").map((line) => line.trim());
  const first = lines.find((line) => /^(FAILED|problem)/.test(line)) ?? lines.findLast((line) => line !== "");
  return (first ?? "").replaceAll("|", "/").slice(0, 200);
}
