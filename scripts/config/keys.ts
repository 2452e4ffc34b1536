import type { KeyRole, KeyVariables, Target } from "../../conformance/client/target.ts";
import type { Config, TargetConfig } from "../../schemas/contracts/config.ts";
import {
  createRedaction,
  keyVariables,
  placeholderOf,
  shortestKey,
  type TextRedaction,
} from "../../schemas/redaction.ts";
import { type ProblemText, UsageError } from "../errors.ts";
import { wordsOfResults } from "./words-of-results.ts";

const roles = ["primary", "sameOrg", "otherOrg"] as const satisfies readonly KeyRole[];

/** The keys of a target, the variables that they come from, and the roles whose required variable is not set. */
export interface FoundKeys {
  readonly keys: Target["keys"];
  readonly variables: KeyVariables;
  readonly missing: readonly KeyRole[];
}

/**
 * Reads the keys from the environment. The primary key is always required, the other two only if the config file names
 * variables for them.
 *
 * @param place Where the config file names the variables, for messages.
 * @throws UsageError when the file seems to contain a key itself, when a key cannot be sent in a header or redacted, or when
 *   two roles have the same key.
 */
export function readKeys(
  named: NonNullable<TargetConfig["keys"]>,
  env: NodeJS.ProcessEnv,
  place: string,
): FoundKeys {
  const variables: KeyVariables = { ...keyVariables, ...named };
  const keys: { -readonly [Role in KeyRole]?: string } = {};
  for (const role of roles) {
    refuseEmpty(env, variables[role]);
    const key = env[variables[role]];
    if (key === undefined) refusePasted(named[role], `${place}.${role}`);
    if (key !== undefined) keys[role] = checked(key, variables[role]);
  }
  for (const role of ["sameOrg", "otherOrg"] as const) requireDifferentKeys(keys, role, variables);
  const missing = roles.filter(
    (role) => keys[role] === undefined && (role === "primary" || named[role] !== undefined),
  );
  return { keys, variables, missing };
}

/**
 * The environment without the keys of all targets, for child processes that need none.
 * @param others Names of variables with other secrets.
 */
export function withoutKeys(
  config: Config,
  env: NodeJS.ProcessEnv,
  others: readonly string[] = [],
): NodeJS.ProcessEnv {
  const names = new Set([...keyNames(config), ...others]);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name)));
}

/** Redacts the keys of all targets in the environment, for text from files. */
export function redactionOf(
  config: Config,
  env: NodeJS.ProcessEnv,
  others: readonly string[] = [],
): TextRedaction {
  const keys = [...keyNames(config), ...others].map((name) => ({
    key: env[name] ?? "",
    shownAs: placeholderOf(name),
  }));
  return createRedaction(keys.filter(({ key }) => whyNotRedacted(key) === undefined));
}

/** Names of the variables that hold the keys of all targets. */
export function keyNames({ targets = {} }: Config): string[] {
  const named = Object.values(targets).flatMap(({ keys = {} }) => Object.values(keys));
  return [...Object.values(keyVariables), ...named];
}

function refusePasted(named: string | undefined, where: string): void {
  if (named === undefined || isVariableName(named)) return;
  throw new UsageError({
    what: `${masked(named)} looks like a key, not like the name of an environment variable`,
    where,
    fix: "Put the key in an environment variable, such as STAGING_API_KEY, and the name of the variable here. If others can read the file, have the service issue a new key.",
  });
}

/** Whether a text looks like the name of a variable: words separated by underscores, none of which looks random. */
function isVariableName(text: string): boolean {
  const isWords = /^(?:[A-Z_][A-Z0-9_]*|[a-z]+(?:_[a-z]+)*\d?)$/.test(text);
  return isWords && !/[a-z]{16}|[A-Z]{24}|(?=[A-Z]*\d)[A-Z0-9]{16}/.test(text);
}

