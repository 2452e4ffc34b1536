import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { timeoutMilliseconds } from "../../schemas/contracts/config.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { UsageError } from "../errors.ts";
import { loadConfig } from "./config-file.ts";
import { defaults } from "./settings.ts";

const folder = await temporaryFolder("config");
let count = 0;

/** The error message for a config file with this source, which it names FILE. */
async function complaint(source: string): Promise<string> {
  const file = `case-${count++}.ts`;
  await writeFile(join(folder, file), source);
  const error: unknown = await loadConfig(file, folder).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UsageError);
  return (error as UsageError).message.replaceAll(file, "FILE");
}

describe("mistakes are reported with file, key, expectation and fix", () => {
  test.each([
    ["an unknown key", "{ target: {} }", 'Unknown key "target": FILE, target. Did you mean targets?'],
    [
      "an unknown key in a target, in wrong case",
      '{ targets: { staging: { baseUrl: "https://h/v1", timeoutmilliseconds: 1 } } }',
      'Unknown key "timeoutmilliseconds": FILE, targets.staging.timeoutmilliseconds. Did you mean timeoutMilliseconds?',
    ],
    [
      "a missing key",
      '{ targets: { "my staging": {} } }',
      'A key is missing: FILE, targets["my staging"].baseUrl. Add it. Base URL of the service',
    ],
    [
      "a wrong type",
      '{ maxRequests: "many" }',
      'The value must be a whole number; it is "many": FILE, maxRequests. Maximum number of requests',
    ],
    [
      "a key in place of the names of variables",
      '{ targets: { s: { baseUrl: "https://h/v1", keys: "sk_live_4eC39HqLyjWDarj" } } }',
      "The value must be an object; it is sk_… (23 characters): FILE, targets.s.keys.",
    ],
    [
      "a key in place of a role",
      '{ targets: { s: { baseUrl: "https://h/v1", keys: { "4eC39HqL": "primary" } } } }',
      "Unknown key 4… (8 characters): FILE, targets.s.keys. Known: primary, sameOrg, otherOrg.",
    ],
    [
      "a name that nothing has, of what the target will never have",
      '{ targets: { s: { baseUrl: "https://h/v1", optional: ["sameOrgKey", "otherOrgkey"] } } }',
      'The value is "otherOrgkey": FILE, targets.s.optional[1]. Did you mean otherOrgKey?',
    ],
    [
      "the reserved name",
      '{ targets: { embedded: { baseUrl: "https://h/v1" } } }',
      "The target name embedded is reserved for the built-in reference service: FILE, targets.embedded.",
    ],
    [
      "a day that the calendar does not have",
      '{ waivers: [{ id: "errors.shape", reason: "r", owner: "o", ticket: "t", expires: "2026-02-30" }] }',
      'The value must be a date; it is "2026-02-30": FILE, waivers[0].expires. Last day on which',
    ],
    [
      "an entry that nobody filled in",
      '{ waivers: [{ id: "errors.shape", reason: "r", owner: "", ticket: "t", expires: "2027-01-31" }] }',
      'The value must not be empty; it is "": FILE, waivers[0].owner. Who is responsible',
    ],
    ["not an object", "42", "The value must be an object; it is 42: FILE."],
  ])("%s", async (_name, value, expected) => {
    expect(await complaint(`export default ${value};`)).toContain(expected);
  });

  test("several mistakes are reported at once", async () => {
    const message = await complaint("export default { zzz: 1, out: 2 };");
    expect(message).toContain("Mistakes in the configuration: FILE");
    expect(message).toContain("FILE, out: The value must be a string; it is 2.");
    expect(message).toContain('FILE, zzz: Unknown key "zzz".');
  });
});

describe("a file without a configuration", () => {
  test.each([
    [
      "no default export",
      "export const config = {};",
      "has no default export: FILE. Expected export default defineConfig(",
    ],
    ["a syntax error", "export default {\n  out: = 1,\n};", "The configuration file failed to run: FILE"],
    ["an exception", '\n\nthrow new Error("no vault");\nexport default {};', "FILE. Line 3: no vault"],
  ])("%s: one message", async (_name, source, expected) => {
    const message = await complaint(source);
    expect(message).toContain(expected);
    expect(message).not.toContain("    at ");
  });

  test("a configuration that is not exported: Node reads such a file as CommonJS", async () => {
    const inside = await mkdtemp(join(folder, "commonjs-"));
    await writeFile(join(inside, "package.json"), "{}");
    await writeFile(join(inside, "shelfcheck.config.ts"), "const targets = {};");
    await expect(loadConfig(undefined, inside)).rejects.toThrow(
      "has no default export: shelfcheck.config.ts",
    );
  });

  test("the named file does not exist", async () => {
    await expect(loadConfig("nowhere.ts", folder)).rejects.toThrow("does not exist: --config nowhere.ts");
  });
});

test("without a file, the configuration is empty", async () => {
  expect(await loadConfig(undefined, folder)).toEqual({ config: {} });
});

test("the default export is the configuration", async () => {
  await writeFile(join(folder, "good.ts"), 'const out: string = "elsewhere"; export default { out };');
  expect(await loadConfig("good.ts", folder)).toEqual({ config: { out: "elsewhere" }, file: "good.ts" });
});

test("the schema states the default timeout and its range", () => {
  expect(timeoutMilliseconds.description).toContain(`Default: ${defaults.timeoutMilliseconds}`);
  expect(timeoutMilliseconds).toMatchObject({ minimum: 1, maximum: 600_000 });
});
