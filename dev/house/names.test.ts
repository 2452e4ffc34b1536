import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { endpoints, errorCodes, keyHeaders, retryAfterHeader } from "../../schemas/api.ts";
import { literalsOf, root, type SourceFile, sources } from "./sources.ts";

// Names of the API are spelled only in schemas/api.ts, and no decision depends on the text of a message.

/** Exceptions: where a name of the API may be spelled, and why. */
const maySpell: readonly (readonly [folder: string, why: string])[] = [
  ["schemas/api.ts", "the table itself"],
  ["proof/", "faults spell names wrong on purpose"],
  ["test/", "stand-ins for services, examples of right and wrong responses, recorded requests"],
  ["dev/bench/", "raw requests, and scripts in other languages"],
];

const spelledOnce: ReadonlySet<string> = new Set(
  [
    ...Object.values(errorCodes),
    ...Object.values(keyHeaders),
    retryAfterHeader,
    ...Object.values(endpoints).flatMap(({ method, path, label }) => [path, `${method} ${path}`, label]),
  ]
    .map((name) => name.toLowerCase())
    // `/retailers` is also a place in a body, and `Retailers` an ordinary word.
    .filter((name) => name !== endpoints.retailers.path && name !== "retailers"),
);

/** Names of the API among the string literals of a source. `not_found` is also a counter of a batch. */
function spelledNames({ code }: SourceFile): string[] {
  const isCounterList = code.includes('"other_errors"');
  return literalsOf(code).filter(
    (text) => spelledOnce.has(text.toLowerCase()) && !(isCounterList && text === errorCodes[404]),
  );
}

/** Conditions on the text of a message, reason or log: `error.message.startsWith(`, `/x/.test(reason)`. */
function readsWords({ code }: SourceFile): string[] {
  const words = "(?:message|reason|stderr|note|statement|sentence|flaw|title|fix)";
  const methods = `\\b${words}\\??\\.(?:startsWith|endsWith|includes|match|matchAll|search|indexOf)\\(`;
  const tested = `/[a-z]*\\.(?:test|exec)\\([\\w.?]*\\b${words}\\)`;
  return [...code.matchAll(new RegExp(`${methods}|${tested}`, "g"))].map(([text]) => text);
}

/** Modules that may use `process`, and why. All others get environment, streams, clock and signal as parameters. */
const mayKnowProcess: readonly (readonly [path: string, why: string])[] = [
  ["scripts/cli/main.ts", "the entry"],
  ["scripts/api/index.ts", "the entry of programs that import the package"],
  ["dev/bench/", "entries of their own, which measure the process"],
  ["dev/package/", "entries of their own"],
  ["test/", "starts the command line for tests"],
  ["dev/house/check.ts", "an entry of its own"],
  ["dev/house/budget.ts", "an entry of its own"],
  ["scripts/api/suite.vitest.ts", "the entry when vitest starts the suite"],
  ["scripts/api/vitest-setup.ts", "an entry of its own"],
  ["scripts/load/supervision.ts", "only process knows the memory limit of a container"],
  ["proof/connections.ts", "only process has the turn in which a stream ends"],
  ["scripts/load/k6/child-process.ts", "ends the programs that it started when this process ends"],
];

const all = await sources();

test("names of endpoints, error codes and headers are spelled only in the table of the API", () => {
  const elsewhere = all.filter(({ path }) => !maySpell.some(([folder]) => path.startsWith(folder)));
  const found = elsewhere.flatMap((source) => spelledNames(source).map((name) => `${source.path}: ${name}`));
  expect(found, "take it from schemas/api.ts").toEqual([]);
});

test("no condition depends on the text of a sentence", () => {
  const found = all.flatMap((source) => readsWords(source).map((text) => `${source.path}: ${text}`));
  expect(found, "decide on a code or a field").toEqual([]);
});

/** File names that more than two folders use: commands and tables are named for the subject that they are about. */
const usedOften: ReadonlySet<string> = new Set([
  "batch.ts",
  "errors.ts",
  "load.ts",
  "paging.ts",
  "products.ts",
  "service.ts",
]);

/** The types that a source declares. */
async function typesOf(path: string): Promise<{ readonly name: string; readonly isExported: boolean }[]> {
  const text = await readFile(join(root, path), "utf8");
  const declarations = text.matchAll(/^(export )?(?:interface|type|class) (\w+)/gm);
  return [...declarations].map(([, exported, name = ""]) => ({ name, isExported: exported !== undefined }));
}

test("the name of an exported type has one meaning in the whole house", async () => {
  const types = (await Promise.all(all.map(({ path }) => typesOf(path)))).flat();
  const names = types.map(({ name }) => name);
  const exported = new Set(types.flatMap(({ name, isExported }) => (isExported ? [name] : [])));
  const twice = [...exported].filter((name) => names.indexOf(name) !== names.lastIndexOf(name));
  expect(twice).toEqual([]);
});

test("no file name is used three times", () => {
  const byName = Map.groupBy(all, ({ path }) => basename(path));
  const often = [...byName].flatMap(([name, files]) => (files.length > 2 ? [name] : []));
  expect(often.filter((name) => !usedOften.has(name))).toEqual([]);
});

test("only entry files use process", () => {
  const strangers = all.filter(({ path }) => !mayKnowProcess.some(([start]) => path.startsWith(start)));
  const found = strangers.filter(({ code }) => /(?<![-\w])process\.[a-z]|["']node:process["']/.test(code));
  expect(found.map(({ path }) => path)).toEqual([]);
});

test("each exception is still needed", () => {
  for (const [start, why] of mayKnowProcess) {
    const inside = all.filter(({ path }) => path.startsWith(start));
    expect(
      inside.some(({ code }) => /(?<![-\w])process\.[a-z]/.test(code)),
      `${start}: ${why}`,
    ).toBe(true);
  }
  for (const [folder, why] of maySpell) {
    const inside = all.filter(({ path }) => path.startsWith(folder));
    expect(inside.flatMap(spelledNames).length, `${folder}: ${why}`).toBeGreaterThan(0);
  }
});

test.each([
  ['if (error.message.startsWith("connect")) retry();', 1],
  ["if (/timeout/i.test(check.reason)) retry();", 1],
  ['const isGone = stderr.includes("gone");', 1],
  ['if (error.code === "ECONNREFUSED") retry();', 0],
  ['const [line] = error.message.split("\\n");', 0],
])("in %s a sentence is read %i times", (code, times) => {
  expect(readsWords({ path: "x.ts", code })).toHaveLength(times);
});
