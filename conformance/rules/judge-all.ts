import { identityOf } from "../../schemas/accounts.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { given } from "../../schemas/json.ts";
import type { Exchange } from "../client/exchange.ts";
import type { Fixtures } from "../discovery/fixtures.ts";
import type { RequirementId } from "../requirements/all.ts";
import { failed, NotJudged, notApplicable, type Outcome, passed } from "../requirements/outcome.ts";
import { productsIn } from "../response/products-in.ts";
import { batchResponseRules } from "./batch-responses.ts";
import { errorResponseRules } from "./error-responses.ts";
import { everyResponseRules } from "./every-response.ts";
import { pageResponseRules } from "./page-responses.ts";
import { productResponseRules } from "./product-responses.ts";
import { retailerResponseRules } from "./retailer-responses.ts";
import type { ExercisedBy, Rule, RuleFacts } from "./rule.ts";

export const rules: readonly Rule[] = [
  ...everyResponseRules,
  ...productResponseRules,
  ...retailerResponseRules,
  ...pageResponseRules,
  ...batchResponseRules,
  ...errorResponseRules,
];

/** Most findings in one outcome. */
const mostKinds = 5;
/** Exchanges shown, where there are so many, even for fewer kinds of findings. */
const leastShown = 3;
/** Most retailers in the statistics of one finding. */
export const mostRetailers = 20;

interface Breach {
  readonly exchange: Exchange;
  readonly finding: Finding;
  readonly kind: string;
  /** Whether it is in a product, not in an entry that names one. */
  readonly isInProduct: boolean;
}

/**
 * Applies a rule to all exchanges of a run. Findings of one kind are merged into one, which names the first place and
 * counts the responses, endpoints and retailers.
 */
export function judgeAll(rule: Rule, exchanges: readonly Exchange[], facts: RuleFacts): Outcome {
  const judged: Exchange[] = [];
  const breaches: Breach[] = [];
  for (const exchange of exchanges) {
    const findings = rule.judge(exchange, facts);
    if (findings === undefined) continue;
    judged.push(exchange);
    const products = findings.length === 0 ? [] : productsIn(exchange, facts.fieldNames);
    const places = new Set(products.map(({ path }) => path));
    for (const finding of findings) {
      const end = productEnd(finding, places);
      breaches.push({ exchange, finding, kind: kindOf(finding, end), isInProduct: end !== undefined });
    }
  }
  if (judged.length === 0) return notExercised(rule.exercisedBy, exchanges, facts);
  if (breaches.length === 0)
    return passed({ code: "checked", seen: { count: judged.length, of: "responses" } });
  const kinds = [...Map.groupBy(breaches, ({ kind }) => kind).values()]
    .toSorted((a, b) => exchangesOf(b).length - exchangesOf(a).length)
    .slice(0, mostKinds);
  const found = kinds.flatMap((kind) => kind.slice(0, 1).map((first) => ({ first, kind })));
  const firsts = found.map(({ first }) => first);
  const evidence = exchangesOf([...firsts, ...breaches]);
  const shown = evidence.slice(0, Math.max(leastShown, exchangesOf(firsts).length));
  const findings = found.map(({ first, kind }) => ({
    ...summaryOf(first, kind, judged, facts),
    exchange: shown.indexOf(first.exchange),
  }));
  return failed(findings, ...shown);
}

/**
 * Findings with the same key are merged: the same code at the same place, in any entry of a list and on any lookup
 * path.
 */
function kindOf({ code, path = "", subject, details }: Finding, end = 0): string {
  // An empty body and a page in HTML are different causes of one code.
  const cause = details !== undefined && "cause" in details ? details.cause : "";
  return `${code} ${path.slice(end).replaceAll(/\/\d+(?=\/|$)/g, "/*")} ${subject} ${cause}`;
}

/** Where the path of the product of a finding ends in its own; undefined for one that is in none. */
function productEnd({ path = "" }: Finding, products: ReadonlySet<string>): number | undefined {
  // One of 100,000 products on a page is found by its path, rather than by comparing with each.
  const ends = [...path.matchAll(/\/|$/g)].map(({ index }) => index);
  return ends.find((index) => products.has(path.slice(0, index)));
}

function exchangesOf(breaches: readonly Breach[]): Exchange[] {
  return [...new Set(breaches.map(({ exchange }) => exchange))];
}

