import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import { fileProblem } from "./errors.ts";
import { writeWhole } from "./files.ts";

// Disks that are full or read-only: rows of test/acceptance/machine.acceptance.ts.

const root = await temporaryFolder("files");

test("a failed write keeps the old file, and leaves no temporary file", async () => {
  const file = join(root, "whole");
  await writeWhole(file, "first");
  const elsewhere = join(root, "none", "whole");
  await expect(writeWhole(elsewhere, "second")).rejects.toMatchObject({ code: "ENOENT", path: elsewhere });
  await writeWhole(file, "second");
  expect(await readFile(file, "utf8")).toBe("second");
  expect((await readdir(root)).filter((name) => name.startsWith("."))).toEqual([]);
});

test("other errors are not explained", () => {
  expect(fileProblem(new TypeError("ENOSPC"))).toBeUndefined();
  expect(fileProblem(Object.assign(new Error("x"), { code: "ENOSPC" }))).toBeUndefined();
});
