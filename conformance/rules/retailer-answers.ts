import { isObject } from "../response/products-in.ts";
import type { Rule } from "./rule.ts";
import { shown } from "./shown.ts";

const unmet = {
  kind: "inconclusive",
  fix: "Use a key whose organization has at least one retailer.",
} as const;

// A host name, internationalized or not, perhaps with a wildcard; no scheme, port, path or blank.
const hostName = /^(\*\.)?[^\s:/?#@,]+$/;

/** Rules on every entry of GET /retailers. */
export const retailerAnswerRules: readonly Rule[] = [
  {
    id: "retailer.slug/every-entry",
    requirement: "retailer.slug",
    title: "Every retailer has a slug of its own, a text",
    unmet,
    judge: eachList((entries) => {
      const slugs = entries.map(({ slug }) => slug);
      const bad = entries.flatMap(({ slug }, index) =>
        typeof slug === "string" && slug !== "" ? [] : [`retailers[${index}].slug is ${shown(slug)}`],
      );
      const seen = new Set<unknown>();
      const doubled = slugs.filter((slug) => seen.size === seen.add(slug).size);
      return [...bad, ...doubled.map((slug) => `the slug ${shown(slug)} stands twice`)];
    }),
  },
  {
    id: "retailer.name/every-entry",
    requirement: "retailer.name",
    title: "The name of every retailer that has one is a text",
    unmet,
    judge: eachEntry(({ name }) =>
      name === undefined || (typeof name === "string" && name !== "") ? [] : [`name is ${shown(name)}`],
    ),
  },
  {
    id: "retailer.name-given/every-entry",
    requirement: "retailer.name-given",
    title: "Every retailer has a name",
    unmet,
    judge: eachEntry(({ name }) => (name === undefined ? ["name is missing"] : [])),
  },
  {
    id: "retailer.domains/every-entry",
    requirement: "retailer.domains",
    title: "Every retailer has domains, a list that may be empty",
    unmet,
    judge: eachEntry(({ domains }) =>
      Array.isArray(domains) && domains.every((domain) => typeof domain === "string")
        ? []
        : [`domains is ${shown(domains)}`],
    ),
  },
  {
    id: "retailer.host-names/every-entry",
    requirement: "retailer.host-names",
    title: "Every domain is a host name",
    unmet,
    judge: eachEntry(({ domains }) =>
      (Array.isArray(domains) ? domains : [])
        .filter((domain): domain is string => typeof domain === "string" && !hostName.test(domain))
        .map((domain) => `${shown(domain)} is no host name`),
    ),
  },
];

function eachList(judge: (entries: readonly Record<string, unknown>[]) => readonly string[]): Rule["judge"] {
  return ({ endpoint, response: { status, json } }) => {
    if (endpoint !== "retailers" || status !== 200) return undefined;
    const list = isObject(json) ? json.retailers : undefined;
    return Array.isArray(list) && list.length > 0
      ? judge(list.map((entry) => (isObject(entry) ? entry : {})))
      : undefined;
  };
}

function eachEntry(judge: (entry: Record<string, unknown>) => readonly string[]): Rule["judge"] {
  return eachList((entries) =>
    entries.flatMap((entry, index) => judge(entry).map((breach) => `retailers[${index}].${breach}`)),
  );
}
