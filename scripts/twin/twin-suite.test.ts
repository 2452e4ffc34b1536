import { expect, test } from "vitest";
import { twinRun } from "../../test/support/samples/runs.ts";
import { reportOf } from "../core/report-of.ts";
import { plainStyle } from "../report/terminal.ts";
import { writeConsole } from "../report/writers/console.ts";
import { writeJunit } from "../report/writers/junit.ts";
import { writeMarkdown } from "../report/writers/markdown.ts";

const report = reportOf(twinRun(), "2026-11-21T08-00-00-000Z-twin-abcdef");

// What people read of two deployments, whole, so that a change shows as a difference. Update with `vitest run -u`.
test.each([
  ["console", writeConsole(report, { style: plainStyle(100) })],
  ["markdown", writeMarkdown(report)],
  ["junit", writeJunit(report)],
])("two deployments as %s", async (name, text) => {
  await expect(text).toMatchFileSnapshot(`faces/twin.${name}.txt`);
});
