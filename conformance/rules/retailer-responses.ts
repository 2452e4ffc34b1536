import type { Finding } from "../../schemas/contracts/finding.ts";
import { isObject, pointer } from "../../schemas/json.ts";
import { unlessType } from "../response/body-findings.ts";
import type { Rule } from "./rule.ts";

// A host name, possibly internationalized or with a wildcard, without scheme, port, path or blanks.
const hostName = /^(\*\.)?[^\s:/?#@,]+$/;
const wildcard = /\*/;

/** Rules for every entry of GET /retailers. */
export const retailerResponseRules: readonly Rule[] = [
  {
    id: "retailers.shape/every-list",
    title: "Every response of GET /retailers has an array under retailers",
    exercisedBy: "retailer",
    judge({ endpoint, response: { status, json } }) {
      // A body that is not JSON is judged by service.json.
      if (endpoint !== "retailers" || status !== 200 || json === undefined) return undefined;
      return unlessType(json, "/retailers", "array");
    },
  },
  {
    id: "retailer.slug/every-entry",
    title: "Every retailer has a unique slug, a string",
    exercisedBy: "retailer",
    judge: eachList((entries) => {
      const seen = new Set<unknown>();
      return entries.flatMap((entry, index): Finding[] => {
        const path = pointer("retailers", index, "slug");
        const bad = unlessText(entry, "slug", path);
        if (bad.length > 0) return bad;
        return seen.size === seen.add(entry.slug).size
          ? [{ code: "item-repeated", path, actual: entry.slug }]
          : [];
      });
    }),
  },
  {
    id: "retailer.name/every-entry",
    title: "The name of a retailer is a string wherever it is given",
    exercisedBy: "retailer",
    judge: eachEntry((entry, path) =>
      entry.name === undefined ? [] : unlessText(entry, "name", path + pointer("name")),
    ),
  },
  {
    id: "retailer.name-given/every-entry",
    title: "Every retailer has a name",
    exercisedBy: "retailer",
    judge: eachEntry(({ name }, path) =>
      name === undefined ? [{ code: "missing-field", path: path + pointer("name"), expected: "string" }] : [],
    ),
  },
  {
    id: "retailer.domains/every-entry",
    title: "Every retailer has domains, an array that may be empty",
    exercisedBy: "retailer",
    judge: eachEntry((entry, path) => {
      const { domains } = entry;
      return Array.isArray(domains)
        ? domains.flatMap((_, index) => below(path, unlessType(entry, pointer("domains", index), "string")))
        : below(path, unlessType(entry, "/domains", "array"));
    }),
  },
  {
    id: "retailer.host-names/every-entry",
    title: "Every domain is a host name",
    exercisedBy: "retailer",
    judge: eachDomain((domain) => hostName.test(domain)),
  },
  {
    id: "retailer.no-patterns/every-entry",
    title: "No domain has a wildcard",
    exercisedBy: "retailer",
    judge: eachDomain((domain) => !hostName.test(domain) || !wildcard.test(domain)),
  },
];

function eachDomain(holds: (domain: string) => boolean): Rule["judge"] {
  return eachEntry(({ domains }, path) =>
    (Array.isArray(domains) ? domains : []).flatMap((actual: unknown, index): Finding[] =>
      typeof actual === "string" && !holds(actual)
        ? [{ code: "wrong-format", path: path + pointer("domains", index), expected: "host-name", actual }]
        : [],
    ),
  );
}

function unlessText(entry: Record<string, unknown>, name: string, path: string): Finding[] {
  if (entry[name] === "") return [{ code: "empty-string", path }];
  return unlessType(entry, pointer(name), "string").map((finding) => ({ ...finding, path }));
}

function below(path: string, findings: readonly Finding[]): Finding[] {
  return findings.map((finding) => ({ ...finding, path: path + (finding.path ?? "") }));
}

function eachList(judge: (entries: readonly Record<string, unknown>[]) => readonly Finding[]): Rule["judge"] {
  return ({ endpoint, response: { status, json } }) => {
    if (endpoint !== "retailers" || status !== 200) return undefined;
    const list = isObject(json) ? json.retailers : undefined;
    return Array.isArray(list) && list.length > 0
      ? judge(list.map((entry) => (isObject(entry) ? entry : {})))
      : undefined;
  };
}

function eachEntry(
  judge: (entry: Record<string, unknown>, path: string) => readonly Finding[],
): Rule["judge"] {
  return eachList((entries) => entries.flatMap((entry, index) => judge(entry, pointer("retailers", index))));
}
