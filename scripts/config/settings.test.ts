import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { UsageError } from "../errors.ts";
import { requireNamedTarget, resolveSettings, type Settings, type TargetFlags } from "./settings.ts";

const root = await temporaryFolder("settings");
const without = join(root, "without");
await mkdir(without);

async function folderWith(config: string): Promise<string> {
  const folder = await mkdtemp(join(root, "with-"));
  await writeFile(join(folder, "shelfcheck.config.ts"), `export default { ${config} };`);
  return folder;
}

const withFile = await folderWith(`
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
  },`);

function resolveIn(folder: string, flags: TargetFlags, env: NodeJS.ProcessEnv = {}): Promise<Settings> {
  return resolveSettings(flags, { cwd: folder, env });
}

async function targetIn(folder: string, flags: TargetFlags, env: NodeJS.ProcessEnv = {}) {
  const { choice } = await resolveIn(folder, flags, env);
  if (choice.kind !== "remote") throw new Error("expected a target with an address");
  return choice.target;
}

async function mistake(result: Promise<unknown>): Promise<UsageError> {
  const error = await result.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UsageError);
  return error as UsageError;
}

const ofFlag = { baseUrl: "https://flag.example/v1", category: ["a,b"] };
const ofEnvironment = {
  SHELFCHECK_BASE_URL: "https://env.example/v1",
  SHELFCHECK_CATEGORIES: "x, y,,",
};

test.each([
  ["flag", ofFlag, ofEnvironment, "https://flag.example/v1", ["a,b"]],
  ["environment", {}, ofEnvironment, "https://env.example/v1", ["x", "y"]],
  ["file", {}, {}, "https://file.example/v1", ["from, file"]],
])(
  "flags override the environment, which overrides the file: %s",
  async (_, flags, env, baseUrl, categories) => {
    expect(await targetIn(withFile, flags, env)).toMatchObject({ name: "staging", baseUrl, categories });
  },
);

test("an entry of another address is not asked to allow load", async () => {
  const allowing = async (flags: TargetFlags) => (await resolveIn(withFile, flags)).choice.permission?.name;
  expect([await allowing({}), await allowing(ofFlag)]).toEqual(["staging", undefined]);
});

test.each<[string, string, TargetFlags, string, number]>([
  ["flag", withFile, { out: "flag-out", maxRequests: 7 }, "flag-out", 7],
  ["file", withFile, {}, "file-out", 200],
  ["default", without, {}, "reports", 2000],
])("folder and budget from the %s", async (_source, folder, flags, outShown, maxRequests) => {
  const settings = await resolveIn(folder, flags);
  expect(settings).toMatchObject({ outShown, maxRequests, out: join(folder, outShown) });
});

test("field names, timeout and key come from the target's entry", async () => {
  const env = { STAGING_KEY: "key-of-staging", SHELFCHECK_API_KEY: "not this one" };
  expect(await targetIn(withFile, {}, env)).toMatchObject({
    fieldNames: { gtin: "ean" },
    timeoutMilliseconds: 5,
    keys: { primary: "key-of-staging" },
  });
});

test.each<[string, TargetFlags, NodeJS.ProcessEnv]>([
  ["SHELFCHECK_BASE_URL", {}, { SHELFCHECK_BASE_URL: "" }],
  ["SHELFCHECK_BASE_URL", { target: "strict" }, { SHELFCHECK_BASE_URL: " " }],
  ["SHELFCHECK_CATEGORIES", {}, { SHELFCHECK_CATEGORIES: "" }],
  ["STAGING_KEY", {}, { STAGING_KEY: "" }],
  ["SHELFCHECK_OTHER_ORG_API_KEY", {}, { STAGING_KEY: "a-long-key", SHELFCHECK_OTHER_ORG_API_KEY: "" }],
])("%s is set but empty: an error, unless a flag overrides it", async (where, flags, env) => {
  const what = "An environment variable is set but empty";
  expect(await mistake(resolveIn(withFile, flags, env))).toMatchObject({ what, where });
  if (!where.includes("KEY")) await resolveIn(withFile, { ...flags, ...ofFlag }, env);
});

