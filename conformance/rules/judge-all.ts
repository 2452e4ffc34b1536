import type { EndpointId } from "../../schemas/api.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { given } from "../../schemas/json.ts";
import type { Exchange } from "../client/exchange.ts";
import type { Fixtures } from "../discovery/fixtures.ts";
import type { RequirementId } from "../requirements/all.ts";
import { failed, type Outcome, passed } from "../requirements/outcome.ts";
import { identityOf, productsIn } from "../response/products-in.ts";
import type { ExercisedBy, Rule, RuleFacts } from "./rule.ts";

/** Most findings in one outcome. */
const mostKinds = 5;
/** Exchanges shown, where there are so many, even for fewer kinds of findings. */
const leastShown = 3;
/** Most retailers in the statistics of one finding. */
const mostRetailers = 20;

interface JudgedExchange {
  readonly exchange: Exchange;
  readonly findings: readonly Finding[];
}

/**
 * Applies a rule to all exchanges of a run. Findings of one kind are merged into one, which names the first place and
 * counts the responses, endpoints and retailers.
 */
export function judgeAll(rule: Rule, exchanges: readonly Exchange[], facts: RuleFacts): Outcome {
  const judged = exchanges.flatMap((exchange): JudgedExchange[] => {
    const findings = rule.judge(exchange, facts);
    return findings === undefined ? [] : [{ exchange, findings }];
  });
  if (judged.length === 0) return notExercised(rule.exercisedBy, exchanges, facts);
  const breaches = judged.flatMap(({ exchange, findings }) => {
    const products = findings.length === 0 ? [] : productsIn(exchange, facts.fieldNames);
    const places = new Set(products.map(({ path }) => path));
    return findings.map((finding) => ({ exchange, finding, kind: kindOf(finding, places) }));
  });
  if (breaches.length === 0)
    return passed({ code: "checked", seen: { count: judged.length, of: "responses" } });
  const groups = [...Map.groupBy(breaches, ({ kind }) => kind).values()] as FindingGroup[];
  const kinds = groups.toSorted((a, b) => exchangesOf(b).length - exchangesOf(a).length).slice(0, mostKinds);
  const firsts = kinds.map(([first]) => first.exchange);
  const more = breaches.map(({ exchange }) => exchange);
  const evidence = [...new Set([...firsts, ...more])].slice(0, Math.max(leastShown, new Set(firsts).size));
  return failed(
    kinds.map((kind) => ({
      ...summaryOf(kind, judged, facts),
      exchange: evidence.indexOf(kind[0].exchange),
    })),
    ...evidence,
  );
}

interface Breach {
  readonly exchange: Exchange;
  readonly finding: Finding;
  readonly kind: string;
}

/** Findings of one kind. */
type FindingGroup = [Breach, ...Breach[]];

/**
 * Findings with the same key are merged: the same code at the same place, in any entry of a list and on any lookup
 * path.
 */
