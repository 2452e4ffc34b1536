import { keyHeaders } from "../../schemas/api.ts";
import type { LoadFixtures } from "../../schemas/contracts/load-fixtures.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import { keyVariables, type Secret, secretsOfHeader, shortestKey } from "../../schemas/redaction.ts";
import { traceparentHeader } from "../../schemas/request-id.ts";
import { catalogFrom, type LoadCatalog } from "./catalog.ts";

/** The environment variables of a script; README.md has the table. */
export interface LoadSettings {
  /** With the version segment, without a trailing slash. */
  readonly baseUrl: string;
  readonly key: string;
  /** A key of another organization, whose limit the probe must not affect; may be empty. */
  readonly otherOrgKey: string;
  /** The names that replace the keys in evidence and messages. */
  readonly keyName: string;
  readonly otherOrgKeyName: string;
  /** Headers that a gateway in front of the service requires, and a different Host. */
  readonly headers: Readonly<Record<string, string>>;
  /** The secret values among them, with the names that replace them. */
  readonly headerSecrets: readonly Secret[];
  /** Header for the id of each request; empty for none. */
  readonly requestIdHeader: string;
  /** k6 options for reaching the target: client certificate, unchecked certificates. */
  readonly connectionOptions: ConnectionOptions;
  readonly fixturesPath: string;
  /** Name, or path of a JSON file. Default: `profile.json` beside the script, or else `smoke` */
  readonly profile: string | undefined;
  /** The name that results show for it. */
  readonly profileName: string;
  readonly seed: number;
  /** File for the summary as JSON; undefined for none. */
  readonly summaryPath: string | undefined;
  /** The run that this process is one pod of: its result then ends the standard output. Empty for none. */
  readonly runId: string;
}

/** Reads the settings. Errors name the variable and the fix, never the value, which may contain a key. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): LoadSettings {
  let baseUrl = env.SHELFCHECK_BASE_URL ?? "";
  while (baseUrl.endsWith("/")) baseUrl = baseUrl.slice(0, -1);
  if (baseUrl !== "" && !isPlainAddress(baseUrl)) {
    throw new Error(
      "SHELFCHECK_BASE_URL is not an http(s) address without query and user: give https://host/v1",
    );
  }
  return {
    baseUrl,
    key: secretOf(env.SHELFCHECK_API_KEY),
    otherOrgKey: secretOf(env.SHELFCHECK_OTHER_ORG_API_KEY),
    keyName: env.SHELFCHECK_API_KEY_NAME || keyVariables.primary,
    otherOrgKeyName: env.SHELFCHECK_OTHER_ORG_API_KEY_NAME || keyVariables.otherOrg,
    ...readHeaders(env),
    connectionOptions: readConnectionOptions(env),
    requestIdHeader:
      env.SHELFCHECK_REQUEST_ID_HEADER === "off" ? "" : env.SHELFCHECK_REQUEST_ID_HEADER || traceparentHeader,
    fixturesPath: env.SHELFCHECK_FIXTURES || "fixtures.json",
    profile: env.SHELFCHECK_PROFILE || undefined,
    profileName: env.SHELFCHECK_PROFILE_NAME || env.SHELFCHECK_PROFILE || "",
    seed: seedOf(env.SHELFCHECK_SEED || "1"),
    summaryPath: env.SHELFCHECK_SUMMARY || undefined,
    runId: env.SHELFCHECK_RUN_ID ?? "",
  };
}

/** The headers of every request to the target, with this key. */
export function headersWith(key: string, { headers }: Pick<LoadSettings, "headers">): Record<string, string> {
  return { ...headers, [keyHeaders.bearer]: `Bearer ${key}`, Accept: "application/json" };
}

/** k6 options for reaching the target. */
export interface ConnectionOptions {
  /** In PEM, or paths of PEM files. */
  readonly tlsAuth?: readonly [{ readonly cert: string; readonly key: string }];
  readonly insecureSkipTLSVerify?: boolean;
}

function readConnectionOptions(env: Readonly<Record<string, string | undefined>>): ConnectionOptions {
  const { SHELFCHECK_CLIENT_CERTIFICATE: cert = "", SHELFCHECK_CLIENT_KEY: key = "" } = env;
  if ((cert === "") !== (key === "")) {
    throw new Error(
      "SHELFCHECK_CLIENT_CERTIFICATE and SHELFCHECK_CLIENT_KEY go together: give both, in PEM or as files",
    );
  }
  return {
    ...(cert === "" ? {} : { tlsAuth: [{ cert, key }] }),
    ...(env.SHELFCHECK_INSECURE === "true" ? { insecureSkipTLSVerify: true } : {}),
  };
}