/** Whether a text may be a key: letters and digits without spaces, and not a URL. */
export function looksLikeKey(text: string): boolean {
  return /^(?=.*[a-z])(?=.*\d)[\x21-\x7e]{8,}$/i.test(text) && !/^https?:/.test(text);
}

/** The beginning and length of a secret: enough for its owner to recognize it, and useless to others. */
export function masked(text: string): string {
  return `${text.slice(0, text.length < 12 ? 1 : 3)}… (${text.length} characters)`;
}

/** @throws UsageError when the variable is set but empty. In CI, this usually means that the secret does not exist. */
export function refuseEmpty(env: NodeJS.ProcessEnv, variable: string): void {
  if (env[variable]?.trim() !== "") return;
  throw new UsageError({
    what: "An environment variable is set but empty",
    where: variable,
    fix: "Set it to a value or unset it. In CI, check that its secret exists.",
  });
}

/** The value of a variable that has to be set. @throws UsageError with this fix when it is not. */
export function requiredVariable(env: NodeJS.ProcessEnv, variable: string, fix: string): string {
  refuseEmpty(env, variable);
  const value = env[variable];
  if (value !== undefined) return value;
  throw new UsageError({ what: "An environment variable is not set", where: variable, fix });
}

function checked(key: string, variable: string): string {
  if (/^(["'`]).*\1$/.test(key)) {
    throw new UsageError({
      what: "The key is in quotes, which would be sent as part of it",
      where: variable,
      fix: "Set it to the key alone. Files that a CI system or Docker reads as variables need no quotes.",
    });
  }
  // Characters that are allowed in a header value (RFC 9110, 5.5), without spaces. A copied key may end in a line break.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new UsageError({
      what: "The key contains a space, a line break or a character that is not allowed in an HTTP header",
      where: variable,
      fix: "Set it to the key alone, in visible ASCII characters without spaces.",
    });
  }
  const why = whyNotRedacted(key);
  if (why !== undefined) throw new UsageError({ ...why, where: variable });
  return key;
}

/**
 * Checks a secret other than a key, such as the value of a gateway's header. It may contain spaces.
 * @throws UsageError when it cannot be sent in a header or redacted.
 */
export function checkedSecret(value: string, variable: string): string {
  if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)) {
    throw new UsageError({
      what: "The value contains a line break, a space at its start or end, or a character that is not allowed in an HTTP header",
      where: variable,
      fix: "Set it to ASCII characters only, without surrounding spaces.",
    });
  }
  const why = whyNotRedacted(value);
  if (why !== undefined) {
    throw new UsageError({ what: why.what.replace("The key", "The value"), where: variable, fix: whyShort });
  }
  return value;
}

const whyShort =
  "Redacting it would make the reports unreadable: have the gateway issue a longer one. A value that is not a secret can be written in the config directly.";

/** Why a key cannot be redacted, and the fix; undefined when it can. */
function whyNotRedacted(key: string): Pick<ProblemText, "what" | "fix"> | undefined {
  if (key.length < shortestKey) {
    return {
      what: `The key has fewer than ${shortestKey} characters`,
      fix: "A text this short also occurs in responses and reports that do not contain the key, so it cannot be redacted safely. Have the service issue a longer key.",
    };
  }
  if (wordsOfResults().includes(key.toLowerCase())) {
    return {
      what: "The key is a word that results.json uses itself",
      fix: "Redacting it would make the reports unreadable. Have the service issue another key.",
    };
  }
  return undefined;
}

// With the same key twice, checks that compare two keys would prove nothing.
function requireDifferentKeys(
  keys: Target["keys"],
  role: "sameOrg" | "otherOrg",
  variables: KeyVariables,
): void {
  const twin = roles.find((other) => other !== role && keys[other] === keys[role]);
  if (keys[role] === undefined || twin === undefined) return;
  throw new UsageError({
    what: "Two variables hold the same key",
    where: `${variables[role]} and ${variables[twin]}`,
    fix: `Give ${variables[role]} a different key, or unset it.`,
  });
}
