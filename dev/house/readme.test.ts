import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { commandNames } from "../../scripts/cli/main.ts";
import { formats } from "../../scripts/report/writers/write.ts";
import { startService } from "../../service/start.ts";
import { environmentFor, runCommand, runHere, serveHere } from "../../test/support/command.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const pages = [
  "README.md",
  "reports/README.md",
  ...(await readdir(join(root, "docs"))).filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`),
];
const texts = await Promise.all(pages.map((page) => readFile(join(root, page), "utf8")));
const ci = await readFile(join(root, ".ci/run"), "utf8");

function blocks(language: string): string[] {
  const fenced = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms");
  return texts.flatMap((page) => [...page.matchAll(fenced)].map(([, text = ""]) => text));
}

const commands = blocks("sh").flatMap((block) => block.split("\n").filter((line) => line !== ""));
const runByCi = commands.filter((command) => ci.includes(`run '${command}'`));
const ownCommands = commands.filter((command) => !runByCi.includes(command));
/** Commands that take long say what they would do; `npm run test:package` runs them. */
const quickly: Readonly<Record<string, string>> = {
  conformance: "--plan",
  gate: "--plan",
  load: "--print",
  proof: "--help",
  client: "--help",
};

const folder = await temporaryFolder("readme");
const service = await startService({ products: 60, rate: 1000, burst: 1000 });
afterAll(() => service.stop());
const env = environmentFor(service);
const { baseUrl, categories } = service;
const config = { defaultTarget: "own", targets: { own: { baseUrl, categories } } };
await writeFile(join(folder, "shelfcheck.config.ts"), `export default ${JSON.stringify(config)};`);

/** The arguments of `npx shelfcheck ARGUMENTS`, none of which a shell would change. */
function argumentsOf(command: string): string[] {
  const [, words] = /^npx shelfcheck ([\w .:=/-]+)$/.exec(command) ?? [];
  if (words === undefined) throw new Error(`not in the form that this test can run: ${command}`);
  const [name = "", ...others] = words.split(" ");
  const quick = quickly[name];
  return quick === undefined ? [name, ...others] : [name, quick, ...others];
}

describe.concurrent("every command of the README and its pages", () => {
  test("CI runs the first two commands literally", () => {
    expect(runByCi).toEqual(["npm ci && npm run demo", "npm ci && npm test"]);
  });

  test.each(ownCommands.filter((command) => !staysUp(command)))("%s", async (command) => {
    const { exitCode, stdout, stderr } = await runHere(argumentsOf(command), { cwd: folder, env });
    expect(exitCode, stdout + stderr).toBe(0);
  });

  test.each(ownCommands.filter(staysUp))("%s", async (command) => {
    const [, ...flags] = argumentsOf(command);
    await using served = await serveHere(flags, folder);
    expect(served.ready.base_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
  });
});

/** Pages that every command must be in, one of them. */
const guides = await Promise.all(
  ["scenarios/README.md", "service/README.md"].map((page) => readFile(join(root, page), "utf8")),
);

test.each(commandNames)("a page describes the command %s", (name) => {
  const named = new RegExp(`(?:\`|shelfcheck )${name}\\b`);
  expect([...texts, ...guides].some((text) => named.test(text))).toBe(true);
});

test.each(Object.values(formats))("docs/reports.md describes $fileName", async ({ fileName }) => {
  const page = await readFile(join(root, "docs/reports.md"), "utf8");
  const row = `| \`${fileName}\` |`;
  expect(page.includes(row), `a row of docs/reports.md starts with ${row}`).toBe(true);
});

test.each([
  ["CONTRIBUTING.md", 90],
  ["dev/libraries.md", 10],
])("every file that %s names exists", async (page, least) => {
  const text = await readFile(join(root, page), "utf8");
  const paths = [...text.matchAll(/`([\w.-]+\/[\w./-]*)`/g)].map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(least);
  const missing = paths.filter((path) => !existsSync(join(root, path)));
  expect(missing).toEqual([]);
});

function staysUp(command: string): boolean {
  return command.includes(" serve") && !command.includes("--list");
}

// In a process of its own, because vitest resolves packages differently.
test("the config file of the README works without a change", async () => {
  const [source = ""] = blocks("ts");
  const configured = join(folder, "config");
  await mkdir(configured);
  await writeFile(join(configured, "shelfcheck.config.ts"), source);
  const argv = ["conformance", "--plan", "--target", "staging"];
  expect(await runCommand(argv, { cwd: configured })).toMatchObject({ exitCode: 0, stderr: "" });
});
