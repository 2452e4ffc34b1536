import type { AskedBy, OwnOf, SharedFields, Words, WordsContext } from "../contracts/finding.ts";
import { category, endpointName, retailerName, says } from "./finding-words.ts";
import { capitalized, counted, listed } from "./format.ts";
import { type NotJudgedCode, notJudgedWords } from "./not-judged.ts";
import { code, someOf } from "./values.ts";

const toBrowse =
  "Check the spelling of the categories (--category), whether retailers of this key have products in them, and what the target returns for them. If it says that no parameter arrived, something in front of the service drops the query.";

/** What a check needs and discovery did not find: categories, products, keys, retailers, field names. */
export const missingFixtureWords = {
  "no-category": lacks({
    cause: "code",
    text: () => "No category was given.",
    fix: "Name one with --category or SHELFCHECK_CATEGORIES.",
  }),
  "category-shows-nothing": lacks<Browsed>({
    text: outcomesOfCategories,
    fix: ({ details }) => (details.categories.every(({ cause }) => cause) ? undefined : toBrowse),
  }),
  "category-not-browsable": lacks<Browsed>({
    cause: "code",
    text: (finding, context) =>
      `No category could be browsed${ofOther(finding)}. ${outcomesOfCategories(finding, context)}`,
    fix: toBrowse,
  }),
  "no-product": lacks<{ details: { categories: string[]; unlisted?: number | undefined } }>({
    cause: ({ condition, details: { unlisted } }) => `no-product ${condition} ${unlisted !== undefined}`,
    text: (finding) => {
      const { unlisted } = finding.details;
      const names = categoryNames(finding);
      return unlisted === undefined
        ? `${capitalized(names)} returned ${finding.condition === undefined ? "this key" : theOtherKey} ${noUsableProduct}.`
        : `GET /retailers does not list the ${unlisted === 1 ? "retailer" : "retailers"} of ${counted(unlisted, "product")} of ${names}${ofOther(finding)}.`;
    },
    fix: ({ details }) =>
      details.unlisted === undefined
        ? `Name a category that has products for this key (--category). If it has some, each needs strings under ${code("retailer")} and ${code("product_id")}.`
        : "Correct the service first: see product.retailer and retailers.scope.",
  }),
  "nothing-found-by": lacks({
    text: ({ endpoint = "other", seen }) => {
      const { by, part } = ways[endpoint] ?? byId;
      if (!seen?.count) return `No product seen has ${part}.`;
      return `No product that was tried is found by ${by}.`;
    },
    fix: ({ endpoint = "other", seen }) => {
      const { by, part } = ways[endpoint] ?? byId;
      const isGtin = endpoint === "lookup-by-gtin";
      const field = isGtin ? gtinField : "";
      const none = isGtin
        ? ` If no product has one, add ${code('optional: ["gtin"]')} to the target's entry in the config.`
        : "";
      if (!seen?.count) return `Name a category with products that have ${part} (--category)${field}.${none}`;
      return `Compare a category page with a lookup by ${by}, both with the same key. If both are right, name another category (--category)${field}.`;
    },
  }),
  "no-product-with": lacks<{ subject: string; details: { retailer: string } }>({
    cause: ({ subject, details }) => `no-product-with ${subject} ${details.retailer}`,
    text: (finding) =>
      finding.subject === "gtin"
        ? `No GTIN is known that finds a product of ${retailerName(finding)}.`
        : `No product of ${retailerName(finding)} with an ${pageUrl} was seen.`,
    fix: (finding) => {
      const isGtin = finding.subject === "gtin";
      // The field is found in products of the first key.
      const what = isGtin ? "a GTIN, and the first key sees some" : `an ${pageUrl}`;
      return `Name a category in which ${retailerName(finding)} has products with ${what} (--category)${isGtin ? gtinField : ""}.`;
    },
  }),
  "no-retailer": lacks<{ subject: AskedBy; actual: number }>({
    text: ({ actual, subject: caller }) =>
      `No retailer with a string under ${code("slug")} could be read from GET /retailers${caller === "otherOrg" ? otherKey : ""} (status ${actual}).`,
    fix: "Use a key whose organization has at least one retailer; see retailers.shape and service.json.",
  }),
  "no-same-org-key": lacks({
    cause: "code",
    text: () => "No second key of the organization is set.",
    fix: (_finding, { keyVariables }) => `Set ${keyVariables.sameOrg}.`,
  }),
  "no-other-org-key": lacks({
    cause: "code",
    text: () => "No key of another organization is set.",
    fix: (_finding, { keyVariables }) =>
      `Set ${keyVariables.otherOrg} to a key of an organization that has a retailer yours does not have.`,
  }),
  "key-refused": lacks<SecondKey & { actual: number }>({
    text: ({ subject: role, actual }, { keyVariables }) =>
      `The key in ${keyVariables[role]} was refused with ${actual}.`,
    fix: ({ subject: role }, { keyVariables }) => `Set ${keyVariables[role]} to an active key, or unset it.`,
  }),
  "key-role-unclear": lacks<SecondKey>({
    text: ({ subject: role }, { keyVariables }) =>
      role === "otherOrg"
        ? `It is unclear whether the keys in ${keyVariables.primary} and ${keyVariables.otherOrg} belong to different organizations: their lists of retailers do not show it.`
        : `It is unclear whether the key in ${keyVariables.sameOrg} belongs to the organization of ${keyVariables.primary}: the lists of retailers do not show it.`,
    fix: (_finding, { keyVariables }) =>
      `Where a key does not belong to the organization that its variable names, correct it. ${keyVariables.otherOrg} must be of an organization that has other retailers. If all that is so, look for what gives several keys one list, such as a cache.`,
  }),
  "key-lists-differ": lacks<SecondKey & { details?: { lacks: string[]; more: string[] } | undefined }>({
    text: ({ subject: role, details: { lacks, more } = { lacks: [], more: [] } }, { keyVariables }) => {
      const seen = [
        ...(lacks.length > 0 ? [`it lacks ${listed(lacks.map(code))}`] : []),
        ...(more.length > 0 ? [`it also sees ${listed(more.map(code))}`] : []),
      ];
      const what = seen.length > 0 ? ` (${seen.join("; ")})` : "";
      return `The key in ${keyVariables[role]} does not see the same as the one in ${keyVariables.primary}${what}: it is a key of another organization, or the service treats two keys of one organization differently.`;
    },
    fix: ({ subject: role }, { keyVariables }) =>
      `Make sure that ${keyVariables[role]} holds a key of the organization of ${keyVariables.primary}. If it does, the service is at fault: see service.organization-scope.`,
  }),
  "no-foreign-retailer": lacks({
    cause: "code",
    text: () => "Every retailer of the other organization is also listed for the first key.",
    fix: (_finding, { keyVariables }) =>
      `Set ${keyVariables.otherOrg} to a key of an organization that has a retailer of its own.`,
  }),
  "no-foreign-product": lacks<{ details: { retailers: string[]; categories: string[] } }>({
    cause: "code",
    text: (finding) =>
      `No product of a retailer that is not listed for the key (${listed(finding.details.retailers.map((name) => code(name)))}) was seen in ${categoryNames(finding)}.`,
    fix: "Name a category in which such a retailer has products (--category).",
  }),
  "no-own-product": lacks({
    cause: "code",
    text: () => "Every product seen is of a retailer that is listed for the other organization as well.",
    fix: (_finding, { keyVariables }) =>
      `Set ${keyVariables.otherOrg} to a key of an organization that lacks one of your retailers, and name a category in which that one has products (--category).`,
  }),
  "batch-not-understood": lacks<{
    details: {
      answered: boolean;
      tried: string[];
      /** That of the last response, if it says nothing about names. */
      status?: number | undefined;
      location?: string | undefined;
    };
  }>({
    cause: "code",
    text: (finding) => {
      const { tried, answered, status, location } = finding.details;
      if (status !== undefined)
        return `${endpointName(finding)} returned ${status}${location === undefined ? "" : ` (to ${code(location)})`} to a batch of known products, which says nothing of the names of its fields.`;
      return answered
        ? "Batch lookup returned 200, but no list of found products was recognized in it."
        : `Batch lookup accepted the items under none of the ${counted(tried.length, "name")} tried: ${someOf(tried.map((name) => code(JSON.stringify(name))))}.`;
    },
    fix: ({ details: { status } }) =>
      status === undefined
        ? "Name the fields in the config, or correct them: targets.<name>.dialect.batchRequestField and batchFoundField."
        : `Find out what refuses or redirects batches, such as a gateway that limits the size of bodies (in nginx, ${code("client_max_body_size")}).`,
  }),
  "category-too-long": says<{ subject: string; details: { pages: number; limit?: number | undefined } }>({
    text: (finding) => {
      const { pages, limit } = finding.details;
      const size = limit === undefined ? "" : ` with ${code(`limit=${limit}`)}`;
      return `${capitalized(category(finding))} did not end in ${counted(pages, "page")}${size}, the most that a run follows.`;
    },
    fix: "Name another category instead (--category).",
  }),
  "no-cursor": says<{ subject: string }>({
    text: (finding) =>
      `No string under ${code("meta.next_cursor")} could be read from a page of ${category(finding)}, so it cannot be followed.`,
    fix: "See page.next-cursor and service.json.",
  }),
  "no-retailer-without-gtin": lacks({
    text: () => "No listed retailer was found that lacks one of the known GTINs.",
    fix: "Use a key whose organization has two retailers or more, and name first a category with products that only one of them has (--category).",
  }),
};

