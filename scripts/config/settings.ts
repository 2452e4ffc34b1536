import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { KeyRole, Target } from "../../conformance/client/target.ts";
import type { Config, TargetConfig, Waiver } from "../../schemas/contracts/config.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import type { TextRedaction } from "../../schemas/redaction.ts";
import { UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { refuseRemovedVariables } from "../removed.ts";
import { loadConfig } from "./config-file.ts";
import { readConnection, secretVariables } from "./connection.ts";
import { didYouMean } from "./did-you-mean.ts";
import { readKeys, redactionOf, refuseEmpty } from "./keys.ts";
import type { LoadPermission } from "./load-permission.ts";

/** Many tools read this file without being asked. We read it only with `--env-file`, or else mention it. */
const customaryEnvFile = ".env";

/** Flags of every command that needs a target. */
export interface TargetFlags {
  readonly target?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly category?: readonly string[] | undefined;
  readonly envFile?: string | undefined;
  readonly config?: string | undefined;
  readonly out?: string | undefined;
  readonly maxRequests?: number | undefined;
  readonly maxTime?: number | undefined;
  /** Roles whose keys are in the usual variables, whatever the config file names for them. Default: none */
  readonly keysGiven?: readonly KeyRole[] | undefined;
}

type TargetChoice =
  | {
      readonly kind: "embedded";
      readonly target?: never;
      readonly categories?: readonly string[] | undefined;
      readonly permission?: never;
    }
  | { readonly kind: "remote"; readonly target: Target; readonly permission: LoadPermission };

/** The settings of a run from flags, environment, config file and defaults. */
export interface Settings {
  readonly choice: TargetChoice;
  /** Absolute path of the reports folder. */
  readonly out: string;
  /** The reports folder as the user wrote it, for messages. */
  readonly outShown: string;
  /** The flags that name the target, the files with its settings and the folders, as given. */
  readonly placeFlags: Pick<TargetFlags, "target" | "baseUrl" | "category" | "envFile" | "config" | "out">;
  /** Failures that are accepted; none for the built-in reference service, which has none. */
  readonly waivers: readonly Waiver[];
  /** No flag, variable or config file names a target, so `embedded` is used. */
  readonly targetIsDefault: boolean;
  readonly maxRequests: number;
  /** Longest time in which conformance sends requests. */
  readonly maxSeconds: number;
  /** The longest time for a look at the target before something else, such as load. */
  readonly lookSeconds: number;
  readonly profiles: Readonly<Record<string, Profile>>;
  readonly gate: NonNullable<Config["gate"]>;
  /** Name of the config file, for messages; empty without a file. */
  readonly file: string;
  /** Redacts the keys of all targets in the config. */
  readonly redaction: TextRedaction;
  /** The environment for child processes that need no key. */
  readonly toolEnv: NodeJS.ProcessEnv;
  /** For each required key that is not set, the error of a run. */
  readonly missingKeys: readonly UsageError[];
}

export const defaults = {
  target: "embedded",
  out: "reports",
  maxRequests: 2000,
  maxSeconds: 300,
  lookSeconds: 60,
  /** For a few requests between that look and the load. */
  glanceSeconds: 20,
  timeoutMilliseconds: 10_000,
  gateScenarios: ["mixed"],
} as const;

/**
 * The settings of a run: flags override the environment, which overrides the config file, which overrides the
 * defaults; not for the connection, see `readConnection`.
 * @throws UsageError for a mistake in any of them, except missing keys (`missingKeys`).
 */
export async function resolveSettings(
  flags: TargetFlags,
  { env, cwd, hideFromChildProcesses }: Pick<Io, "env" | "cwd" | "hideFromChildProcesses">,
): Promise<Settings> {
  refuseRemovedVariables(env);
  const { config, file = "" } = await loadConfig(flags.config, cwd);
  const { target, baseUrl, category, envFile, out } = flags;
  const secrets = secretVariables(config, env);
  hideFromChildProcesses?.(secrets);
  // In CI systems, a secret that does not exist is an empty variable: as unset, it would silently mean
  // another target, or less to judge.
  if (baseUrl === undefined && target !== defaults.target) refuseEmpty(env, "SHELFCHECK_BASE_URL");
  if (category === undefined) refuseEmpty(env, "SHELFCHECK_CATEGORIES");
  const listed = (env.SHELFCHECK_CATEGORIES ?? "").split(",").flatMap((one) => one.trim() || []);
  const categories = category ?? (listed.length === 0 ? undefined : listed);
  const name = targetName(flags, env, config);
  const isEmbedded = name === defaults.target;
  if (isEmbedded && baseUrl !== undefined) {
    throw new UsageError({
      what: "The target embedded cannot be combined with a base URL",
      where: "--target embedded, --base-url",
      fix: "Remove one of the two: embedded is the built-in reference service, with an address of its own.",
    });
  }
  const outShown = out ?? config.out ?? defaults.out;
  const common = {
    out: resolve(cwd, outShown),
    outShown,
    placeFlags: { target, baseUrl, category, envFile, config: flags.config, out },
    waivers: isEmbedded ? [] : (config.waivers ?? []),
    targetIsDefault: isEmbedded && (target ?? config.defaultTarget) === undefined,
    maxRequests: flags.maxRequests ?? config.maxRequests ?? defaults.maxRequests,
    maxSeconds: flags.maxTime ?? config.maxSeconds ?? defaults.maxSeconds,
    lookSeconds: flags.maxTime ?? defaults.lookSeconds,
    profiles: config.profiles ?? {},
    gate: config.gate ?? {},
    file,
    redaction: redactionOf(secrets, env),
    toolEnv: Object.fromEntries(Object.entries(env).filter(([variable]) => !secrets.includes(variable))),
  };
  if (isEmbedded) return { ...common, choice: { kind: "embedded", categories }, missingKeys: [] };

  const own = name === undefined ? undefined : targetOf(name, config, file);
  const place = `${file}, targets.${name}`;
  const addresses = [
    { where: "--base-url", text: baseUrl },
    { where: "SHELFCHECK_BASE_URL", text: env.SHELFCHECK_BASE_URL },
    { where: `${place}.baseUrl`, text: own?.baseUrl },
  ];
  const { text = "", where = place } = addresses.find((one) => one.text !== undefined) ?? {};
  const address = parseBaseUrl(text, where);
  const connection = readConnection({ own, env, place, folder: resolve(cwd, dirname(file)), cwd }, address);
  const named = { ...own?.keys };
  const { keysGiven: given = [] } = flags;
  for (const role of given) delete named[role];
  const hint =
    envFile === undefined && existsSync(resolve(cwd, customaryEnvFile))
      ? ` ${customaryEnvFile} in this folder was not read: --env-file ${customaryEnvFile} reads it.`
      : "";
  const found = readKeys(named, env, { place: `${place}.keys`, hint, given });
  refuseEmpty(env, "SHELFCHECK_ALLOW_LOAD");
  const remote: Target = {
    name: name ?? new URL(address).host,
    baseUrl: address,
    keys: found.keys,
    keyVariables: found.variables,
    keyNames: found.names,
    categories: categories ?? own?.categories ?? [],
    fieldNames: own?.dialect ?? {},
    timeoutMilliseconds: own?.timeoutMilliseconds ?? defaults.timeoutMilliseconds,
    avoid: own?.avoid,
    optional: own?.optional,
    maxRequestsPerSecond: own?.maxRequestsPerSecond,
    maxConcurrency: own?.maxConcurrency,
    expectedLimit: own?.expect?.rateLimit,
    connection,
  };
  const permission: LoadPermission = {
    baseUrl: address,
    // The entry of another address cannot allow it.
    name: own?.allowLoad === true || own?.baseUrl === text ? name : undefined,
    file,
    allowedBaseUrl: own?.allowLoad === true ? own.baseUrl : undefined,
    allowedHosts: env.SHELFCHECK_ALLOW_LOAD,
  };
  return { ...common, choice: { kind: "remote", target: remote, permission }, missingKeys: found.missing };
}

/** The settings of a command that reads earlier runs: folders, names and redaction, and no target. */
export async function settingsWithoutTarget(
  { out, config }: Pick<TargetFlags, "out" | "config">,
  io: Pick<Io, "env" | "cwd" | "hideFromChildProcesses">,
): Promise<Settings> {
  return await resolveSettings({ out, config, target: defaults.target }, io);
}

// Undefined for a target with an address only. With --base-url or SHELFCHECK_BASE_URL, the config's default
// target still provides keys and field names, unless it is `embedded`.
function targetName(
  { target, baseUrl }: TargetFlags,
  { SHELFCHECK_BASE_URL }: NodeJS.ProcessEnv,
  { defaultTarget }: Config,
): string | undefined {
  if (target !== undefined) return target;
  if ((baseUrl ?? SHELFCHECK_BASE_URL) === undefined) return defaultTarget ?? defaults.target;
  return defaultTarget === defaults.target ? undefined : defaultTarget;
}

function targetOf(name: string, { targets = {} }: Config, file: string): TargetConfig {
  const own = Object.hasOwn(targets, name) ? targets[name] : undefined;
  if (own !== undefined) return own;
  throw new UsageError({
    what: `There is no target ${JSON.stringify(name)}`,
    where: file || "no shelfcheck.config.ts was found in this folder",
    fix: didYouMean(name, [defaults.target, ...Object.keys(targets)]),
  });
}

/**
 * Refuses the built-in service by default in CI: if it passes, that says nothing about a release.
 * @throws UsageError when `CI` is set, and no flag, variable or config file names a target.
 */
export function requireNamedTarget({ targetIsDefault }: Settings, env: NodeJS.ProcessEnv): void {
  const inCi = env.CI !== undefined && !["", "0", "false"].includes(env.CI.toLowerCase());
  if (!targetIsDefault || !inCi) return;
  throw new UsageError({
    what: "No target is named, and in CI the built-in reference service is not the default",
    where: "CI is set; --target, --base-url, SHELFCHECK_BASE_URL and defaultTarget are not",
    fix: "Name your service with one of them, or choose the built-in one with --target embedded (in vitest, SHELFCHECK_TARGET=embedded).",
  });
}

/**
 * Parses a base URL: http or https, ending in /v1 (spec, Versioning), returned without a slash at the end.
 *
 * @param where The flag, variable or key in the config that it comes from.
 * @throws UsageError. The message never repeats credentials or a query, which may hold a secret.
 */
export function parseBaseUrl(text: string, where: string): string {
  const wrong = (what: string, fix: string): UsageError =>
    new UsageError({ what: `The base URL ${what}`, where, fix });
  const example = "for example https://catalog.example.com/v1";
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw wrong("is not an http or https URL", `Expected http:// or https://, a host and /v1, ${example}.`);
  const { username, password, origin } = url;
  if (username !== "" || password !== "")
    throw wrong(
      "contains a user name or password",
      "Remove them: reports show the URL. API keys belong in environment variables (SHELFCHECK_API_KEY).",
    );
  if (/[?#]/.test(text))
    throw wrong("has a query or a fragment", `Expected only scheme, host and path, ${example}.`);
  const path = url.pathname.replace(/\/+$/, "");
  if (path.endsWith("/v1")) return `${origin}${path}`;
  const likely = `${origin}${path.replace(/\/v\d+(\/.*)?$/i, "")}/v1`;
  throw wrong("does not end in /v1", `Expected it to end in the version segment /v1: ${likely}`);
}
