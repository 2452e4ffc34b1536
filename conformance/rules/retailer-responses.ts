import type { Finding } from "../../schemas/contracts/finding.ts";
import { isObject, pointer } from "../../schemas/json.ts";
import { unlessType } from "../response/body-findings.ts";
import { type Rule, rulesOn } from "./rule.ts";

// A host name, possibly internationalized or with a wildcard, without scheme, port, path or blanks.
const hostName = /^(\*\.)?[^\s:/?#@,]+$/;
const wildcard = /\*/;

/** Rules for GET /retailers and for every entry of its list. Paths are below the entry. */
export const retailerResponseRules: readonly Rule[] = [
  {
    id: "retailers.shape/every-list",
    title: "Every successful response of GET /retailers has an array under retailers",
    exercisedBy: "retailer",
    judge({ endpoint, response: { status, json } }) {
      // A body that is not JSON is judged by service.json.
      if (endpoint !== "retailers" || status !== 200 || json === undefined) return undefined;
      return unlessType(json, "/retailers", "array");
    },
  },
  ...rulesOn("retailer", eachEntry, {
    "retailer.slug/every-entry": [
      "Every retailer has a unique slug, a string",
      (entry, hasKnownSlug) => {
        const bad = unlessText(entry, "slug");
        return bad.length === 0 && hasKnownSlug
          ? [{ code: "item-repeated", path: "/slug", actual: entry.slug }]
          : bad;
      },
    ],
    "retailer.name/every-entry": [
      "The name of a retailer is a string wherever it is given",
      (entry) => (entry.name === undefined ? [] : unlessText(entry, "name")),
    ],
    "retailer.name-given/every-entry": [
      "Every retailer has a name",
      ({ name }) =>
        name === undefined ? [{ code: "missing-field", path: "/name", expected: "string" }] : [],
    ],
    "retailer.domains/every-entry": [
      "Every retailer has domains, an array of strings that may be empty",
      (entry) =>
        Array.isArray(entry.domains)
          ? entry.domains.flatMap((_, index) => unlessType(entry, pointer("domains", index), "string"))
          : unlessType(entry, "/domains", "array"),
    ],
    "retailer.host-names/every-entry": [
      "Every domain has the form of a host name, with or without a wildcard",
      ({ domains }) => unlessEach(domains, (domain) => hostName.test(domain)),
    ],
    "retailer.no-patterns/every-entry": [
      "No domain has a wildcard",
      ({ domains }) => unlessEach(domains, (domain) => !hostName.test(domain) || !wildcard.test(domain)),
    ],
  }),
];

function unlessEach(domains: unknown, holds: (domain: string) => boolean): Finding[] {
  return (Array.isArray(domains) ? domains : []).flatMap((actual: unknown, index): Finding[] =>
    typeof actual === "string" && !holds(actual)
      ? [{ code: "wrong-format", path: pointer("domains", index), expected: "host-name", actual }]
      : [],
  );
}

type Entry = Record<string, unknown>;

function unlessText(entry: Entry, name: string): Finding[] {
  const path = pointer(name);
  return entry[name] === "" ? [{ code: "empty-string", path }] : unlessType(entry, path, "string");
}

/** @param judge gets each entry, and whether one before it has the same slug */
function eachEntry(judge: (entry: Entry, hasKnownSlug: boolean) => readonly Finding[]): Rule["judge"] {
  return ({ endpoint, response: { status, json } }) => {
    const list = endpoint === "retailers" && status === 200 && isObject(json) ? json.retailers : undefined;
    if (!Array.isArray(list) || list.length === 0) return undefined;
    const slugs = new Set<unknown>();
    return list.flatMap((one: unknown, index) => {
      const entry = isObject(one) ? one : {};
      const findings = judge(entry, slugs.size === slugs.add(entry.slug).size);
      const at = pointer("retailers", index);
      return findings.map((finding) => ({ ...finding, path: at + (finding.path ?? "") }));
    });
  };
}
