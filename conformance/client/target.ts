import { createHash } from "node:crypto";
import type { Connection } from "../../schemas/connection.ts";
import type { TargetConfig } from "../../schemas/contracts/config.ts";
import type { FieldNames } from "../../schemas/contracts/product.ts";

/** Whose key a request carries; `nobody` sends none. */
export type Caller = "primary" | "sameOrg" | "otherOrg" | "nobody";

export type KeyRole = Exclude<Caller, "nobody">;

/** The environment variables of the keys; reports show these names in place of the keys. */
export type KeyVariables = Readonly<Record<KeyRole, string>>;

/** The organization whose rate limit and entitlement apply to a request. */
export type Organization = "first" | "other" | "nobody";

/** Two keys of one organization share its rate limit and entitlement (spec, Limits and Authentication). */
export const organizationOf: Readonly<Record<Caller, Organization>> = {
  primary: "first",
  sameOrg: "first",
  otherOrg: "other",
  nobody: "nobody",
};

/** The service under test, as defined by flags, environment and config file. */
export interface Target {
  readonly name: string;
  /** With scheme and the segment /v1, without a trailing slash. */
  readonly baseUrl: string;
  readonly keys: { readonly primary?: string; readonly sameOrg?: string; readonly otherOrg?: string };
  readonly keyVariables: KeyVariables;
  /** What a message names whose fix is another key. Default: the variables */
  readonly keyNames?: KeyVariables | undefined;
  readonly categories: readonly string[];
  /** Names that the spec leaves open, as far as the user gives them; the rest is discovered. */
  readonly fieldNames: FieldNames;
  /** What the run must not do to the target. Default: nothing is avoided */
  readonly avoid?: TargetConfig["avoid"] | undefined;
  /** What the target is known not to offer. Default: nothing */
  readonly optional?: TargetConfig["optional"] | undefined;
  /** Most requests per second. Default: as many as the target accepts */
  readonly maxRequestsPerSecond?: number | undefined;
  /** The rate limit that the user expects of the target. */
  readonly expectedLimit?: { readonly perSecond?: number; readonly burst?: number } | undefined;
  /** Most concurrent requests. Default: no limit */
  readonly maxConcurrency?: number | undefined;
  /** How the target is reached. Default: directly, at its base URL */
  readonly connection?: Connection | undefined;
  /** Longest wait for one complete response. */
  readonly timeoutMilliseconds: number;
}

/** Distinguishes keys without revealing them: the first 12 hexadecimal digits of the SHA-256, or `none`. */
export function keyFingerprint(key: string | undefined): string {
  return key === undefined ? "none" : createHash("sha256").update(key).digest("hex").slice(0, 12);
}
