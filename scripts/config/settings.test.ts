import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { UsageError } from "../errors.ts";
import {
  requireKeys,
  requireNamedTarget,
  resolveSettings,
  type Settings,
  type TargetFlags,
} from "./settings.ts";

const root = await temporaryFolder("settings");
// One folder with a config file, one without.
const [withFile, without] = [join(root, "with"), join(root, "without")];

beforeAll(async () => {
  await mkdir(withFile);
  await mkdir(without);
  await writeFile(
    join(withFile, "shelfcheck.config.ts"),
    `export default {
      defaultTarget: "staging",
      out: "file-out",
      maxRequests: 200,
      targets: {
        staging: {
          baseUrl: "https://file.example/v1/",
          categories: ["from, file"],
          keys: { primary: "STAGING_KEY" },
          dialect: { gtin: "ean" },
          timeoutMilliseconds: 5,
        },
        strict: { baseUrl: "https://strict.example/v1", keys: { otherOrg: "STRICT_OTHER" } },
      },
    } as const;`,
  );
});

async function folderWith(config: string): Promise<string> {
  const folder = await mkdtemp(join(root, "other-"));
  await writeFile(join(folder, "shelfcheck.config.ts"), `export default { ${config} };`);
  return folder;
}

function resolveIn(folder: string, flags: TargetFlags, env: NodeJS.ProcessEnv = {}): Promise<Settings> {
  return resolveSettings(flags, { cwd: folder, env });
}

async function targetIn(folder: string, flags: TargetFlags, env: NodeJS.ProcessEnv = {}) {
  const { choice } = await resolveIn(folder, flags, env);
  if (choice.kind !== "remote") throw new Error("expected a target with an address");
  return choice.target;
}

async function mistake(result: Promise<unknown>): Promise<UsageError> {
  const error = await result.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UsageError);
  return error as UsageError;
}

describe("flags override the environment, the environment overrides the file, the file overrides defaults", () => {
  const flag = "https://flag.example/v1";
  const SHELFCHECK_BASE_URL = "https://env.example/v1";

  test.each([
    ["flag", { baseUrl: flag }, { SHELFCHECK_BASE_URL }, flag],
    ["environment", {}, { SHELFCHECK_BASE_URL }, SHELFCHECK_BASE_URL],
    ["file", {}, {}, "https://file.example/v1"],
  ])("base URL from the %s", async (_source, flags, env, expected) => {
    const target = await targetIn(withFile, flags, env);
    expect(target.baseUrl).toBe(expected);
    expect(target.name).toBe("staging");
  });

  test.each([
    ["flag", { category: ["a,b"] }, { SHELFCHECK_CATEGORIES: "x, y,," }, ["a,b"]],
    ["environment", {}, { SHELFCHECK_CATEGORIES: "x, y,," }, ["x", "y"]],
    ["file", {}, {}, ["from, file"]],
  ])("categories from the %s", async (_source, flags, env, expected) => {
    expect((await targetIn(withFile, flags, env)).categories).toEqual(expected);
  });

  test("folder and budget: flag, file, default", async () => {
    const flags = await resolveIn(withFile, { out: "flag-out", maxRequests: 7 });
    expect([flags.outShown, flags.out, flags.maxRequests]).toEqual([
      "flag-out",
      join(withFile, "flag-out"),
      7,
    ]);
    const file = await resolveIn(withFile, {});
    expect([file.outShown, file.maxRequests]).toEqual(["file-out", 200]);
    const defaults = await resolveIn(without, {});
    expect([defaults.outShown, defaults.maxRequests]).toEqual(["reports", 2000]);
  });

  test("field names, timeout and key come from the target's entry", async () => {
    const env = { STAGING_KEY: "key-of-staging", SHELFCHECK_API_KEY: "not this one" };
    const target = await targetIn(withFile, {}, env);
    expect(target).toMatchObject({
      fieldNames: { gtin: "ean" },
      timeoutMilliseconds: 5,
      keys: { primary: "key-of-staging" },
    });
  });
});

