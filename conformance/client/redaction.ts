import {
  createRedaction,
  keyVariables,
  placeholderOf,
  type Secret,
  secretsOfHeader,
  shortestKey,
  type TextRedaction,
} from "../../schemas/redaction.ts";
import type { RequestAsSent } from "./no-response.ts";
import { inOtherCase } from "./requests.ts";
import type { KeyVariables, Target } from "./target.ts";

/** Replaces every key, in each form in which it can appear, with the name of its variable. */
export type Redaction = ReturnType<typeof redactionFor>;

/**
 * Creates the redaction for a target's keys. Apply it to bodies and headers as well: a target may echo a key.
 * @param keyVariables Default: the usual names
 * @param others Secrets of another kind. Default: none
 */
export function redactionFor({
  keys,
  keyVariables: variables = keyVariables,
  connection: { headers = [], proxy, curl } = {},
  others = [],
}: Pick<Target, "keys" | "connection"> & {
  readonly keyVariables?: KeyVariables;
  readonly others?: readonly Secret[];
}) {
  const { primary = "" } = keys;
  // The check authentication.invalid-key/other-keys sends it, and the target may echo it. A POSIX shell cuts one character for each `?`.
  const cut = cutKey(primary);
  const marks = "?".repeat(primary.length - (cut?.length ?? 0));
  const otherCase = inOtherCase(primary);
  const cases = otherCase === primary.toUpperCase() ? "a-z A-Z" : "A-Z a-z";
  const password = proxy === undefined ? "" : new URL(proxy).password;
  const secrets: Secret[] = [
    ...(["primary", "sameOrg", "otherOrg"] as const).map((role) => ({
      key: keys[role] ?? "",
      shownAs: placeholderOf(variables[role]),
    })),
    // The check authentication.exact-key/other-case sends it, which is not the key.
    { key: otherCase, shownAs: `$(printf %s "$${variables.primary}" | tr ${cases})` },
    ...(cut === undefined ? [] : [{ key: cut, shownAs: `\${${variables.primary}%${marks}}` }]),
    // Those of gateway headers, as a whole and in parts.
    ...headers.flatMap(({ value, variable }) =>
      variable === undefined ? [] : secretsOfHeader(value, placeholderOf(variable)),
    ),
    ...(password.length < shortestKey
      ? []
      : [password, decodeURIComponent(password)].flatMap((one) => secretsOfHeader(one, "$PROXY_PASSWORD"))),
    ...others,
  ];
  const { redact, excerpt } = createRedaction(secrets, { remembering });
  const telling = secrets.filter(({ key }) => !/^[a-z]{0,15}$/i.test(key));
  const redactHeaders = (all: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(all).map(([name, value]) => [name, redact(value)]));
  return {
    redact,
    excerpt,
    /** The variable names that replace the keys, after a `$`. */
    keyVariables: variables,
    /** What is shown in place of keys and other secrets; a shell expands it. */
    placeholders: [...new Set(secrets.map(({ shownAs }) => shownAs))],
    /** How curl reaches the target. */
    curl,
    redactHeaders,
    redactRequest: ({ method, url, headers, body }: RequestAsSent): RequestAsSent => ({
      method,
      url: redact(url),
      headers: redactHeaders(headers),
      body: body === undefined ? undefined : redact(body),
    }),
    /**
     * Redacts a report made of redacted texts. Keys of up to 15 letters, and parts of keys, are left alone: the
     * report's own script or markup may contain them as words.
     */
    redactReport: createRedaction(telling, { parts: false }).redact,
  };
}

/** Most characters of remembered texts, so that a large catalog does not fill the memory. */
const mostRemembered = 4_000_000;

/**
 * Remembers results: field names recur, checks show the same exchange, and a run's results are redacted once
 * more as a whole.
 */
function remembering(redact: (text: string) => string): (text: string) => string {
  const results = new Map<string, string>();
  let left = mostRemembered;
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    const result = redact(text);
    if (text.length <= left) {
      results.set(text, result);
      left -= text.length;
    }
    return result;
  };
}

/** Replaces every key in every string of a value, property names included. */
export function redactValue<Value>(value: Value, { redact }: TextRedaction): Value {
  function redacted(part: unknown): unknown {
    if (typeof part === "string") return redact(part);
    if (Array.isArray(part)) return part.map(redacted);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [redact(name), redacted(inner)]));
  }
  return redacted(value) as Value;
}

const mostCut = 4;

/**
 * A key without its last characters: some services compare only its beginning. Reports hide what is left like
 * a key. Undefined if that is too short to be hidden.
 */
export function cutKey(key: string): string | undefined {
  const cut = Math.min(mostCut, key.length - shortestKey);
  return cut > 0 ? key.slice(0, -cut) : undefined;
}
