// Prints at most ten annotations on a run, and appends its counts to the outputs of the step. Every text is one of
// shelfcheck's own: ids, levels, statements. What a service sent is not among them, since the runner executes lines
// such as `::error::`.
import { appendFileSync, readFileSync } from "node:fs";

const [file] = process.argv.slice(2);
const results = JSON.parse(readFileSync(file, "utf8"));
const failed = results.requirements.filter(({ verdict }) => verdict === "fail" || verdict === "error");
// The run of a client has none.
const load = (results.load ?? []).filter(({ verdict }) => verdict !== "pass");
const open = results.requirements.filter(({ verdict }) => verdict === "inconclusive").length;

const mostAnnotations = 10;
const annotations = [
  ...failed.map(({ id, level, statement }) => ({ title: id, text: `${level.toUpperCase()}: ${statement}` })),
  ...load.map(({ scenario, profile, verdict }) => ({
    title: `Load: ${scenario} (${profile})`,
    text: `${verdict === "invalid" ? "Invalid" : "Failed"}: see the summary of the job.`,
  })),
];
// A waiver, a difference to an earlier run, or what was not judged.
if (annotations.length === 0 && results.exitCode !== 0)
  annotations.push({ title: `shelfcheck: ${results.cause}`, text: "See the summary of the job." });
// The last one counts the rest.
const shown = annotations.length > mostAnnotations ? mostAnnotations - 1 : mostAnnotations;
for (const { title, text } of annotations.slice(0, shown))
  print(`::error title=${escaped(title).replaceAll(":", "%3A").replaceAll(",", "%2C")}::${escaped(text)}`);
const left = annotations.length - shown;
if (left > 0) print(`::notice title=shelfcheck::${left} more in the summary of the job`);

const outputs = { verdict: results.verdict, failed: failed.length + load.length, "not-judged": open };
appendFileSync(
  process.env.GITHUB_OUTPUT,
  Object.entries(outputs)
    .map(([name, value]) => `${name}=${value}\n`)
    .join(""),
);

function escaped(text) {
  return String(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
