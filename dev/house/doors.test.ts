import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { capabilities } from "../../scripts/cli/doors.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { importsOf, literalsOf, root, sources } from "./sources.ts";

// Each capability is one folder and one line: without them, all else compiles and runs, and knows nothing of it.

const list = "scripts/cli/capabilities.ts";
/** The folders of a capability, beside the one in scripts. */
const beside: Readonly<Record<string, readonly string[]>> = { client: ["clients/"], proof: ["proof/"] };
const foldersOf = (name: string) => [`scripts/${name}/`, ...(beside[name] ?? [])];

const all = (await sources()).filter(({ path }) => !/^(?:test|dev)\//.test(path));
const lines = (await readFile(join(root, list), "utf8"))
  .split("\n")
  .filter((line) => line.startsWith("export"));
const names = lines.map((line) => /\{ (\w+) \}/.exec(line)?.[1] ?? line);

test("there are five, each with its folder", () => {
  expect(names).toEqual(["client", "cluster", "earlier", "proof", "twin"]);
  expect(capabilities.map(({ name }) => name)).toEqual(names);
});

/** Advice on what earlier versions had. */
const mayName = "scripts/removed.ts";
/** A request without a key, for the core; a request of a client that sent none, for `client`. */
const meansBoth = "no-key";

describe.each(capabilities)("nothing outside of $name", ({ name, words = {}, causes = {} }) => {
  const isInside = (path: string) => foldersOf(name).some((folder) => path.startsWith(folder));
  const outside = all.filter(({ path }) => !isInside(path) && path !== mayName);
  const flagsIn = (code: string) => [...code.matchAll(/ption\(\s*"(--[\w-]+)/g)].map(([, flag = ""]) => flag);

  test("imports it", async () => {
    const strangers = outside.filter(({ path }) => path !== list);
    const found = strangers.map(async ({ path }) => {
      const imported = (await importsOf(path)).map((to) => join(dirname(path), to));
      return imported.some(isInside) ? [path] : [];
    });
    expect((await Promise.all(found)).flat()).toEqual([]);
  });

  test("holds its codes, causes or flags", () => {
    const shared = new Set(outside.flatMap(({ code }) => flagsIn(code)));
    const flags = all.filter(({ path }) => isInside(path)).flatMap(({ code }) => flagsIn(code));
    const own = flags.filter((flag) => !shared.has(flag));
    const ids = new Set([...Object.keys(words), ...Object.keys(causes)]);
    const found = outside.flatMap(({ path, code }) =>
      literalsOf(code).flatMap((text) => {
        const isHeld =
          (ids.has(text) && text !== meansBoth) || own.some((flag) => text.split(/[\s=]/).includes(flag));
        return isHeld ? [`${path}: ${text}`] : [];
      }),
    );
    expect(found).toEqual([]);
  });
});

/** Command lines of the core that need no service of others. */
const commandLines = [
  ["--help"],
  ["conformance", "--plan"],
  ["gate", "--plan", "--target", "embedded"],
  ["load", "--print", "--target", "embedded"],
  ["doctor", "--plan", "--target", "embedded"],
  ["explain", "limits"],
  ["conformance", "--target", "embedded", "--only", "versioning"],
  ["report", "latest"],
];

const tree = await temporaryFolder("doors");
const rooms = ["ci", "schemas", "conformance", "scenarios", "service", "clients", "proof", "scripts"];
for (const room of rooms)
  await cp(join(root, room), join(tree, room), {
    recursive: true,
    filter: (path) => !path.endsWith(".test.ts"),
  });
for (const file of ["package.json", "tsconfig.json"]) await cp(join(root, file), join(tree, file));
await symlink(join(root, "node_modules"), join(tree, "node_modules"));
const exec = promisify(execFile);

test.each(names)("without %s the rest compiles, and the commands of the core run", async (name) => {
  const aside = join(tree, "aside");
  for (const folder of foldersOf(name)) {
    await mkdir(dirname(join(aside, folder)), { recursive: true });
    await rename(join(tree, folder), join(aside, folder));
  }
  await writeFile(join(tree, list), lines.filter((line) => !line.includes(`{ ${name} }`)).join("\n"));
  try {
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    // As in check.ts, for less CPU.
    const quick = { cwd: tree, env: { ...process.env, GOGC: "off" } };
    const compiled = exec(process.execPath, [tsc, "-p", ".", "--checkers", "1"], quick);
    const { stdout } = await compiled.catch((error: { stdout: string }) => error);
    expect(stdout).toBe("");
    const source = `
      import { main } from "./scripts/cli/main.ts";
      for (const argv of ${JSON.stringify(commandLines)}) {
        let text = "";
        const output = { write: (more) => (text += more) };
        const io = { env: {}, cwd: ${JSON.stringify(tree)}, nodeVersion: process.versions.node, stdout: output, stderr: output };
        const code = await main(argv, { ...io, now: () => new Date(), signal: new AbortController().signal });
        if (code !== 0) console.log(argv.join(" "), code, text);
      }`;
    const ran = await exec(process.execPath, ["--input-type=module", "--eval", source], { cwd: tree });
    expect(ran.stdout).toBe("");
  } finally {
    for (const folder of foldersOf(name)) await rename(join(aside, folder), join(tree, folder));
  }
});
