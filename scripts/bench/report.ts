import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type FormatName, formats } from "../report/formats.ts";
import { reportOf } from "../report/model.ts";
import { findChromium, startChromium } from "../report/testing/chromium.ts";
import { manyFindings } from "../report/testing/sample.ts";
import { type Bench, type BenchIo, held } from "./bench.ts";

const findings = 5000;
const rounds = 3;
const mostMilliseconds = 2000;
const mostBytes = 10_000_000;
const mostFilterMilliseconds = 100;
const searches = ["got 477", "number 4321", "generated", "no such words", ""];

/**
 * Time and CPU of each report of a run with 5,000 findings and an hour of load, the best of three, and how long the filter
 * of the HTML report takes in Chromium, style and layout included. Exit code 1 when the page misses one of its limits.
 */
export const reportBench: Bench = {
  summary: "time of each report of 5,000 findings, and of the filter in its page",
  run: benchReport,
};

async function benchReport({ stdout, env }: BenchIo): Promise<number> {
  const results = manyFindings(findings);
  const report = reportOf(results);
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
  stdout.write(
    `${findings} findings, results.json ${megabytes(Buffer.byteLength(JSON.stringify(results)))}\n`,
  );
  const folder = await mkdtemp(join(tmpdir(), "shelfcheck-bench-report-"));
  let isHeld = true;
  try {
    for (const name of Object.keys(formats) as FormatName[]) {
      const { fileName, render } = formats[name];
      let [best, bestCpu, text] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, ""];
      for (let round = 0; round < rounds; round++) {
        const [start, cpu] = [performance.now(), process.cpuUsage()];
        text = await render(report);
        best = Math.min(best, performance.now() - start);
        const { user, system } = process.cpuUsage(cpu);
        bestCpu = Math.min(bestCpu, (user + system) / 1000);
      }
      const size = megabytes(Buffer.byteLength(text));
      stdout.write(
        `${name.padEnd(9)} ${best.toFixed(0).padStart(5)} ms, CPU ${bestCpu.toFixed(0).padStart(5)} ms, ${size}\n`,
      );
      if (name === "html") {
        const inTime = held(stdout, `page made in ${mostMilliseconds} ms`, best <= mostMilliseconds);
        const bytes = Buffer.byteLength(text);
        isHeld = held(stdout, `page of at most ${megabytes(mostBytes)}`, bytes <= mostBytes) && inTime;
      }
      await writeFile(join(folder, fileName), text);
    }
    const filter = await benchFilter(join(folder, formats.html.fileName), { stdout, env });
    return filter && isHeld ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
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
