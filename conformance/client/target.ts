import { createHash } from "node:crypto";
import type { Dialect, TargetConfig } from "../../schemas/types.ts";
import type { Way } from "./way.ts";

/** Whose key a request carries; `nobody` sends none. */
export type Caller = "primary" | "sameOrg" | "otherOrg" | "nobody";

export type KeyRole = Exclude<Caller, "nobody">;

/** The names of the environment variables that hold the keys, by which each key is shown. */
export type KeyVariables = Readonly<Record<KeyRole, string>>;

/** Whose limit and entitlement a request falls under. */
export type Organization = "first" | "other" | "nobody";

/** The two keys of one organization share its limit and see the same (spec, Limits and Authentication). */
export const organizationOf: Readonly<Record<Caller, Organization>> = {
  primary: "first",
  sameOrg: "first",
  otherOrg: "other",
  nobody: "nobody",
};

/** The service under test, as flags, environment and config file name it. */
export interface Target {
  readonly name: string;
  /** With scheme and the segment /v1, without a slash at the end. */
  readonly baseUrl: string;
  readonly keys: { readonly primary?: string; readonly sameOrg?: string; readonly otherOrg?: string };
  /** Where the keys come from, as the config names it. Default: the usual names */
  readonly keyVariables?: KeyVariables;
  /** URL of the HTTP proxy to ask through. Default: none */
  readonly proxy?: string;
  readonly categories: readonly string[];
  /** What the user knows of the names that the spec leaves open; the rest is discovered. */
  readonly dialect: Dialect;
  /** What must not be done to it. Default: nothing is avoided */
  readonly avoid?: NonNullable<TargetConfig["avoid"]>;
  /** What it will never have. Default: nothing */
  readonly optional?: NonNullable<TargetConfig["optional"]>;
  /** Most requests a second. Default: as many as it accepts */
  readonly maxRequestsPerSecond?: number;
  /** Most requests under way at the same time. Default: no limit of its own */
  readonly maxConcurrency?: number;
  /** How it is reached. Default: as its base URL says */
  readonly way?: Way;
  /** Longest wait for one whole answer. */
  readonly timeoutMilliseconds: number;
}

/** Tells two keys apart without telling either: the first 12 hexadecimal digits of the SHA-256, or `none`. */
export function keyFingerprint(key: string | undefined): string {
  return key === undefined ? "none" : createHash("sha256").update(key).digest("hex").slice(0, 12);
}
