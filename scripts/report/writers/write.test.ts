import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { redactionFor } from "../../../conformance/client/redaction.ts";
import type { Results } from "../../../schemas/contracts/results.ts";
import { exampleRequirement, exampleResults } from "../../../test/support/samples/example.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { reportOf } from "../../core/added.ts";
import { makeRunFolder, writeResults } from "../../runs/write-run.ts";
import { type Formats, formats, writeReports } from "./write.ts";

const out = await temporaryFolder("reports");

const table: Formats = {
  ...formats,
  html: {
    ...formats.html,
    write: () => {
      throw new Error("no such colour");
    },
  },
};

async function write(change: Partial<Results>, formatsToWrite?: Formats) {
  const folder = await makeRunFolder(out, "gate", new Date());
  const redaction = redactionFor({ keys: {} });
  const options = { out, folder, run: "latest", redaction };
  const written = await writeResults(
    (problem) => exampleResults({ ...change, problem }),
    formatsToWrite === undefined ? options : { ...options, table: formatsToWrite },
  );
  const read = (file: string) => readFile(join(folder.path, file), "utf8");
  return { written, read, files: (await readdir(folder.path)).sort() };
}

test("each format is a file beside results.json", async () => {
  const { files } = await write({});
  expect(files).toEqual(["junit.xml", "report.html", "results.json", "summary.md"]);
});

test("a report that fails is an error of shelfcheck, stated in the others; the results are written", async () => {
  const { written, read, files } = await write({}, table);
  expect(written).toMatchObject({ verdict: "error", exitCode: 3 });
  expect(written.problem).toMatchObject({
    what: expect.stringMatching(/error: no such colour$/),
    where: expect.stringMatching(/report\.html$/),
  });
  expect(JSON.parse(await read("results.json"))).toEqual(written);
  expect(files).toEqual(["junit.xml", "results.json", "summary.md"]);
  for (const file of ["junit.xml", "summary.md"]) {
    expect(await read(file)).toContain("no such colour");
  }
});

test("a failure stays the verdict, even if reports fail", async () => {
  const { written } = await write({ requirements: [exampleRequirement({ verdict: "fail" })] }, table);
  expect(written).toMatchObject({ verdict: "violations", exitCode: 1 });
  expect(written.problem?.what).toContain("The results could not be written completely");
  expect(written.problem?.fix).toContain("npx shelfcheck report latest writes");
});

test("a key in a rendered report is redacted", async () => {
  const folder = await makeRunFolder(out, "gate", new Date());
  const leaky = { ...table, junit: { ...formats.junit, write: () => "<a>canary-key</a>" } };
  const { redact } = redactionFor({ keys: { primary: "canary-key" } });
  const place = { folder: folder.path, redact, table: leaky } as const;
  await writeReports(reportOf(exampleResults()), place);
  expect(await readFile(join(folder.path, "junit.xml"), "utf8")).toBe("<a>$SHELFCHECK_API_KEY</a>");
});