function readHeaders(
  env: Readonly<Record<string, string | undefined>>,
): Pick<LoadSettings, "headers" | "headerSecrets"> {
  const headers: Record<string, string> = {};
  const headerSecrets: Secret[] = [];
  for (const entry of (env.SHELFCHECK_HEADERS ?? "").split(",")) {
    if (entry.trim() === "") continue;
    const [name = "", variable = ""] = entry.split("=").map((part) => part.trim());
    const value = secretOf(env[variable]);
    if (name === "" || value === "") {
      throw new Error(
        "SHELFCHECK_HEADERS names a header whose variable is not set: expected Name=VARIABLE, separated by commas",
      );
    }
    headers[name] = value;
    // Variables with this prefix hold values from the config that are not secret.
    if (!variable.startsWith("SHELFCHECK_HEADER_"))
      headerSecrets.push(...secretsOfHeader(value, `$${variable}`));
  }
  if (env.SHELFCHECK_HOST) headers.Host = env.SHELFCHECK_HOST;
  return { headers, headerSecrets };
}

/** A secret without the line break that ends the file it was written to, which no header can hold. */
function secretOf(text: string | undefined): string {
  return (text ?? "").trim();
}

// Without regular expressions, each of which would cost every virtual user memory.

function isPlainAddress(text: string): boolean {
  const rest = text.startsWith("https://") ? text.slice(8) : text.startsWith("http://") ? text.slice(7) : "";
  const host = rest.split("/", 1)[0] ?? "";
  return host !== "" && !host.includes("@") && !rest.includes("?") && !rest.includes("#");
}

function seedOf(text: string): number {
  const seed = Number(text);
  if (Number.isSafeInteger(seed) && seed >= 0 && String(seed) === text) return seed;
  throw new Error("SHELFCHECK_SEED is not a whole number from 0: give one, or unset the variable");
}

/** Throws if a setting is missing that only a run needs; `k6 archive` and `k6 inspect` work without it. */
export function requireTarget({ baseUrl, key, otherOrgKey }: LoadSettings): void {
  if (baseUrl === "")
    throw new Error("SHELFCHECK_BASE_URL is not set: give the base address, such as https://host/v1");
  if (key === "") throw new Error("SHELFCHECK_API_KEY is not set: export the API key; it is never a flag");
  const keys = { SHELFCHECK_API_KEY: key, SHELFCHECK_OTHER_ORG_API_KEY: otherOrgKey };
  for (const [variable, { length }] of Object.entries(keys))
    if (length > 0 && length < shortestKey)
      throw new Error(
        `${variable} has fewer than ${shortestKey} characters: it could not be redacted safely`,
      );
}

/** The lists of a catalog, in the order in which virtual users share them. */
export const listNames = ["byId", "byUrl", "byGtin", "batchItems", "categoryPaths"] as const;
export type ListName = (typeof listNames)[number];

/** Everything that virtual users share, except for the elements of the lists. */
export interface Prepared {
  readonly settings: LoadSettings;
  readonly profile: Profile;
  /** Numbers of elements of the lists. */
  readonly lengths: Readonly<Record<ListName, number>>;
  /** The catalog without its lists. */
  readonly rest: Omit<LoadCatalog, ListName>;
}

/**
 * For all virtual users. The first text is JSON of `Prepared`; those of the lists follow, list after list.
 * Must be called in the init context, where k6 allows `open`.
 */
export function prepare(
  env: Readonly<Record<string, string | undefined>>,
  profiles: Readonly<Record<string, Profile>>,
): string[] {
  const settings = readSettings(env);
  const fixtures = JSON.parse(open(settings.fixturesPath)) as LoadFixtures;
  const { byId, byUrl, byGtin, batchItems, categoryPaths, ...rest } = catalogFrom(fixtures);
  const lists = { byId, byUrl, byGtin, batchItems, categoryPaths };
  const { profile, name } = openProfile(settings.profile, profiles);
  const prepared: Prepared = {
    settings: { ...settings, profileName: settings.profileName || name },
    profile,
    lengths: Object.fromEntries(listNames.map((list) => [list, lists[list].length])) as Prepared["lengths"],
    rest,
  };
  const texts = listNames.flatMap((list) =>
    Array.from({ length: lists[list].length }, (_, place) => lists[list].at(place) ?? ""),
  );
  return [JSON.stringify(prepared), ...texts];
}

/** Without a name, the profile beside the script, as in the folder of a run, or else `smoke`. */
function openProfile(
  named: string | undefined,
  profiles: Readonly<Record<string, Profile>>,
): { profile: Profile; name: string } {
  if (named === undefined) return openBeside("profile.json") ?? openProfile("smoke", profiles);
  if (named.endsWith(".json")) return { profile: JSON.parse(open(named)) as Profile, name: named };
  const profile = profiles[named];
  if (profile !== undefined) return { profile, name: named };
  throw new Error(
    `SHELFCHECK_PROFILE: ${named} is neither the path of a .json file nor one of ${Object.keys(profiles).join(", ")}`,
  );
}

function openBeside(file: string): ReturnType<typeof openProfile> | undefined {
  let text: string;
  try {
    text = open(file);
  } catch {
    return undefined;
  }
  return { profile: JSON.parse(text) as Profile, name: file };
}
