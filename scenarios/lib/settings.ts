import { keyHeaders } from "../../schemas/api.ts";
import { keyVariables, type Secret, secretsOfHeader, shortestKey } from "../../schemas/redaction.ts";
import { traceparentHeader } from "../../schemas/request-id.ts";

/** The environment variables of a script; README.md has the table. */
export type LoadSettings = ReturnType<typeof readSettings>;

/** Reads the settings. Errors name the variable and the fix, never the value, which may contain a key. */
export function readSettings(env: Readonly<Record<string, string | undefined>>) {
  const baseUrl = (env.SHELFCHECK_BASE_URL ?? "").replace(/\/+$/, "");
  if (baseUrl !== "" && !/^https?:\/\/[^/@?#]+(\/[^?#]*)?$/.test(baseUrl)) {
    throw new Error(
      "SHELFCHECK_BASE_URL is not an http(s) address without query and user: give https://host/v1",
    );
  }
  return {
    /** With the version segment, without a trailing slash. */
    baseUrl,
    key: secretOf(env.SHELFCHECK_API_KEY),
    /** A key of another organization, whose limit the probe must not affect; may be empty. */
    otherOrgKey: secretOf(env.SHELFCHECK_OTHER_ORG_API_KEY),
    /** The names that replace the keys in evidence and messages. */
    keyName: env.SHELFCHECK_API_KEY_NAME || keyVariables.primary,
    otherOrgKeyName: env.SHELFCHECK_OTHER_ORG_API_KEY_NAME || keyVariables.otherOrg,
    ...readHeaders(env),
    connectionOptions: readConnectionOptions(env),
    /** Header for the id of each request; empty for none. */
    requestIdHeader:
      env.SHELFCHECK_REQUEST_ID_HEADER === "off" ? "" : env.SHELFCHECK_REQUEST_ID_HEADER || traceparentHeader,
    fixturesPath: env.SHELFCHECK_FIXTURES || "fixtures.json",
    seed: seedOf(env.SHELFCHECK_SEED || "1"),
    /** File for the summary as JSON; undefined for none. */
    summaryPath: env.SHELFCHECK_SUMMARY || undefined,
    /** The run that this process is one pod of: its result then ends the standard output. Empty for none. */
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

/** Headers that a gateway in front of the service requires, a different Host, and the secrets among them. */
function readHeaders(env: Readonly<Record<string, string | undefined>>) {
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
