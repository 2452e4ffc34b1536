import type { KeyRole, KeyVariables, Target } from "../../conformance/client/target.ts";
import { endpoints } from "../../schemas/api.ts";
import type { TargetConfig } from "../../schemas/contracts/config.ts";
import { causes } from "../../schemas/contracts/verdicts.ts";
import * as vocabulary from "../../schemas/contracts/vocabulary.ts";
import {
  createRedaction,
  keyVariables,
  placeholderOf,
  type Secret,
  shortestKey,
  type TextRedaction,
} from "../../schemas/redaction.ts";
import { coreWords } from "../../schemas/words/index.ts";
import { added } from "../core/added.ts";
import { UsageError } from "../errors.ts";

/** The key of each role, for messages. */
const roles = {
  primary: "the API key to use for requests",
  sameOrg: "a second key of the same organization, or remove it from the target's keys",
  otherOrg: "a key of another organization, or remove it from the target's keys",
} as const satisfies Record<KeyRole, string>;
const roleNames = Object.keys(roles) as KeyRole[];

interface FoundKeys {
  readonly keys: Target["keys"];
  /** The variables that they come from. */
  readonly variables: KeyVariables;
  /** What to name in messages about them: the variables, or the options of a program that gives them itself. */
  readonly names: KeyVariables;
  /** For each required variable that is not set, the error of a run. */
  readonly missing: readonly UsageError[];
}

/**
 * Reads the keys from the environment: always the primary one, the others if the config file names their
 * variables.
 * @param place Where the config file names the variables, for messages.
 * @param hint What else to say of a key that is missing.
 * @param given Roles whose keys a program gives itself.
 * @throws UsageError when the file seems to contain a key itself, when a key cannot be sent in a header or
 * redacted, or when two roles have the same key.
 */
export function readKeys(
  named: NonNullable<TargetConfig["keys"]>,
  env: NodeJS.ProcessEnv,
  {
    place,
    hint,
    given,
  }: { readonly place: string; readonly hint: string; readonly given: readonly KeyRole[] },
): FoundKeys {
  const variables: KeyVariables = { ...keyVariables, ...named };
  const names = { ...variables, ...Object.fromEntries(given.map((role) => [role, `keys.${role}`])) };
  const keys: { -readonly [Role in KeyRole]?: string } = {};
  for (const role of roleNames) {
    refuseEmpty(env, variables[role], names[role]);
    const key = env[variables[role]];
    if (key === undefined) refusePasted(named[role], `${place}.${role}`);
    else keys[role] = checkedSecret(key, names[role], "key");
    const same = roleNames.find((other) => other !== role && key !== undefined && keys[other] === key);
    // With the same key twice, checks that compare two keys would prove nothing.
    if (same !== undefined) {
      throw new UsageError({
        what: "Two roles have the same key",
        where: [...new Set([names[role], names[same]])].join(" and "),
        fix:
          names[role] === names[same]
            ? `Name another variable in ${place}.${role}.`
            : `Give ${names[role]} a different key, or unset it.`,
      });
    }
  }
  const missing = roleNames
    .filter((role) => keys[role] === undefined && (role === "primary" || named[role] !== undefined))
    .map((role) => {
      const usual = keyVariables[role];
      const ofEntry = variables[role] === usual ? "" : ` It is named in ${place}, so ${usual} is not used.`;
      return notSet(variables[role], `Set it to ${roles[role]}.${ofEntry}${hint}`);
    });
  return { keys, variables, names, missing };
}

/** Redacts the values of these variables, for text from files. */
export function redactionOf(variables: readonly string[], env: NodeJS.ProcessEnv): TextRedaction {
  const values = variables.map((name) => ({ key: env[name] ?? "", shownAs: placeholderOf(name) }));
  return createRedaction(values.filter(({ key }) => isRedacted(key)));
}

const isRedacted = (value: string) => value.length >= shortestKey && !isWordOfResults(value);

/** The values of all environment variables whose names say that they are secret. */
export function secretsIn(env: NodeJS.ProcessEnv): Secret[] {
  return Object.entries(env).flatMap(([name, key = ""]) =>
    /KEY|TOKEN|SECRET|PASS|AUTH(?!ORS?(_|$))|COOKIE|CREDENTIAL|PROXY/i.test(name) && isRedacted(key)
      ? [{ key, shownAs: placeholderOf(name) }]
      : [],
  );
}