describe("a variable that is set but empty is an error", () => {
  test.each<[string, TargetFlags, NodeJS.ProcessEnv]>([
    ["SHELFCHECK_BASE_URL", {}, { SHELFCHECK_BASE_URL: "" }],
    ["SHELFCHECK_BASE_URL", { target: "strict" }, { SHELFCHECK_BASE_URL: " " }],
    ["SHELFCHECK_CATEGORIES", {}, { SHELFCHECK_CATEGORIES: "" }],
    ["STAGING_KEY", {}, { STAGING_KEY: "" }],
    ["SHELFCHECK_OTHER_ORG_API_KEY", {}, { STAGING_KEY: "a-long-key", SHELFCHECK_OTHER_ORG_API_KEY: "" }],
  ])("%s", async (where, flags, env) => {
    expect(await mistake(resolveIn(withFile, flags, env))).toMatchObject({
      what: "An environment variable is set but empty",
      where,
    });
  });

  test("unless a flag overrides it", async () => {
    const env = { SHELFCHECK_BASE_URL: "", SHELFCHECK_CATEGORIES: "" };
    const flags = { baseUrl: "https://flag.example/v1", category: ["shoes"] };
    expect(await targetIn(without, flags, env)).toMatchObject({
      baseUrl: "https://flag.example/v1",
      categories: ["shoes"],
    });
    await resolveIn(without, { target: "embedded", category: ["shoes"] }, env);
  });
});

describe("in CI the built-in service must be named", () => {
  const { SHELFCHECK_BASE_URL } = { SHELFCHECK_BASE_URL: "https://h.example/v1" };
  test.each<[TargetFlags, NodeJS.ProcessEnv, refused: boolean]>([
    [{}, { CI: "true" }, true],
    [{}, { CI: "1" }, true],
    [{}, {}, false],
    [{}, { CI: "" }, false],
    [{}, { CI: "false" }, false],
    [{ target: "embedded" }, { CI: "true" }, false],
    [{}, { CI: "true", SHELFCHECK_BASE_URL }, false],
    [{ baseUrl: SHELFCHECK_BASE_URL }, { CI: "true" }, false],
  ])("%j with %j: refused is %s", async (flags, env, refused) => {
    const settings = await resolveIn(without, flags, env);
    const require = () => requireNamedTarget(settings, env);
    if (refused) expect(require).toThrow("No target is named");
    else expect(require).not.toThrow();
  });
});

describe("the target", () => {
  test.each<[string, TargetFlags, NodeJS.ProcessEnv, isDefault: boolean]>([
    ["nothing", {}, {}, true],
    ["the flag", { target: "embedded" }, {}, false],
    ["an address", {}, { SHELFCHECK_BASE_URL: "https://h.example/v1" }, false],
  ])("is the default or not: %s", async (_name, flags, env, isDefault) => {
    expect((await resolveIn(without, flags, env)).targetIsDefault).toBe(isDefault);
  });

  test("is embedded with the flag, despite environment and file", async () => {
    const { choice } = await resolveIn(
      withFile,
      { target: "embedded" },
      { SHELFCHECK_BASE_URL: "https://e.example/v1" },
    );
    expect(choice.kind).toBe("embedded");
  });

  test("has the name of its host without an entry", async () => {
    const target = await targetIn(
      without,
      { baseUrl: "http://127.0.0.1:81/v1" },
      { SHELFCHECK_API_KEY: "some-key" },
    );
    expect(target.name).toBe("127.0.0.1:81");
    expect(target.keys).toEqual({ primary: "some-key" });
  });

  test("an unknown name is reported with a suggestion and the file", async () => {
    await expect(resolveIn(withFile, { target: "stagin" })).rejects.toThrow(
      'There is no target "stagin": shelfcheck.config.ts. Did you mean staging?',
    );
  });
});

