import { type CheckId, type RequirementId, requirementOf } from "../requirements/all.ts";
import { type SectionKey, sectionOf, sections } from "../requirements/requirement.ts";
import { historyRules } from "../rules/history.ts";
import { rules } from "../rules/judge-all.ts";
import { isOfTheLimit } from "../rules/rule.ts";
import anyClient from "./any-client.check.ts";
import authentication from "./authentication.check.ts";
import batchLookup from "./batch-lookup.check.ts";
import changedValues from "./changed-values.check.ts";
import type { Check, Section } from "./check/check.ts";
import errors from "./errors.check.ts";
import getProductById from "./get-product-by-id.check.ts";
import getProducts from "./get-products.check.ts";
import getRetailers from "./get-retailers.check.ts";
import hostileInput from "./hostile-input.check.ts";
import limits from "./limits.check.ts";
import ownResponse from "./own-response.check.ts";
import product from "./product.check.ts";
import productListPage from "./product-list-page.check.ts";
import queryParameters from "./query-parameters.check.ts";
import { wholeWalkRequests } from "./walk.ts";
import whatTheServiceDoes from "./what-the-service-does.check.ts";

/** Sections of a part run beside each other; a part chooses inputs from what the earlier ones were shown. */
const parts: readonly (readonly Section[])[] = [
  [whatTheServiceDoes, productListPage],
  [
    getRetailers,
    getProductById,
    getProducts,
    queryParameters,
    batchLookup,
    authentication,
    errors,
    anyClient,
    changedValues,
    hostileInput,
  ],
  [ownResponse, product],
  [limits],
];

export const suiteSections: readonly Section[] = parts.flat();

/** A check or rule as users see it: it has an id and judges a requirement. */
export interface Listed {
  readonly id: CheckId;
  readonly requirement: RequirementId;
  readonly title: string;
  readonly section: SectionKey;
  readonly heading: string;
  /** Those of one part run beside each other. */
  readonly part: number;
  /** Most requests it sends by itself, with the whole walk if it needs that; 0 for a passive rule. */
  readonly requests: number;
  readonly walks?: true | undefined;
  /** It exceeds the target's rate limit on purpose. */
  readonly bursts?: true | undefined;
}

/** In the order in which they run. The rules judge every response, so they come last. */
export function listChecks(): readonly Listed[] {
  const checks = parts.flatMap((ofPart, part) =>
    ofPart.flatMap(({ key, heading = sections[key], checks: own }) =>
      own.map((check) => {
        const { walks, bursts } = check;
        const requests = check.requests + (walks === true ? wholeWalkRequests : 0);
        return listed(check, { heading, part, requests, walks, bursts });
      }),
    ),
  );
  const ofRules = { heading: "Every response of the run", part: parts.length, requests: 0 };
  return [...checks, ...[...rules, ...historyRules].map((rule) => listed(rule, ofRules))];
}

/** Ids of the checks and rules that can be judged only when the rate limit is exceeded. */
export function listChecksAtLimit(): readonly string[] {
  const bursts = listChecks().filter((check) => check.bursts === true);
  return [...bursts, ...rules.filter(isOfTheLimit)].map(({ id }) => id);
}

function listed(
  { id, title }: Pick<Check, "id" | "title">,
  runs: Pick<Listed, "heading" | "part" | "requests" | "walks" | "bursts">,
): Listed {
  return { id, requirement: requirementOf(id), title, section: sectionOf(id), ...runs };
}

/** The most requests that checks send: the whole walk once; apart, those to exceed the rate limit, which its checks share. */
export function requestsOf(checks: readonly Listed[]) {
  const { bursts = [], polite = [] } = Object.groupBy(checks, (check) =>
    check.bursts === true ? "bursts" : "polite",
  );
  const walksAgain = polite.filter(({ walks }) => walks === true).slice(1);
  return {
    polite:
      polite.reduce((total, { requests }) => total + requests, 0) - walksAgain.length * wholeWalkRequests,
    bursts: Math.max(0, ...bursts.map(({ requests }) => requests)),
  };
}

/** Ids of requirements (`errors.shape`), checks (`errors.shape/every-response`) or sections, or a heading. */
export interface Selection {
  /** Empty for everything. */
  readonly only: readonly string[];
  readonly skip: readonly string[];
}

/** The checks and rules of a selection, in their order. */
export function selectChecks(all: readonly Listed[], { only, skip }: Selection): Listed[] {
  const isIn = (names: readonly string[]) => (check: Listed) => names.some((name) => covers(name, check));
  return all.filter((one) => (only.length === 0 || isIn(only)(one)) && !isIn(skip)(one));
}

/** Whether a name covers a check: its id, its requirement's, or its section. All commands use this. */
export function covers(
  name: string,
  { id, requirement }: { readonly id?: string; readonly requirement: string },
): boolean {
  if (name === id || name === requirement) return true;
  const section = sectionOf(requirement);
  return [section, headingOf(section)].some((one) => one?.toLowerCase() === name.toLowerCase());
}

/** All names that cover one of these, without duplicates: sections first, then requirements, then checks. */
export function namesOf(all: readonly { readonly id?: string; readonly requirement: string }[]): string[] {
  const keys = new Set(all.map(({ requirement }) => sectionOf(requirement)));
  const headings = [...keys].flatMap((key) => headingOf(key) ?? []);
  const isNews = (heading: string) => ![...keys].some((key) => key === heading.toLowerCase());
  const requirements = all.map(({ requirement }) => requirement);
  return [
    ...new Set([...keys, ...headings.filter(isNews), ...requirements, ...all.flatMap(({ id }) => id ?? [])]),
  ];
}

/** Results of another version may name a section that does not exist here. */
function headingOf(section: SectionKey): string | undefined {
  return Object.hasOwn(sections, section) ? sections[section] : undefined;
}
