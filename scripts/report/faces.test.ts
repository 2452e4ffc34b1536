import { describe, expect, test } from "vitest";
import type { Results } from "../../schemas/contracts/results.ts";
import { pageText } from "../../test/support/samples/page-text.ts";
import { conformantRun, incompleteRun, loadRun, partialRun } from "../../test/support/samples/runs.ts";
import { sampleLoad, sampleResults } from "../../test/support/samples/sample.ts";
import { twelveFailures } from "../../test/support/samples/twelve.ts";
import { reportOf } from "../core/report-of.ts";
import { plainStyle } from "./terminal.ts";
import { writeConsole } from "./writers/console.ts";
import { formatNames, formats } from "./writers/write.ts";

// Every format of runs of the core, whole, so that a change of what people read shows as a difference. Update with `vitest run -u`.

const runs: Readonly<Record<string, Results>> = {
  "one-failure": sampleResults({ load: [sampleLoad()] }),
  "twelve-failures": twelveFailures(),
  load: loadRun(),
  conformant: conformantRun(),
  incomplete: incompleteRun(),
  partial: partialRun(),
};

describe.each(Object.entries(runs))("the run %s", (name, results) => {
  const report = reportOf(results, "2026-11-21T08-00-00-000Z-gate-abcdef");

  test.each([80, 120])("on a console of %i columns", async (width) => {
    const text = writeConsole(report, { resultsFile: "reports/a/results.json", style: plainStyle(width) });
    await expect(text).toMatchFileSnapshot(`faces/${name}.console-${width}.txt`);
  });

  test.each(formatNames)("as %s", async (format) => {
    const text = await formats[format].write(report);
    const shown = format === "html" ? pageText(text) : text;
    await expect(shown).toMatchFileSnapshot(`faces/${name}.${format}.txt`);
  });
});
