import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import { fileProblem } from "./errors.ts";
import { makeFolder, writeWhole } from "./files.ts";

// Disks that are full or read-only, folders that cannot be there: rows of test/acceptance/machine.acceptance.ts.

const root = await temporaryFolder("files");

test("a folder is created with its parents; an existing one is kept", async () => {
  const deep = join(root, "a", "b", "c");
  await makeFolder(deep);
  await writeFile(join(deep, "kept"), "");
  await makeFolder(deep);
  expect(await readdir(deep)).toEqual(["kept"]);
});

test("two runs that make their folders at once do not disturb each other", async () => {
  for (let round = 0; round < 50; round++) {
    const above = join(root, "at-once", String(round));
    const names = Array.from({ length: 8 }, (_, place) => String(place));
    await Promise.all(
      names.map(async (name, place) => {
        for (let turn = 0; turn < place; turn++) await setImmediate();
        await makeFolder(join(above, "reports", name));
      }),
    );
    expect((await readdir(join(above, "reports"))).toSorted()).toEqual(names);
  }
});

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
