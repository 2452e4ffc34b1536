import type { EndpointId } from "../../schemas/api.ts";
import type { Finding } from "../../schemas/types.ts";
import type { Exchange } from "../client/exchange.ts";
import type { Fixtures } from "../discovery/fixtures.ts";
import { failed, type Outcome, passed } from "../engine/outcome.ts";
import { identityOf, productsIn, type SeenProduct } from "../response/products-in.ts";
import type { ExercisedBy, Rule, RuleFacts } from "./rule.ts";

/** Kinds of finding in one outcome. */
const mostKinds = 5;
/** Exchanges that are shown at least, where there are so many. */
const leastShown = 3;
/** Retailers of which a finding says how many products show it. */
const mostRetailers = 20;

interface Judged {
  readonly exchange: Exchange;
  readonly findings: readonly Finding[];
}

/**
 * Outcome of a rule over all exchanges of a run. Breaches of one kind, wherever they stand, are one finding: it names
 * the first place, says how often the kind was seen, and at which endpoints and retailers.
 */
export function judgeAll(rule: Rule, exchanges: readonly Exchange[], facts: RuleFacts): Outcome {
  const judged = exchanges.flatMap((exchange): Judged[] => {
    const findings = rule.judge(exchange, facts);
    return findings === undefined ? [] : [{ exchange, findings }];
  });
  if (judged.length === 0) return notExercised(rule.exercisedBy, exchanges, facts.fixtures);
  const breaches = judged.flatMap(({ exchange, findings }) => {
    const products = findings.length === 0 ? [] : productsIn(exchange, facts.dialect);
    return findings.map((finding) => ({ exchange, finding, kind: kindOf(finding, products) }));
  });
  if (breaches.length === 0)
    return passed({ code: "checked", seen: { count: judged.length, of: "responses" } });
  const kinds = [...Map.groupBy(breaches, ({ kind }) => kind).values()]
    .toSorted((a, b) => exchangesOf(b).length - exchangesOf(a).length)
    .slice(0, mostKinds);
  const firsts = kinds.flatMap(([first]) => (first === undefined ? [] : [first.exchange]));
  const more = breaches.map(({ exchange }) => exchange);
  const evidence = [...new Set([...firsts, ...more])].slice(0, Math.max(leastShown, new Set(firsts).size));
  return failed(
    kinds.flatMap((kind) => {
      const [first] = kind;
      if (first === undefined) return [];
      return { ...summaryOf(kind, judged, facts), exchange: evidence.indexOf(first.exchange) };
    }),
    ...evidence,
  );
}

interface Breach {
  readonly exchange: Exchange;
  readonly finding: Finding;
  readonly kind: string;
}

/**
 * What makes two findings the same one seen twice: the same code at the same place, in whichever entry of a list, and
 * in whichever way the product came.
 */
function kindOf({ code, path = "", subject = "" }: Finding, products: readonly SeenProduct[]): string {
  const product = products.find((one) => path.startsWith(`${one.path}/`));
  const place = product === undefined ? path : path.slice(product.path.length);
  return `${code} ${place.replaceAll(/\/\d+(?=\/|$)/g, "/*")} ${subject}`;
}

function exchangesOf(kind: readonly Breach[]): Exchange[] {
  return [...new Set(kind.map(({ exchange }) => exchange))];
}

function summaryOf(kind: readonly Breach[], judged: readonly Judged[], { dialect }: RuleFacts): Finding {
  const seenIn = exchangesOf(kind);
  const [{ finding, exchange }] = kind as [Breach, ...Breach[]];
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
            productsIn(one.exchange, dialect).map(({ product }) => identityOf(product)),
          ),
        );
  return {
    ...finding,
    endpoint: exchange.endpoint,
    seen: { count: seenIn.length, total: judged.length, of: "responses" },
    byEndpoint,
    ...(byRetailer === undefined ? {} : { byRetailer }),
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

/** The endpoint whose responses exercise a rule, and what a request to it takes. */
const sources: Readonly<
  Partial<Record<string, { readonly endpoint: EndpointId; readonly fixture: keyof Fixtures }>>
> = {
  product: { endpoint: "category-page", fixture: "product" },
  page: { endpoint: "category-page", fixture: "category" },
  retailer: { endpoint: "retailers", fixture: "retailers" },
  batch: { endpoint: "batch", fixture: "batch" },
  "lookup-by-id": { endpoint: "lookup-by-id", fixture: "product" },
};

/** Why nothing was judged: what discovery missed, or what came in place of the responses that it takes. */
function notExercised(
  exercisedBy: ExercisedBy,
  exchanges: readonly Exchange[],
  fixtures: Fixtures | undefined,
): Outcome {
  const evidence: readonly Exchange[] = [];
  const notJudged = (finding: Finding): Outcome => ({ kind: "inconclusive", findings: [finding], evidence });
  if (typeof exercisedBy === "string") {
    const source = sources[exercisedBy];
    const missing = source && missingOf(fixtures?.[source.fixture]);
    if (missing !== undefined) return notJudged(missing);
    const statuses = Map.groupBy(
      exchanges.filter(({ endpoint }) => endpoint === source?.endpoint),
      ({ response }) => response.status,
    );
    const counts = Object.fromEntries([...statuses].map(([status, { length }]) => [status, length]));
    return notJudged({ code: "no-response-exercised", subject: exercisedBy, details: { statuses: counts } });
  }
  const { statuses, optional = false } = exercisedBy;
  const count = exchanges.filter(({ response }) => statuses.includes(response.status)).length;
  const seen = { expected: [...statuses], seen: { count, of: "responses" } } as const;
  if (optional) return { kind: "notApplicable", findings: [{ code: "status-not-seen", ...seen }], evidence };
  const missing = statuses.includes(403) && count === 0 ? missingOf(fixtures?.unentitledProduct) : undefined;
  return notJudged(missing ?? { code: "no-response-exercised", subject: "status", ...seen });
}

function missingOf(fixture: Fixtures[keyof Fixtures] | undefined): Finding | undefined {
  return fixture !== undefined && "missing" in fixture ? fixture.missing : undefined;
}
