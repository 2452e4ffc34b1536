import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";
import { importsOf, sourcePaths } from "./sources.ts";

// Imports go one way, between files (biome.json: noImportCycles) and between folders.

/** What each room may import beside itself. Only the product is listed: `test` and `dev` may import everything. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  schemas: [],
  conformance: ["schemas"],
  scenarios: ["schemas"],
  service: ["schemas"],
  clients: ["schemas", "conformance", "service"],
  proof: ["schemas", "conformance", "service"],
  scripts: ["schemas", "conformance", "scenarios", "service", "clients", "proof"],
};

interface Import {
  readonly from: string;
  readonly to: string;
}

const roomOf = (path: string): string => path.split("/", 1)[0] ?? "";

/** Imports of the product against the direction, as `room -> room`, with the files. */
function againstDirection(imports: readonly Import[]): string[] {
  return imports
    .filter(({ from, to }) => {
      const allowed = mayImport[roomOf(from)];
      return (
        allowed !== undefined &&
        to.includes("/") &&
        roomOf(from) !== roomOf(to) &&
        !allowed.includes(roomOf(to))
      );
    })
    .map(({ from, to }) => `${roomOf(from)} -> ${roomOf(to)}: ${from} imports ${to}`);
}

/** Folders that import each other, each pair once. */
function folderPairs(imports: readonly Import[]): string[] {
  const arrows = new Set(imports.map(({ from, to }) => `${dirname(from)} ${dirname(to)}`));
  return [...arrows]
    .map((arrow) => arrow.split(" "))
    .filter(([from = "", to = ""]) => from < to && arrows.has(`${to} ${from}`))
    .map(([from, to]) => `${from} <-> ${to}`)
    .toSorted();
}

/** Imports between the sources in git that are no tests; tests may import helpers and what they compare. */
async function allImports(): Promise<Import[]> {
  const found = (await sourcePaths()).map(async (from) => {
    const specifiers = (await importsOf(from)).filter((specifier) => specifier.startsWith("."));
    return specifiers.map((specifier) => ({ from, to: normalize(join(dirname(from), specifier)) }));
  });
  return (await Promise.all(found)).flat();
}

const imports = await allImports();

test("imports go from the top to the bottom, and no product file imports test or dev", () => {
  expect(againstDirection(imports)).toEqual([]);
});

test("no two folders import each other", () => {
  expect(folderPairs(imports)).toEqual([]);
});

describe("the rule", () => {
  test("refuses imports against the direction", () => {
    const refused = [
      { from: "conformance/b.ts", to: "service/start.ts" },
      { from: "scripts/runs/e.ts", to: "test/support/command.ts" },
      { from: "proof/f.ts", to: "dev/bench/main.ts" },
    ];
    const allowed = [
      { from: "scripts/g.ts", to: "service/start.ts" },
      { from: "test/support/h.ts", to: "scripts/errors.ts" },
    ];
    expect(againstDirection([...refused, ...allowed])).toHaveLength(refused.length);
  });

  test("finds folders that import each other", () => {
    const there = { from: "a/x.ts", to: "b/y.ts" };
    expect(folderPairs([there])).toEqual([]);
    expect(folderPairs([there, { from: "b/z.ts", to: "a/x.ts" }])).toEqual(["a <-> b"]);
  });

  test("reads every form of an import", async () => {
    expect(await importsOf("dev/house/sources.ts")).toContain("node:path");
  });
});