/** Refuses what is no name of a variable: words separated by underscores, none of which looks random. */
function refusePasted(named: string | undefined, where: string): void {
  const isWords = /^(?:[A-Z_][A-Z0-9_]*|[a-z]+(?:_[a-z]+)*\d?)$/;
  const isRandom = /[a-z]{16}|[A-Z]{24}|(?=[A-Z]*\d)[A-Z0-9]{16}/;
  if (named === undefined || (isWords.test(named) && !isRandom.test(named))) return;
  throw new UsageError({
    what: `${masked(named)} looks like a key, not like the name of an environment variable`,
    where,
    fix: "Put the key in an environment variable, such as STAGING_API_KEY, and the name of the variable here. If others can read the file, have the service issue a new key.",
  });
}

/** Whether a text may be a key: letters and digits without spaces, and not a URL. */
export function looksLikeKey(text: string): boolean {
  return /^(?=.*[a-z])(?=.*\d)[\x21-\x7e]{8,}$/i.test(text) && !/^https?:/.test(text);
}

/** The beginning and length of a secret: enough for its owner to recognize it, and useless to others. */
export function masked(text: string): string {
  return `${text.slice(0, text.length < 12 ? 1 : 3)}… (${text.length} characters)`;
}

/** @throws UsageError for a variable that has at most blanks and commas: in CI, its secret often does not exist. */
export function refuseEmpty(env: NodeJS.ProcessEnv, variable: string, where = variable): void {
  if (env[variable]?.replaceAll(/[\s,]+/g, "") !== "") return;
  throw new UsageError({
    what: `${where === variable ? "An environment variable" : "A key"} is set but empty`,
    where,
    fix: "Set it to a value or unset it. In CI, check that its secret exists.",
  });
}

function notSet(where: string, fix: string): UsageError {
  return new UsageError({ what: "An environment variable is not set", where, fix });
}

/** The secret in a required variable, as checkedSecret returns it. @throws UsageError with this fix */
export function requiredSecret(env: NodeJS.ProcessEnv, variable: string, fix: string): string {
  refuseEmpty(env, variable);
  const value = env[variable];
  if (value === undefined) throw notSet(variable, fix);
  return checkedSecret(value, variable, "value");
}

/**
 * A key, or the value of a gateway's header, which may have spaces, that can be sent in a header and
 * redacted.
 * @throws UsageError, which does not repeat it.
 */
function checkedSecret(value: string, where: string, noun: "key" | "value"): string {
  const wrong = (what: string, fix: string) => new UsageError({ what: `The ${noun} ${what}`, where, fix });
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
      "A text this short may occur in responses and reports by chance, so it cannot be redacted safely. Have a longer one issued; what is no secret can be written in the config.",
    );
  if (isWordOfResults(value))
    throw wrong(
      "is, or is a part of, a word that results.json uses itself",
      "Redacting it would make the reports unreadable. Have another one issued.",
    );
  return value;
}

/** Names of fields in results.json, and values there, of 8 characters or more; what is a part of another is left out. */
const names = `
  accounted attempts batchFoundField batchFoundProduct batchRequestField belongsTo burstHigh burstLow
  byEndpoint byStatus byte-order-mark categories commandLine comparedPath comparedWith conditions
  conformance conformant contract crossing discovered endpoints environment errorCode
  evidence excerpts exchangesLeftOut excluded exitCode failedRate failures fewSamples
  fieldsByRetailer findingsLeftOut finishedAt fixtures highestRate inconclusive isIncomplete
  keyFingerprint lateMilliseconds left-out limitUnit location
  longestRetryAfterSeconds megabytes notApplicable notJudged ofChecks optional otherOrg
  overlapping periodSeconds perSecond placeFlags product_id productId productsByType provokedBy
  rateLimit refusedAgain refusedRate refusedShare refusedWith request-id requestRate requests/s
  requirements retailer-domains retailer-list scenario schemaVersion sentence shiftMinutes startedAt
  statement statistic statuses thresholds undetectedShareBound unlisted validated
  violations virtualUsers withRetryAfter
`;

/** Whether a word of results.json contains it, in any case: redacting it would make that unreadable. */
export function isWordOfResults(key: string): boolean {
  const ofCapabilities = added.flatMap((one) => [one.words ?? {}, one.causes ?? {}]);
  const tables = [coreWords, causes, endpoints, ...Object.values(vocabulary), ...ofCapabilities];
  const codes = tables.flatMap((table) => Object.keys(table));
  const others = added.flatMap((one) => one.names ?? []);
  const words = [names, ...codes, ...others, ...Object.values(keyVariables)];
  return words.join(" ").toLowerCase().includes(key.toLowerCase());
}
