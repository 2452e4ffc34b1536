import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

// After `npm test`: lines by folder beside the most that each may have. It fails nothing.

type Count = (text: string) => number;

const { stdout } = spawnSync("git", ["ls-files", "-z"], { encoding: "utf8" });
const tracked = (stdout ?? "").split("\0").filter((path) => path !== "" && existsSync(path));
const lines: Count = (text) => text.split("\n").length - 1;
const words: Count = (text) => text.split(/\s+/).filter((word) => word !== "").length;
const wideLines: Count = (text) => text.split("\n").filter((line) => Buffer.byteLength(line) > 110).length;
const isSource = (path: string) => path.endsWith(".ts") && !path.endsWith(".test.ts");

function sum(count: Count, isCounted: (path: string) => boolean): number {
  return tracked.filter(isCounted).reduce((all, path) => all + count(readFileSync(path, "utf8")), 0);
}

function linesIn(folder: string): number {
  return sum(lines, (path) => path.startsWith(folder) && isSource(path));
}

const product = {
  "schemas/": 5000,
  "conformance/": 11_000,
  "scenarios/": 3900,
  "service/": 2300,
  "clients/": 1500,
  "proof/": 4800,
  "scripts/": 13_500,
};
const folders = Object.keys(product);
const isProduct = (path: string) => isSource(path) && folders.some((folder) => path.startsWith(folder));
const others: readonly (readonly [name: string, count: number, most: number])[] = [
  ["product", sum(lines, isProduct), 42_000],
  ["  files", sum(() => 1, isProduct), 300],
  ["  scripts/report/", linesIn("scripts/report/"), 3900],
  ["  scripts/load/", linesIn("scripts/load/"), 2700],
  ["*.test.ts", sum(lines, (path) => path.endsWith(".test.ts")), 20_000],
  ["test/", linesIn("test/"), 5400],
  ["dev/", linesIn("dev/"), 1600],
  ["style sheets", sum(lines, (path) => path.endsWith(".css")), 500],
  ["lines over 110 wide", sum(wideLines, (path) => path.endsWith(".ts")), 1100],
  ["other code", sum(lines, (path) => /^(?!test\/).*\.(sh|mjs|cjs|js|py)$/.test(path)), 600],
  ["words of documents", sum(words, (path) => path.endsWith(".md")), 15_000],
];
const rows = [
  ...Object.entries(product).map(([name, most]) => [name, linesIn(name), most] as const),
  ...others,
];
for (const [name, count, most] of [["folder", "lines", "budget"] as const, ...rows])
  process.stdout.write(`${name.padEnd(20)}${String(count).padStart(7)}${String(most).padStart(8)}\n`);
