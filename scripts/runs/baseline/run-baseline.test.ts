import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Baseline } from "../../../schemas/contracts/baseline.ts";
import { exampleResults } from "../../../test/support/samples/example.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { contractOf } from "../../earlier/drift.ts";
import { readRecorded } from "./run-baseline.ts";

const folder = await temporaryFolder("recorded");

const recorded: Baseline = {
  schemaVersion: 5,
  target: "staging",
  recordedAt: "2026-11-21T08:00:00.000Z",
  since: "2026-11-21T08:00:00.000Z",
  failing: [],
  contract: contractOf(exampleResults()),
};

async function fileWith(content: unknown) {
  const path = join(folder, "production.json");
  await writeFile(path, JSON.stringify(content));
  return { path, shown: "shelfcheck-baseline/production.json" };
}

test("reads the contract of a target; undefined without a file", async () => {
  expect(await readRecorded(await fileWith(recorded), "staging")).toEqual(recorded);
  const none = { path: join(folder, "none.json"), shown: "none.json" };
  expect(await readRecorded(none, "staging")).toBeUndefined();
});

test("rejects the contract of another target", async () => {
  await expect(readRecorded(await fileWith(recorded), "production")).rejects.toMatchObject({
    what: 'The recorded baseline belongs to the target "staging"',
    where: "shelfcheck-baseline/production.json",
    exitCode: 2,
  });
});

test.each([
  ["an older", 4, "Remove the file, run again and accept that run: npx shelfcheck baseline accept RUN."],
  ["a newer", 6, "Update shelfcheck, or use the version that wrote the file."],
])("rejects a baseline of %s version, and says what to do", async (age, schemaVersion, fix) => {
  await expect(readRecorded(await fileWith({ ...recorded, schemaVersion }), "staging")).rejects.toMatchObject(
    {
      what: `The recorded baseline is from ${age} shelfcheck (schemaVersion ${schemaVersion}; this version reads 5)`,
      fix,
    },
  );
});

test("names the place that does not fit the schema", async () => {
  const contract = { ...recorded.contract, retailers: "all" };
  await expect(readRecorded(await fileWith({ ...recorded, contract }), "staging")).rejects.toThrow(
    "/contract/retailers",
  );
});
