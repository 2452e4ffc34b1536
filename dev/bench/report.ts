import { createReadStream } from "node:fs";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { profiles } from "../../scenarios/profiles.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import { reportOf } from "../../scripts/core/report-of.ts";
import { createRecording, seriesPeriodSeconds } from "../../scripts/load/recording.ts";
import type { Report } from "../../scripts/report/model.ts";
import { type FormatName, formats } from "../../scripts/report/writers/write.ts";
import { findChromium, startChromium } from "../../test/support/chromium.ts";
import { manyFindings, sampleLoad, sampleResults } from "../../test/support/samples/sample.ts";
import { type Bench, type BenchIo, held } from "./bench.ts";

const findings = 1000;
const rounds = 3;
const mostMilliseconds = 2000;
const mostBytes = 10_000_000;
const mostPageBytes = 5_000_000;
const mostFilterMilliseconds = 100;
const searches = ["got 477", "number 121", "generated", "no such words", ""];

/**
 * Time and CPU of each report of a run with 1,000 findings and an hour of load, the best of three; how long the filter of
 * the HTML report takes in Chromium, style and layout included; and the same reports of an hour and of a day of load, from
 * the time series that k6 records. Exit code 1 when a limit is missed.
 */
export const reportBench: Bench = {
  summary: "time and size of the reports of 1,000 findings, of an hour and of a day of load",
  async run({ stdout, env, folder }) {
    stdout.write(`${findings} findings\n`);
    const found = manyFindings(findings);
    const isHeld = [await benchFormats(reportOf(found), { stdout, folder })];
    stdout.write(`results.json ${megabytes(jsonBytes(found))}\n`);
    isHeld.push(await benchFilter(join(folder, formats.html.fileName), { stdout, env }));
    for (const [length, hours] of [
      ["an hour", 1],
      ["a day", 24],
    ] as const) {
      stdout.write(`\n${length} of load\n`);
      isHeld.push(await benchLoadRun(hours * 3600, { stdout, folder }));
    }
    return isHeld.every(Boolean) ? 0 : 1;
  },
};

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

const jsonBytes = (results: Results): number => Buffer.byteLength(JSON.stringify(results, undefined, 2));

type Work = Pick<BenchIo, "stdout" | "folder">;

/** Renders each report a few times and writes it to the folder; whether the page is within its limits. */
async function benchFormats(report: Report, { stdout, folder }: Work): Promise<boolean> {
  let isHeld = true;
  for (const name of Object.keys(formats) as FormatName[]) {
    const { fileName, write } = formats[name];
    let [best, bestCpu, text] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, ""];
    for (let round = 0; round < rounds; round++) {
      const [start, cpu] = [performance.now(), process.cpuUsage()];
      text = await write(report);
      best = Math.min(best, performance.now() - start);
      const { user, system } = process.cpuUsage(cpu);
      bestCpu = Math.min(bestCpu, (user + system) / 1000);
    }
    const bytes = Buffer.byteLength(text);
    stdout.write(
      `${name.padEnd(9)} ${best.toFixed(0).padStart(5)} ms, CPU ${bestCpu.toFixed(0).padStart(5)} ms, ${megabytes(bytes)}\n`,
    );
    if (name === "html") {
      const inTime = held(stdout, `page made in ${mostMilliseconds} ms`, best <= mostMilliseconds);
      isHeld = held(stdout, `page of at most ${megabytes(mostPageBytes)}`, bytes <= mostPageBytes) && inTime;
    }
    await writeFile(join(folder, fileName), text);
  }
  return isHeld;
}

/** The same for a load run of some seconds, with the time series that k6 records of it. */
async function benchLoadRun(seconds: number, { stdout, folder }: Work): Promise<boolean> {
  const file = join(folder, "time-series.ndjson");
  await writeFile(file, recordedLines(seconds));
  const { size } = await stat(file);
  const periodSeconds = seriesPeriodSeconds(seconds);
  const startedAt = performance.now();
  const recording = createRecording({ scenario: "lookup", profile: profiles.soak }, periodSeconds);
  for await (const line of createInterface({ input: createReadStream(file) })) recording.take(line);
  const series = recording.series();
  const milliseconds = performance.now() - startedAt;
  if (series === undefined) throw new Error("the time series of the benchmark cannot be read");
  const results = sampleResults({ load: [{ ...sampleLoad(), series, seconds }] });
  const bytes = jsonBytes(results);
  stdout.write(
    `time series ${megabytes(size)} read in ${milliseconds.toFixed(0)} ms, ${series.seconds.length} periods of ${series.periodSeconds} s; results.json ${megabytes(bytes)}\n`,
  );
  const isSmall = held(
    stdout,
    `time series and results.json of at most ${megabytes(mostBytes)}`,
    Math.max(size, bytes) <= mostBytes,
  );
  return (await benchFormats(reportOf(results), { stdout, folder })) && isSmall;
}

/** More metrics than k6 records of a run of the mixed scenario. */
const trends = Array.from({ length: 60 }, (_, place) => `http_req_duration{status:${200 + place}}`);

/** The lines of k6's dashboard for a run of some seconds: one of the period and one of the run so far for each period. */
function recordedLines(seconds: number): string {
  const period = seriesPeriodSeconds(seconds);
  const start = Date.UTC(2026, 0, 1);
  const line = (event: string, data: unknown) => JSON.stringify({ event, data });
  const names = [...trends, "http_req_failed", "http_reqs", "time", "vus"];
  const lines = [
    line("metric", { time: {} }),
    line("start", [[start]]),
    line("metric", Object.fromEntries(names.map((name) => [name, {}]))),
  ];
  for (let second = period; second <= seconds; second += period) {
    const latency = 10 + 3 * Math.sin(second / 240);
    const statistics = [1.1, 9, 1, 0.1, 2, 3, 4].map((times) => latency * times);
    const rest = [[0.001], [40 * period, 40], [start + second * 1000], [20]];
    const values = [...trends.map(() => statistics), ...rest];
    lines.push(line("cumulative", values), line("snapshot", values));
  }
  return `${lines.join("\n")}\n`;
}

/** Whether the first search, before anything is cached, is fast enough. */
async function benchFilter(file: string, { stdout, env }: Pick<BenchIo, "stdout" | "env">): Promise<boolean> {
  const executable = await findChromium(env);
  if (executable === undefined) {
    stdout.write("No Chromium found: install one or set CHROMIUM_BIN to time the page's filter.\n");
    return false;
  }
  const browser = await startChromium(executable);
  let first: number | undefined;
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(pathToFileURL(file).href);
    for (const search of [...searches, ...searches]) {
      // As text, because the types of this folder have no DOM.
      const milliseconds = await page.evaluate(`
        (() => {
          const search = document.querySelector("input[type=search]");
          const start = performance.now();
          search.value = ${JSON.stringify(search)};
          search.dispatchEvent(new Event("input", { bubbles: true }));
          document.body.getBoundingClientRect();
          return performance.now() - start;
        })()`);
      first ??= Number(milliseconds);
      const found = await page.locator("output").innerText();
      stdout.write(
        `filter ${JSON.stringify(search).padEnd(16)} ${Number(milliseconds).toFixed(0).padStart(4)} ms: ${found}\n`,
      );
    }
    return held(
      stdout,
      `first filter within ${mostFilterMilliseconds} ms`,
      first !== undefined && first <= mostFilterMilliseconds,
    );
  } finally {
    await browser.close();
  }
}
