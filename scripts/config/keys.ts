import type { KeyRole, KeyVariables, Target } from "../../conformance/client/target.ts";
import type { TargetConfig } from "../../schemas/contracts/config.ts";
import {
  createRedaction,
  keyVariables,
  placeholderOf,
  shortestKey,
  type TextRedaction,
} from "../../schemas/redaction.ts";
import { UsageError } from "../errors.ts";
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
    else keys[role] = checkedSecret(key, variables[role], "key");
    const same = roles.find((other) => other !== role && key !== undefined && keys[other] === key);
    // With the same key twice, checks that compare two keys would prove nothing.
    if (same !== undefined) {
      throw new UsageError({
        what: "Two variables hold the same key",
        where: `${variables[role]} and ${variables[same]}`,
        fix: `Give ${variables[role]} a different key, or unset it.`,
      });
    }
  }
  const missing = roles.filter(
    (role) => keys[role] === undefined && (role === "primary" || named[role] !== undefined),
  );
  return { keys, variables, missing };
}

/** Redacts the values of these variables, for text from files. */
export function redactionOf(variables: readonly string[], env: NodeJS.ProcessEnv): TextRedaction {
  const values = variables.map((name) => ({ key: env[name] ?? "", shownAs: placeholderOf(name) }));
  return createRedaction(values.filter(({ key }) => key.length >= shortestKey && !isWordOfResults(key)));
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

/**
 * A secret that can be sent in a header and redacted: a key, or the value of a gateway's header, which may contain spaces.
 *
 * @throws UsageError, which does not repeat it.
 */
export function checkedSecret(value: string, variable: string, noun: "key" | "value"): string {
  const wrong = (what: string, fix: string) =>
    new UsageError({ what: `The ${noun} ${what}`, where: variable, fix });
  if (noun === "key" && /^(["'`]).*\1$/.test(value))
    throw wrong(
      "is in quotes, which would be sent as part of it",
      "Set it to the key alone. Files that a CI system or Docker reads as variables need no quotes.",
    );
  // RFC 9110, 5.5. A copied key may end in a line break.
  const allowed = noun === "key" ? /^[\x21-\x7e]+$/ : /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
  const spaces = noun === "key" ? "a space, a line break" : "a line break, a space at its start or end,";
  if (!allowed.test(value))
    throw wrong(
      `contains ${spaces} or a character that is not allowed in an HTTP header`,
      `Set it to the ${noun} alone, in visible ASCII characters.`,
    );
  if (value.length < shortestKey)
    throw wrong(
      `has fewer than ${shortestKey} characters`,
      "A text this short also occurs in responses and reports that do not contain it, so it cannot be redacted safely. Have a longer one issued; what is no secret can be written in the config.",
    );
  if (isWordOfResults(value))
    throw wrong(
      "is a word that results.json uses itself",
      "Redacting it would make the reports unreadable. Have another one issued.",
    );
  return value;
}

function isWordOfResults(key: string): boolean {
  return wordsOfResults().includes(key.toLowerCase());
}