/** The row of something that discovery did not find. */
function lacks<Own = unknown>(words: Words<Own>): Words<Own> {
  return { isOfDiscovery: true, ...words };
}

const gtinField = ", or the field in the config: targets.<name>.dialect.gtin";

const theOtherKey = "the key of the other organization";
const otherKey = ` with ${theOtherKey}`;

function ofOther({ condition }: SharedFields): string {
  return condition === "other-organization" ? otherKey : "";
}

/** Of what the pages of a category hold: without both fields, nothing can be looked up. */
const noUsableProduct = `no product whose ${code("retailer")} and ${code("product_id")} could be read`;

/** The outcome of browsing: one sentence for all categories with the same outcome. */
function outcomesOfCategories({ details }: Browsed, context: WordsContext): string {
  // Not Map.groupBy, which k6 1.x does not have.
  const groups = new Map<string, string[]>();
  for (const one of details.categories) {
    const outcome = outcomeOf(one, context);
    groups.set(outcome, [...(groups.get(outcome) ?? []), code(one.category)]);
  }
  return [...groups]
    .map(([outcome, names]) => `${names.length === 1 ? "Category" : "Categories"} ${someOf(names)}${outcome}`)
    .join(" ");
}

function outcomeOf({ status, said, cause }: Category, context: WordsContext): string {
  if (cause !== undefined) {
    const words: Words<never> = notJudgedWords[cause.code];
    return `: ${words.text(cause as never, context)}`;
  }
  if (status === 200) return ` returned this key ${noUsableProduct}.`;
  return ` returned ${status}${said === undefined ? "" : ` (${said})`}.`;
}

interface SecondKey {
  subject: "sameOrg" | "otherOrg";
}

const pageUrl = `absolute ${code("product_url")} that names a host`;

/** What a product is looked up by, and what it must have for that. */
const ways: Readonly<Record<string, { readonly by: string; readonly part: string }>> = {
  "lookup-by-url": { by: `its ${code("product_url")}`, part: `an ${pageUrl}` },
  "lookup-by-gtin": { by: "its GTIN", part: "a GTIN with a correct check digit" },
};
const byId = { by: "id", part: "an id" };

function categoryNames({ details }: { details: { categories: readonly string[] } }): string {
  const names = details.categories.map((name) => code(name));
  return `${names.length === 1 ? "category" : "categories"} ${listed(names)}`;
}

/** A category with the status of its page, or the reason why there was none. */
interface Category {
  category: string;
  status?: number | undefined;
  /** Its message or text. */
  said?: string | undefined;
  cause?: WhyNotBrowsed | undefined;
}
interface Browsed {
  details: { categories: Category[] };
}
type WhyNotBrowsed = {
  [C in NotJudgedCode]: { code: C } & SharedFields & OwnOf<(typeof notJudgedWords)[C]>;
}[NotJudgedCode];
