import { createRedaction, keyVariables, type TextRedaction } from "../../schemas/redaction.ts";
import type { KeyVariables, Target } from "./target.ts";
import { secretsOf, secretsOfProxy } from "./way.ts";

/** Replaces every key, in any of the forms it can travel in, by the name of its variable. */
export interface Redaction extends TextRedaction {
  /** The names that stand, after a `$`, in the place of the keys. */
  readonly keyVariables: KeyVariables;
  /** These, and those of other secrets. */
  readonly variables: readonly string[];
  redactHeaders(headers: Readonly<Record<string, string>>): Record<string, string>;
  /**
   * As `redact`, for a report as a whole, made of texts that are redacted already: a key that may be a word, which no real
   * one is, is left alone there, since the report's own script or markup may hold it.
   */
  redactReport(text: string): string;
}

/** The redaction for a target's keys. A target may echo a key in a body or a header: that goes through here as well. */
export function redactionFor({
  keys,
  keyVariables: variables = keyVariables,
  way,
  proxy,
}: Pick<Target, "keys" | "keyVariables" | "way" | "proxy">): Redaction {
  const ofKeys = (["primary", "sameOrg", "otherOrg"] as const).map((role) => ({
    key: keys[role] ?? "",
    shownAs: `$${variables[role]}`,
  }));
  const secrets = [...ofKeys, ...secretsOf(way), ...secretsOfProxy(proxy)];
  const { redact, excerpt } = createRedaction(secrets);
  const telling = createRedaction(secrets.filter(({ key }) => !/^[a-z]{0,15}$/i.test(key)));
  return {
    redact,
    excerpt,
    keyVariables: variables,
    variables: [...new Set(secrets.map(({ shownAs }) => shownAs.slice(1)))],
    redactHeaders: (headers) =>
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redact(value)])),
    redactReport: telling.redact,
  };
}

/** Replaces every key in every text of a value, names of properties included. */
export function redactValue<Value>(value: Value, redaction: TextRedaction): Value {
  return redactUnknown(value, redaction) as Value;
}

function redactUnknown(value: unknown, redaction: TextRedaction): unknown {
  if (typeof value === "string") return redaction.redact(value);
  if (Array.isArray(value)) return value.map((entry) => redactUnknown(entry, redaction));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [redaction.redact(name), redactUnknown(entry, redaction)]),
  );
}