test.each<[TargetFlags, NodeJS.ProcessEnv, refused: boolean]>([
  [{}, { CI: "1" }, true],
  [{}, { CI: "" }, false],
  [{}, { CI: "false" }, false],
  [{ target: "embedded" }, { CI: "true" }, false],
  [{}, { CI: "true", ...ofEnvironment }, false],
])("in CI the built-in service must be named: %j with %j, refused is %s", async (flags, env, refused) => {
  const settings = await resolveIn(without, flags, env);
  const require = () => requireNamedTarget(settings, env);
  if (refused) expect(require).toThrow("No target is named");
  else expect(require).not.toThrow();
});

describe("the target", () => {
  test("is embedded with the flag, despite environment and file", async () => {
    const { choice } = await resolveIn(withFile, { target: "embedded" }, ofEnvironment);
    expect(choice.kind).toBe("embedded");
  });

  test("has the name of its host without an entry", async () => {
    const env = { SHELFCHECK_API_KEY: "some-key" };
    const target = await targetIn(without, { baseUrl: "http://127.0.0.1:81/v1" }, env);
    expect(target).toMatchObject({ name: "127.0.0.1:81", keys: { primary: "some-key" } });
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

  test.each([
    [without, flags, {}, "An environment variable is not set: SHELFCHECK_API_KEY. Set it to the API key"],
    // The variable that the file names is used.
    [withFile, {}, { SHELFCHECK_API_KEY: "some-key" }, "not set: STAGING_KEY"],
    [withFile, { target: "strict" }, { SHELFCHECK_API_KEY: "some-key" }, "STRICT_OTHER"],
    // Other keys are required only if the file names their variables.
    [without, flags, { SHELFCHECK_API_KEY: "some-key" }, undefined],
  ])("in %s with %j and %j, what is missing is named", async (folder, given, env, message) => {
    const { missingKeys } = await resolveIn(folder, given, env);
    expect(missingKeys.map((missing) => missing.message)).toEqual(
      message === undefined ? [] : [expect.stringContaining(message)],
    );
  });

  test("a missing key names a file of variables that was not read", async () => {
    const folder = await folderNaming("STAGING_KEY");
    await writeFile(join(folder, ".env"), "STAGING_KEY=some-key-of-staging\n");
    const [missing, ofOther] = await Promise.all(
      [undefined, "other.env"].map((envFile) => resolveIn(folder, { target: "s", envFile })),
    );
    const text = ".env in this folder was not read: --env-file .env reads it.";
    expect(missing?.missingKeys[0]?.fix).toContain(text);
    expect(ofOther?.missingKeys[0]?.fix).not.toContain(".env in this folder");
  });

  test.each([
    "sk_live_4eC39HqLyjWDarjtT1zdP7dcXw0",
    "AKIAIOSFODNN7EXAMPLE",
    "SK_LIVE_4EC39HQLYJWDARJTT1",
    "abcdefghijklmnop",
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
      const { missingKeys } = await resolveIn(await folderNaming(name), { target: "s" });
      expect(missingKeys[0]?.message).toContain(`not set: ${name}`);
    },
  );

  test.each([
    ["geheim\n", "contains a space, a line break or a character that is not allowed in an HTTP header"],
    ['"geheim-key"', "is in quotes, which would be sent as part of it"],
    ["7-chars", "has fewer than 8 characters"],
    ["products", "is, or is a part of, a word that results.json uses itself"],
    ["REQUIREMENTS", "is, or is a part of, a word that results.json uses itself"],
  ])("%j cannot be sent or redacted safely, and is rejected without being shown", async (key, what) => {
    const error = await mistake(resolveIn(without, flags, { SHELFCHECK_API_KEY: key }));
    expect(error).toMatchObject({ what: `The key ${what}`, where: "SHELFCHECK_API_KEY" });
    expect(error.message).not.toContain(key.trim());
  });

  test("one variable for two roles: the place to name another one is told", async () => {
    const env = { SHELFCHECK_OTHER_ORG_API_KEY: "some-key" };
    const folder = await folderNaming("SHELFCHECK_OTHER_ORG_API_KEY");
    const { fix } = await mistake(resolveIn(folder, { target: "s" }, env));
    expect(fix).toBe("Name another variable in shelfcheck.config.ts, targets.s.keys.otherOrg.");
  });

  test("child processes get no keys, and keys of all targets are redacted in text from files", async () => {
    const hidden: string[] = [];
    const env = {
      PATH: "/bin",
      STAGING_KEY: "key-of-staging",
      STRICT_OTHER: "key-of-others",
      SHELFCHECK_API_KEY: "some-key",
    };
    const { toolEnv, redaction } = await resolveSettings(
      { target: "embedded" },
      { cwd: withFile, env, hideFromChildProcesses: (names) => void hidden.push(...names) },
    );
    expect(toolEnv).toEqual({ PATH: "/bin" });
    expect(hidden).toEqual(expect.arrayContaining(["SHELFCHECK_API_KEY", "STAGING_KEY"]));
    expect(redaction.redact("key-of-staging KEY-OF-OTHERS some-key")).toBe(
      "$STAGING_KEY $STRICT_OTHER $SHELFCHECK_API_KEY",
    );
  });
});

describe("the connection to a target", () => {
  const key = { SHELFCHECK_API_KEY: "a-long-key" };
  const connectionIn = async (env: NodeJS.ProcessEnv) =>
    (await targetIn(without, { baseUrl: "http://h/v1" }, { ...key, ...env })).connection;

  test("comes from the environment", async () => {
    const env = {
      SHELFCHECK_HEADERS: " X-A=VALUE_A,X-B = VALUE_B ",
      VALUE_A: "first value",
      VALUE_B: "other-value",
      SHELFCHECK_HOST: "catalog.internal:1",
    };
    expect(await connectionIn(env)).toEqual({
      host: "catalog.internal:1",
      headers: [
        { name: "X-A", value: "first value", variable: "VALUE_A" },
        { name: "X-B", value: "other-value", variable: "VALUE_B" },
      ],
      requestIdHeader: "traceparent",
    });
    const requestIdHeader = "X-Request-Id";
    expect(await connectionIn({ SHELFCHECK_REQUEST_ID_HEADER: requestIdHeader })).toEqual({
      requestIdHeader,
    });
    expect(await connectionIn({ SHELFCHECK_REQUEST_ID_HEADER: "off" })).toEqual({});
  });

  const VALUE_A = "long-enough";
  test.each<[NodeJS.ProcessEnv, string]>([
    [{ SHELFCHECK_HEADERS: "X-A" }, "An entry does not have the form Name=VARIABLE"],
    [{ SHELFCHECK_HEADERS: "X-A=s3cret-value-itself" }, "An entry does not have the form Name=VARIABLE"],
    [{ SHELFCHECK_HEADERS: "X A=VALUE_A", VALUE_A }, "An entry does not have the form Name=VARIABLE"],
    [{ SHELFCHECK_HEADERS: "X-A=VALUE_A" }, "An environment variable is not set: VALUE_A"],
    [{ SHELFCHECK_HEADERS: "X-A=VALUE_A", VALUE_A: "short" }, "The value has fewer than 8 characters"],
    [{ SHELFCHECK_HEADERS: "X-A=VALUE_A", VALUE_A: "two\nlines-of-it" }, "The value contains a line break"],
    [{ SHELFCHECK_HEADERS: " , " }, "is set but empty"],
    [{ SHELFCHECK_HEADERS: "Authorization=VALUE_A", VALUE_A }, "Authorization cannot be set here"],
    [{ SHELFCHECK_HEADERS: "Accept=VALUE_A", VALUE_A }, "Accept cannot be set here"],
    [{ SHELFCHECK_HEADERS: "Traceparent=VALUE_A", VALUE_A }, "Traceparent cannot be set here"],
    [{ SHELFCHECK_HEADERS: "X-A=VALUE_A,x-a=VALUE_A", VALUE_A }, "x-a cannot be set here"],
    [{ SHELFCHECK_HOST: "a b" }, "is not allowed in a Host header"],
    [{ SHELFCHECK_HTTP2: "no" }, "is neither off nor on"],
  ])("%j is rejected, without repeating a value", async (env, message) => {
    const error = await mistake(connectionIn(env));
    expect(error.message).toContain(message);
    expect(error.message).not.toMatch(/s3cret-value-itself|lines-of-it/);
  });
});
