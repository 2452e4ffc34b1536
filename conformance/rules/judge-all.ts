import type { EndpointId } from "../../schemas/api.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { CheckResult } from "../../schemas/contracts/results.ts";
import { type Exchange, requestName } from "../client/exchange.ts";
import { failed, type Outcome, passed } from "../client/outcome.ts";
import type { Fixtures } from "../discovery/fixtures.ts";
import type { RequirementId } from "../requirements/all.ts";
import { verdictOfAll } from "../requirements/verdict.ts";
import { identityOf, productsIn } from "../response/products-in.ts";
import type { ExercisedBy, JudgedCheck, Rule, RuleFacts } from "./rule.ts";

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
      afterRefusal: beforeRefusal(exchangesOf(kind), judged, exchanges),
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

/** Fewer responses before the first 429 could be without a breach by chance. */
const leastBefore = 20;

/**
 * The number of responses before the first 429, if a breach was seen only after it, and no such request was right from then
 * on; undefined if it does not matter.
 */
function beforeRefusal(
  seenIn: readonly Exchange[],
  judged: readonly JudgedExchange[],
  exchanges: readonly Exchange[],
): number | undefined {
  const refusal = exchanges.find(({ response }) => response.status === 429);
  if (refusal === undefined || seenIn.some(({ number }) => number <= refusal.number)) return undefined;
  const names = new Set(seenIn.map(requestName));
  const refusedAt = (refusal.sentAt ?? 0) + refusal.response.milliseconds;
  const isRightAgain = judged.some(
    ({ exchange }) =>
      (exchange.sentAt ?? 0) > refusedAt && names.has(requestName(exchange)) && !seenIn.includes(exchange),
  );
  if (isRightAgain) return undefined;
  const endpoints = new Set(seenIn.map(({ endpoint }) => endpoint));
  const before = judged.filter(
    ({ exchange }) => exchange.number < refusal.number && endpoints.has(exchange.endpoint),
  ).length;
  return before < leastBefore ? undefined : before;
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
 * Why no response was judged: something that discovery did not find, the reason why the provoking check was not
 * judged, or the statuses of the responses that came instead.
 */
function notExercised(
  exercisedBy: ExercisedBy,
  exchanges: readonly Exchange[],
  { fixtures, checks = [] }: RuleFacts,
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
    const provoking = provokingCheck(exercisedBy, checks);
    // When responses came, their statuses say more than a missing check.
    const isKnown = statuses.size === 0 || provoking.details?.verdict !== undefined;
    return notJudged(
      provoking.cause ?? {
        code: "no-response-exercised",
        subject: exercisedBy,
        details: { statuses: counts, ...(isKnown ? provoking.details : {}) },
      },
    );
  }
  const { statuses, optional = false } = exercisedBy;
  const count = exchanges.filter(({ response }) => statuses.includes(response.status)).length;
  const seen = { expected: [...statuses], seen: { count, of: "responses" } } as const;
  if (optional) return { kind: "notApplicable", findings: [{ code: "status-not-seen", ...seen }], evidence };
  const missing = statuses.includes(403) && count === 0 ? missingOf(fixtures?.unentitledProduct) : undefined;
  if (missing !== undefined) return notJudged(missing);
  // Responses with that status came, but lacked what the rule judges.
  const { cause, details } = count > 0 ? {} : provokingCheck(String(statuses[0]), checks);
  return notJudged(
    cause ?? {
      code: "no-response-exercised",
      subject: "status",
      ...seen,
      details,
    },
  );
}

interface Provoking {
  /** Why the provoking check was not judged. */
  readonly cause?: Finding;
  /** The requirement of the provoking check, and its verdict if it ran. */
  readonly details?: { readonly provokedBy: string; readonly verdict?: CheckResult["verdict"] };
}

function provokingCheck(what: string, checks: readonly JudgedCheck[]): Provoking {
  const requirement = provokedBy[what];
  if (requirement === undefined) return {};
  const own = checks.filter(({ id }) => id.startsWith(`${requirement}/`));
  if (own.length === 0) return { details: { provokedBy: requirement } };
  const verdict = verdictOfAll(own.map((check) => check.verdict));
  const [cause] = own.flatMap((check) => (check.verdict === "inconclusive" ? check.findings : []));
  return verdict === "inconclusive" && cause !== undefined
    ? { cause: withoutExchange(cause) }
    : { details: { provokedBy: requirement, verdict } };
}

// The evidence stays with the provoking check.
function withoutExchange(finding: Finding): Finding {
  const { ...rest } = finding;
  delete rest.exchange;
  delete rest.comparedWith;
  return rest;
}

function missingOf(fixture: Fixtures[keyof Fixtures] | undefined): Finding | undefined {
  return fixture !== undefined && "missing" in fixture ? fixture.missing : undefined;
}