function kindOf({ code, path = "", subject = "" }: Finding, products: ReadonlySet<string>): string {
  // One of 100,000 products on a page is found by its path, rather than by comparing with each.
  const ends = [...path.matchAll(/\//g)].map(({ index }) => index);
  const end = ends.find((index) => products.has(path.slice(0, index))) ?? 0;
  const place = path.slice(end);
  return `${code} ${place.replaceAll(/\/\d+(?=\/|$)/g, "/*")} ${subject}`;
}

function exchangesOf(kind: readonly Breach[]): Exchange[] {
  return [...new Set(kind.map(({ exchange }) => exchange))];
}

function summaryOf(
  kind: FindingGroup,
  judged: readonly JudgedExchange[],
  { fieldNames }: RuleFacts,
): Finding {
  const seenIn = exchangesOf(kind);
  const [{ finding, exchange }] = kind;
  const byEndpoint = [...Map.groupBy(judged, ({ exchange: { endpoint } }) => endpoint)].map(
    ([endpoint, all]) => ({
      endpoint,
      count: seenIn.filter((one) => one.endpoint === endpoint).length,
      total: all.length,
    }),
  );
  const byRetailer =
    finding.product === undefined
      ? undefined
      : retailersOf(
          kind,
          judged.flatMap((one) =>
            productsIn(one.exchange, fieldNames).map(({ product }) => identityOf(product)),
          ),
        );
  const statuses = [...Map.groupBy(seenIn, ({ response }) => response.status)]
    .map(([status, { length }]) => ({ status, count: length }))
    .toSorted((a, b) => a.status - b.status);
  return {
    ...finding,
    ...(statuses.length > 1 ? { byStatus: statuses } : {}),
    endpoint: exchange.endpoint,
    seen: { count: seenIn.length, total: judged.length, of: "responses" },
    byEndpoint,
    byRetailer,
  };
}

type Identity = Pick<Finding, "product">;

function retailersOf(kind: readonly Breach[], products: readonly Identity[]): Finding["byRetailer"] {
  const all = distinctByRetailer(products);
  const showing = distinctByRetailer(kind.map(({ finding }) => finding));
  return [...all]
    .map(([retailer, ids]) => ({ retailer, count: showing.get(retailer)?.size ?? 0, total: ids.size }))
    .toSorted((a, b) => b.count - a.count || b.total - a.total)
    .slice(0, mostRetailers);
}

function distinctByRetailer(products: readonly Identity[]): Map<string, Set<string>> {
  const distinct = new Map<string, Set<string>>();
  for (const { product } of products) {
    if (product === undefined) continue;
    const ids = distinct.get(product.retailer) ?? new Set();
    distinct.set(product.retailer, ids.add(product.productId));
  }
  return distinct;
}

/** The endpoint whose responses a rule judges, and the fixture that a request to it needs. */
const sources: Readonly<
  Partial<Record<string, { readonly endpoint: EndpointId; readonly fixture: keyof Fixtures }>>
> = {
  product: { endpoint: "category-page", fixture: "product" },
  gtin: { endpoint: "lookup-by-gtin", fixture: "productsByGtin" },
  page: { endpoint: "category-page", fixture: "category" },
  retailer: { endpoint: "retailers", fixture: "retailers" },
  batch: { endpoint: "batch", fixture: "batch" },
  "lookup-by-id": { endpoint: "lookup-by-id", fixture: "product" },
};

/** The requirement whose checks provoke a status or send such requests. */
const provokedBy: Readonly<Record<string, RequirementId>> = {
  400: "query.invalid-parameter",
  401: "authentication.required",
  403: "by-id.unentitled-slug",
  404: "by-id.unknown-product",
  429: "limits.rate",
  retailer: "retailers.shape",
  page: "query.category",
  batch: "batch.lookup",
  "lookup-by-id": "by-id.product",
  gtin: "query.gtin",
};

/**
 * Why no response was judged: something that discovery did not find, or the statuses of the responses that came
 * instead, with the requirement whose checks provoke such a response.
 */
function notExercised(
  exercisedBy: ExercisedBy,
  exchanges: readonly Exchange[],
  { fixtures }: RuleFacts,
): Outcome {
  const evidence: readonly Exchange[] = [];
  const notJudged = (finding: Finding): Outcome => ({ kind: "inconclusive", findings: [finding], evidence });
  if (typeof exercisedBy === "string") {
    const source = sources[exercisedBy];
    const missing = source && missingOf(fixtures?.[source.fixture]);
    if (missing !== undefined) return notJudged(missing);
    const isSource = (one: Exchange) =>
      exercisedBy === "error" ? one.response.status >= 400 : one.endpoint === source?.endpoint;
    const statuses = Map.groupBy(exchanges.filter(isSource), ({ response }) => response.status);
    const counts = Object.fromEntries([...statuses].map(([status, { length }]) => [status, length]));
    // When responses came, their statuses say more than what provokes others.
    const provoking = statuses.size === 0 ? provokedBy[exercisedBy] : undefined;
    return notJudged({
      code: "no-response-exercised",
      subject: exercisedBy,
      details: { statuses: counts, ...given({ provokedBy: provoking }) },
    });
  }
  const { statuses, optional = false } = exercisedBy;
  const count = exchanges.filter(({ response }) => statuses.includes(response.status)).length;
  const seen = { expected: [...statuses], seen: { count, of: "responses" } } as const;
  if (optional) return { kind: "notApplicable", findings: [{ code: "status-not-seen", ...seen }], evidence };
  const missing = statuses.includes(403) && count === 0 ? missingOf(fixtures?.unentitledProduct) : undefined;
  if (missing !== undefined) return notJudged(missing);
  // Responses with that status came, but lacked what the rule judges.
  const provoking = count > 0 ? undefined : provokedBy[String(statuses[0])];
  const details = provoking === undefined ? undefined : { provokedBy: provoking };
  return notJudged({ code: "no-response-exercised", subject: "status", ...seen, details });
}

function missingOf(fixture: Fixtures[keyof Fixtures] | undefined): Finding | undefined {
  return fixture !== undefined && "missing" in fixture ? fixture.missing : undefined;
}