describe("keys", () => {
  const flags = { baseUrl: "http://h/v1" };
  /** A folder whose config names this variable for the primary key. */
  const folderNaming = (variable: string) =>
    folderWith(`targets: { s: { baseUrl: "http://h/v1", keys: { primary: "${variable}" } } }`);

  test("the primary key is required, and the message names its variable", async () => {
    const settings = await resolveIn(without, flags);
    expect(() => requireKeys(settings)).toThrow(
      "An environment variable is not set: SHELFCHECK_API_KEY. Set it to the API key",
    );
  });

  test("a missing key names a file of variables that was not read", async () => {
    const folder = await folderNaming("STAGING_KEY");
    await writeFile(join(folder, ".env"), "STAGING_KEY=some-key-of-staging\n");
    const missingIn = async (envFile?: string) => {
      const settings = await resolveIn(folder, { target: "s", envFile });
      return () => requireKeys(settings);
    };
    expect(await missingIn()).toThrow(".env in this folder was not read: --env-file .env reads it.");
    expect(await missingIn("other.env")).not.toThrow(".env in this folder");
  });

  test("the variable named in the file is used", async () => {
    const settings = await resolveIn(withFile, {}, { SHELFCHECK_API_KEY: "some-key" });
    expect(() => requireKeys(settings)).toThrow("not set: STAGING_KEY");
  });

  test.each([
    "sk_live_4eC39HqLyjWDarjtT1zdP7dcXw0",
    "AKIAIOSFODNN7EXAMPLE",
    "SK_LIVE_4EC39HQLYJWDARJTT1",
    "3f2a1b4c-0d9e-4f8a-8b7c-6d5e4f3a2b1c",
    "abcdefghijklmnop",
    "eyJhbGciOi.J9.x-y_z",
    "key123456",
  ])("a key in the file, instead of a variable's name, is masked: %s", async (key) => {
    const folder = await folderNaming(key);
    const error = await mistake(resolveIn(folder, { target: "s" }));
    expect(error.what).toMatch(
      /^\w{1,3}… \(\d+ characters\) looks like a key, not like the name of an environment variable$/,
    );
    expect(error.where).toBe("shelfcheck.config.ts, targets.s.keys.primary");
    expect(error.message).not.toContain(key.slice(0, 4));
    // Any text is accepted as a name if a variable of that name is set.
    await expect(resolveIn(folder, { target: "s" }, { [key]: "the-key-itself" })).resolves.toBeDefined();
  });

  test.each(["STAGING_API_KEY", "_KEY2", "staging_api_key", "token", "KEY", "STAGING_SERVICE_API_KEY_2"])(
    "the message names a variable that is not set: %s",
    async (name) => {
      const settings = await resolveIn(await folderNaming(name), { target: "s" });
      expect(() => requireKeys(settings)).toThrow(`not set: ${name}`);
    },
  );

  test("other keys are required only if the file names their variables", async () => {
    const one = await resolveIn(without, flags, { SHELFCHECK_API_KEY: "some-key" });
    expect(() => requireKeys(one)).not.toThrow();
    const settings = await resolveIn(withFile, { target: "strict" }, { SHELFCHECK_API_KEY: "some-key" });
    expect(settings.missingKeys).toEqual(["otherOrg"]);
    expect(() => requireKeys(settings)).toThrow("STRICT_OTHER");
  });

  const short = ["dev", "7-chars"];
  const words = ["products", "notApplicable", "REQUIREMENTS"];
  test.each([
    [
      "geheim\n",
      "The key contains a space, a line break or a character that is not allowed in an HTTP header",
    ],
    ['"geheim-key"', "The key is in quotes, which would be sent as part of it"],
    ...short.map((key): [string, string] => [key, "The key has fewer than 8 characters"]),
    ...words.map((key): [string, string] => [key, "The key is a word that results.json uses itself"]),
  ])("%j cannot be sent or redacted safely, and is rejected without being shown", async (key, what) => {
    const error = await mistake(resolveIn(without, flags, { SHELFCHECK_API_KEY: key }));
    expect(error).toMatchObject({ what, where: "SHELFCHECK_API_KEY" });
    if (key.length > 5) expect(error.message).not.toContain(key.trim());
  });

  test("child processes get no keys, and keys of all targets are redacted in text from files", async () => {
    const env = {
      PATH: "/bin",
      STAGING_KEY: "key-of-staging",
      STRICT_OTHER: "key-of-others",
      SHELFCHECK_API_KEY: "some-key",
      SHELFCHECK_SAME_ORG_API_KEY: "dev-keys",
    };
    const { toolEnv, redaction } = await resolveIn(withFile, { target: "embedded" }, env);
    expect(toolEnv).toEqual({ PATH: "/bin" });
    expect(redaction.redact("key-of-staging KEY-OF-OTHERS some-key")).toBe(
      "$STAGING_KEY $STRICT_OTHER $SHELFCHECK_API_KEY",
    );
  });
});

