import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { config } from "../schemas/contracts/config.ts";
import { createProgram, main } from "./cli/main.ts";
import { validateConfig } from "./config/validate-config.ts";
import type { Io } from "./io.ts";
import { refuseRemovedWords, removed } from "./removed.ts";

interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node;
}

let output = "";
const write = (text: string) => (output += text);
const io: Io = {
  env: {},
  cwd: tmpdir(),
  stdout: { write },
  stderr: { write },
  nodeVersion: process.versions.node,
  now: () => new Date(0),
  signal: new AbortController().signal,
};

/** Every spelling of the rows: `*` is anything, such as the command conformance or a target of this name. */
const spelled = (rows: Readonly<Record<string, string>>, separator: string) =>
  Object.entries(rows).flatMap(([row, instead]) => {
    const lists = row.replace("*", "conformance").split(separator);
    const all = lists.reduce<string[][]>(
      (heads, list) => heads.flatMap((head) => list.split("|").map((word) => [...head, word])),
      [[]],
    );
    return all.map((words) => [words.join(separator), instead] as const);
  });
const commandLines = spelled(removed.commandLine, " ");
const settings = spelled(removed.config, ".");
const variables = Object.entries(removed.environment);

async function refused(argv: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  output = "";
  expect(await main(argv, { ...io, env })).toBe(2);
  return output.replaceAll("\n", " ").trim();
}

test("the table has at most 60 lines", async () => {
  const text = await readFile(new URL("removed.ts", import.meta.url), "utf8");
  const [table = ""] = /^export const removed.*?^};$/ms.exec(text) ?? [];
  expect(table.split("\n").length).toBeGreaterThan(40);
  expect(table.split("\n").length).toBeLessThanOrEqual(60);
});

test.each(commandLines)("shelfcheck %s is refused, and not there", async (row, instead) => {
  const [name = "", ...words] = row.split(" ");
  expect(await refused([name, ...words])).toBe(`shelfcheck: This was removed: shelfcheck ${row} ${instead}`);
  const program = await createProgram([name], io, () => undefined);
  const command = program.commands.find((one) => one.name() === name);
  const [word] = words;
  const option = command?.options.find(({ long }) => long === word);
  const isThere = {
    command: word === undefined && command !== undefined,
    subcommand: command?.commands.some((one) => one.name() === word) ?? false,
    flag: option !== undefined,
  };
  expect(isThere).toEqual({ command: false, subcommand: false, flag: false });
});

test.each(settings)("the setting %s is refused, and not there", (path, instead) => {
  const steps = path.split(".");
  const own = steps.reduceRight<unknown>((value, name) => ({ [name]: value }), "x");
  const refusal = `This was removed: shelfcheck.config.ts, ${path}. ${instead}`;
  expect(() => validateConfig(own, "shelfcheck.config.ts")).toThrow(refusal);
  const found = steps.reduce<Node | undefined>((node, step) => {
    return step === "conformance" ? node?.additionalProperties : node?.properties?.[step];
  }, config as Node);
  expect(found).toBeUndefined();
});

test.each(variables)("the variable %s is refused, and not in the help", async (name, instead) => {
  const refusal = `shelfcheck: This was removed: ${name} ${instead}`;
  expect(await refused(["gate", "--plan"], { [name]: "x" })).toBe(refusal);
  output = "";
  await main(["--help"], io);
  expect(output).not.toMatch(new RegExp(`\\b${name}\\b`));
});

test("a flag is found with = as well, but not in the command line of another program", () => {
  const row = commandLines.find(([words]) => / --[\w-]+$/.test(words))?.[0] ?? "completion --x";
  expect(() => refuseRemovedWords(`${row}=y`.split(" "))).toThrow(
    `This was removed: shelfcheck ${row.split(" ")[0]}`,
  );
  expect(() => refuseRemovedWords(["client", "--", ...row.split(" ")])).not.toThrow();
});

test.each(Object.values(removed).flatMap((rows) => Object.values(rows)))("is one sentence: %s", (instead) => {
  expect(instead).toMatch(/^[A-Z].*[^.]\.$/);
});
