import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { runHere } from "../../test/support/command.ts";
import { commandNames, reportFailure } from "./main.ts";

/** Runs a command that needs no target, in a folder without a config file. */
const run = (...argv: string[]) => runHere(argv, { cwd: tmpdir() });

describe("output on stdout, exit 0", () => {
  test("--version", async () => {
    expect(await run("--version")).toEqual({ exitCode: 0, stdout: `${packageJson.version}\n`, stderr: "" });
  });

  test("--help names every command", async () => {
    const { exitCode, stdout } = await run("--help");
    expect(exitCode).toBe(0);
    for (const command of commandNames) {
      expect(stdout).toContain(`\n  ${command} `);
    }
  });

  test.each(commandNames)("%s --help", async (command) => {
    const { exitCode, stdout } = await run(command, "--help");
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`Usage: shelfcheck ${command} [options]`);
    expect(stdout).toMatch(/^Exit codes:\n {2}0 /m);
    expect(stdout.split("\n").filter((line) => line.length > 100)).toEqual([]);
  });

  test("load --help names at most 17 flags, its own help among them", async () => {
    const flags = (await run("load", "--help")).stdout.match(/^ {2}(?:-h, )?--[\w-]+/gm) ?? [];
    expect(flags.length).toBeLessThanOrEqual(17);
  });

  test("help lists environment variables once, and names the one with the key for each command", async () => {
    expect((await run("--help")).stdout).toMatch(/^ {2}SHELFCHECK_API_KEY +\S/m);
    expect((await run("gate", "--help")).stdout).toContain("variables, such as SHELFCHECK_API_KEY:");
  });

  test("load --print shows the plan as JSON", async () => {
    const { stdout } = await run("load", "--print", "--rate", "10", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ profile: "smoke", peakRate: 10 });
  });

  test("serve --list lists variants and faults with a description", async () => {
    const { exitCode, stdout } = await run("serve", "--list");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^faults$/m);
    expect(stdout).toMatch(/^ {2}null-field +\S/m);
  });
});

test.each<[string, string[], string]>([
  ["no command", [], "Usage: shelfcheck"],
  ["an unknown command", ["conformnce"], "Did you mean conformance?"],
  ["an unknown flag", ["gate", "--tarket", "x"], "Did you mean --target?"],
  ["a key on the command line", ["gate", "--key", "x"], "shelfcheck: Unknown option '--key'"],
  ["a flag without its value", ["gate", "--base-url"], "argument missing"],
  ["a command without its argument", ["compare"], "shelfcheck compare --help"],
  ["too many arguments", ["gate", "staging"], "shelfcheck: Too many arguments"],
  ["a maximum of 0", ["conformance", "--max-requests", "0"], "whole number of at least 1"],
  ["an unknown scenario", ["load", "--scenario", "walking"], "Allowed choices are lookup, paging, batch"],
  ["an unknown profile", ["load", "--profile", "smok"], "Did you mean smoke?"],
  ["a duration of 0", ["load", "--duration", "0s"], "such as 30s, 5m or 1h"],
  [
    "a duration of a probe",
    ["load", "--print", "--scenario", "rate-limit", "--duration", "9s"],
    "a probe ends",
  ],
  ["a rate of 0", ["load", "--rate", "0"], "a number above 0"],
  [
    "two modes of load at once",
    ["load", "--print", "--manifests", "x"],
    "Option '--manifests <dir>' cannot be used with option '--print'",
  ],
  [
    "manifests for the built-in service",
    ["load", "--manifests", "x"],
    "A cluster cannot reach a loopback address",
  ],
  ["shards without manifests", ["load", "--shards", "2"], "Omit --shards, or add --manifests."],
  ["0 shards", ["load", "--shards", "0"], "whole number from 1 to 1000"],
  ["an invalid port", ["serve", "--port", "65536"], "whole number from 0 to 65535"],
  ["an unknown fault", ["serve", "--fault", "null-feild"], "Did you mean null-field?"],
  [
    "an unknown variant",
    ["serve", "--variant", "slow,xyzzy"],
    "argument 'slow,xyzzy' is invalid. The nearest",
  ],
])("a message on stderr, exit 2, no stack trace: %s", async (_name, argv, expected) => {
  const { exitCode, stdout, stderr } = await run(...argv);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(expected);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(stdout).toBe("");
});

test.each(["SHELFCHECK_API_KEY", "STAGING_KEY"])("an internal error does not show a key: %s", (variable) => {
  const key = `sk_${"aZ9+".repeat(1750)}`;
  let stderr = "";
  const io = {
    env: { [variable]: key, SHELFCHECK_DEBUG: "1" },
    stderr: { write: (text: string) => (stderr += text) },
  };
  expect(reportFailure(new RangeError(`Invalid regular expression: /${key}/`), io)).toBe(3);
  expect(stderr).toContain(
    `shelfcheck: Internal error: RangeError: Invalid regular expression: /$${variable}/`,
  );
  expect(stderr).not.toContain(key.slice(0, 8));
  expect(stderr.split("\n")[0]?.length).toBeLessThan(1200);
});