function summaryOf(
  { finding, exchange, isInProduct }: Breach,
  kind: readonly Breach[],
  judged: readonly Exchange[],
  { fieldNames }: RuleFacts,
): Finding {
  const seenIn = exchangesOf(kind);
  const byEndpoint = [...Map.groupBy(judged, ({ endpoint }) => endpoint)].map(([endpoint, all]) => ({
    endpoint,
    count: seenIn.filter((one) => one.endpoint === endpoint).length,
    total: all.length,
  }));
  const statuses = [...Map.groupBy(seenIn, ({ response }) => response.status)]
    .map(([status, { length }]) => ({ status, count: length }))
    .toSorted((a, b) => a.status - b.status);
  return {
    ...finding,
    ...(statuses.length > 1 ? { byStatus: statuses } : {}),
    endpoint: exchange.endpoint,
    seen: { count: seenIn.length, total: judged.length, of: "responses" },
    byEndpoint,
    // The product of a lookup that returned another was asked for, not seen.
    byRetailer:
      finding.code === "other-product" || !isInProduct
        ? undefined
        : finding.product && retailersOf(kind, judged, fieldNames),
  };
}

function retailersOf(
  kind: readonly Breach[],
  judged: readonly Exchange[],
  fieldNames: RuleFacts["fieldNames"],
): Finding["byRetailer"] {
  const seen = judged.flatMap((exchange) => productsIn(exchange, fieldNames));
  const identities = seen.flatMap(({ product }) => identityOf(product).product ?? []);
  const products = new Map(identities.map((one) => [JSON.stringify(one), one]));
  const showing = new Set(kind.map(({ finding }) => JSON.stringify(finding.product)));
  return [...Map.groupBy(products, ([, { retailer }]) => retailer)]
    .map(([retailer, all]) => {
      const count = all.filter(([name]) => showing.has(name)).length;
      return { retailer, count, total: all.length };
    })
    .toSorted((a, b) => b.count - a.count || b.total - a.total)
    .slice(0, mostRetailers);
}

/** What a request for responses of a kind, or with a status, needs, and the requirement whose checks send such requests. */
interface Source {
  readonly fixture?: keyof Fixtures;
  readonly provokedBy?: RequirementId;
}

const sources: Readonly<Partial<Record<string, Source>>> = {
  product: { fixture: "product" },
  gtin: { fixture: "productsByGtin", provokedBy: "query.gtin" },
  page: { fixture: "category", provokedBy: "query.category" },
  retailer: { fixture: "retailers", provokedBy: "retailers.shape" },
  batch: { fixture: "batch", provokedBy: "batch.lookup" },
  "lookup-by-id": { fixture: "product", provokedBy: "by-id.product" },
  400: { provokedBy: "query.invalid-parameter" },
  401: { provokedBy: "authentication.required" },
  403: { fixture: "unentitledProduct", provokedBy: "by-id.unentitled-slug" },
  404: { provokedBy: "by-id.unknown-product" },
  429: { provokedBy: "limits.rate" },
};

/** Why no response was judged: something that discovery did not find, or no such response came. */
function notExercised(
  exercisedBy: ExercisedBy,
  exchanges: readonly Exchange[],
  { fixtures }: RuleFacts,
): Outcome {
  const isOfKind = typeof exercisedBy === "string";
  const { fixture: name, provokedBy } =
    sources[isOfKind ? exercisedBy : String(exercisedBy.statuses[0])] ?? {};
  const fixture = name && fixtures?.[name];
  const { missing } = fixture !== undefined && "missing" in fixture ? fixture : {};
  const details = given({ provokedBy });
  if (isOfKind)
    return new NotJudged(
      missing ?? { code: "no-response-exercised", subject: exercisedBy, details },
    ).outcome();
  const expected = [...exercisedBy.statuses];
  // Responses with that status may have come, but without what the rule judges.
  const { length: count } = exchanges.filter(({ response }) => expected.includes(response.status));
  const seen = { count, of: "responses" } as const;
  if (missing !== undefined && count === 0) return new NotJudged(missing).outcome();
  if (exercisedBy.optional === true) return notApplicable({ code: "status-not-seen", expected, seen });
  return new NotJudged({
    code: "no-response-exercised",
    subject: "status",
    expected,
    seen,
    details,
  }).outcome();
}
