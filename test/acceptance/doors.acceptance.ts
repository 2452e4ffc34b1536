import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { capabilities } from "../../scripts/cli/doors.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Without the folder and the line of a capability, all else compiles and runs.

const root = fileURLToPath(new URL("../..", import.meta.url));
const list = "scripts/cli/capabilities.ts";
const lines = (await readFile(join(root, list), "utf8"))
  .split("\n")
  .filter((line) => line.startsWith("export"));
/** The folders of a capability, beside the one in scripts. */
const beside: Readonly<Record<string, readonly string[]>> = { client: ["clients/"], proof: ["proof/"] };
const foldersOf = (name: string) => [`scripts/${name}/`, ...(beside[name] ?? [])];

/** Command lines of the core that need no service of others. */
const commandLines = [
  ["--help"],
  ["conformance", "--plan"],
  ["gate", "--plan", "--target", "embedded"],
  ["load", "--print", "--target", "embedded"],
  ["doctor", "--target", "embedded"],
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

test.each(capabilities)(
  "without $name the rest compiles, and the commands of the core run",
  { tags: ["ci"] },
  async ({ name }) => {
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
  },
);
