import type { Caller, Target } from "./target.ts";

/** Environment variables that stand in for the keys wherever a request is shown. */
export const keyVariables: Record<Exclude<Caller, "nobody">, string> = {
  primary: "SHELFCHECK_API_KEY",
  sameOrg: "SHELFCHECK_SAME_ORG_API_KEY",
  otherOrg: "SHELFCHECK_OTHER_ORG_API_KEY",
};

/** Replaces every key, in any of the forms it can travel in, by the name of its variable. */
export interface Redaction {
  redact(text: string): string;
  redactHeaders(headers: Readonly<Record<string, string>>): Record<string, string>;
}

/** The redaction for a target's keys. A target may echo a key in a body or a header: that goes through here as well. */
export function redactionFor(keys: Target["keys"]): Redaction {
  const replacements = (Object.keys(keyVariables) as (keyof typeof keyVariables)[])
    .flatMap((name) => {
      const key = keys[name];
      return key === undefined
        ? []
        : spellings(key).map((spelling) => ({ spelling, by: `$${keyVariables[name]}` }));
    })
    // A key may be the beginning of another: the longest first.
    .sort((a, b) => b.spelling.length - a.spelling.length);

  const redact = (text: string): string =>
    replacements.reduce((result, { spelling, by }) => result.replaceAll(spelling, by), text);

  return {
    redact,
    redactHeaders: (headers) =>
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redact(value)])),
  };
}

function spellings(key: string): string[] {
  const inJson = JSON.stringify(key).slice(1, -1);
  return [...new Set([key, encodeURIComponent(key), inJson, Buffer.from(key).toString("base64")])].filter(
    (spelling) => spelling.length > 0,
  );
}