describe("the connection to a target", () => {
  const baseUrl = "http://h/v1";
  const connectionIn = async (env: NodeJS.ProcessEnv) => {
    const { choice } = await resolveIn(without, { baseUrl }, { SHELFCHECK_API_KEY: "a-long-key", ...env });
    return choice.kind === "remote" ? choice.target.connection : undefined;
  };

  test("has headers and a Host from the environment", async () => {
    const env = {
      SHELFCHECK_HEADERS: " X-A=VALUE_A,X-B = VALUE_B ",
      VALUE_A: "first value",
      VALUE_B: "other-value",
    };
    expect(await connectionIn({ ...env, SHELFCHECK_HOST: "catalog.internal:1" })).toEqual({
      host: "catalog.internal:1",
      headers: [
        { name: "X-A", value: "first value", variable: "VALUE_A" },
        { name: "X-B", value: "other-value", variable: "VALUE_B" },
      ],
      requestIdHeader: "traceparent",
    });
  });

  test("has the header of ids from the environment", async () => {
    const requestIdHeader = "X-Request-Id";
    expect(await connectionIn({ SHELFCHECK_REQUEST_ID_HEADER: requestIdHeader })).toEqual({
      requestIdHeader,
    });
    expect(await connectionIn({ SHELFCHECK_REQUEST_ID_HEADER: "off" })).toEqual({});
  });

  test.each<[NodeJS.ProcessEnv, string]>([
    [{ SHELFCHECK_HEADERS: "X-A" }, "An entry does not have the form Name=VARIABLE"],
    [{ SHELFCHECK_HEADERS: "X-A=s3cret-value-itself" }, "An entry does not have the form Name=VARIABLE"],
    [{ SHELFCHECK_HEADERS: "X-A=VALUE_A" }, "An environment variable is not set: VALUE_A"],
    [{ SHELFCHECK_HEADERS: "X-A=VALUE_A", VALUE_A: "short" }, "The value has fewer than 8 characters"],
    [{ SHELFCHECK_HEADERS: "X-A=VALUE_A", VALUE_A: "two\nlines-of-it" }, "The value contains a line break"],
    [
      { SHELFCHECK_HEADERS: "Authorization=VALUE_A", VALUE_A: "long-enough" },
      "Authorization cannot be set here",
    ],
    [
      { SHELFCHECK_HEADERS: "X A=VALUE_A", VALUE_A: "long-enough" },
      "An entry does not have the form Name=VARIABLE",
    ],
    [{ SHELFCHECK_HOST: "a b" }, "is not allowed in a Host header"],
  ])("%j is rejected, without repeating a value", async (env, message) => {
    const error = await mistake(connectionIn(env));
    expect(error.message).toContain(message);
    for (const value of ["s3cret-value-itself", "lines-of-it"]) expect(error.message).not.toContain(value);
  });
});

test("all key variables are hidden from child processes, including those named in the config", async () => {
  const hidden: string[] = [];
  const cwd = await folderWith(
    "targets: { a: { baseUrl: 'http://127.0.0.1/v1', keys: { primary: 'OWN_KEY' } } }",
  );
  await resolveSettings({}, { env: {}, cwd, hideFromChildProcesses: (names) => void hidden.push(...names) });
  expect(hidden).toEqual(expect.arrayContaining(["SHELFCHECK_API_KEY", "OWN_KEY"]));
});
