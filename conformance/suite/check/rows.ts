import type { Finding, FindingOf } from "../../../schemas/contracts/finding.ts";
import type { Exchange } from "../../client/exchange.ts";
import type { Request } from "../../client/requests.ts";
import { need } from "../../discovery/fixtures.ts";
import type { CheckId } from "../../requirements/all.ts";
import {
  failed,
  NotJudged,
  notApplicable,
  type Outcome,
  passed,
  placeOf,
  statusOf,
} from "../../requirements/outcome.ts";
import type { SectionKey } from "../../requirements/requirement.ts";
import { factsOf } from "../../rules/facts.ts";
import { rules as allRules, judgeAll } from "../../rules/judge-all.ts";
import type { Check, CheckContext, ResponseView, Section } from "./check.ts";
import { sendBatch } from "./inputs.ts";
import { ofSameOrganization } from "./provoked-limit.ts";

// Checks as data. A row says what is sent and what fits; sending, comparing and asking again is said once.

type Row = Pick<Check, "id" | "title" | "restsOn" | "walks"> & Partial<Pick<Check, "requests">>;

type Unfit = Finding | undefined;
type OneOrMore<T> = T | readonly T[];

/** A control succeeds, one thing in it is changed, and only these statuses fit. */
export interface StatusRow extends Row {
  /** The requests that must succeed first; the first one is shown beside a failure. Default: none */
  readonly good?: (context: CheckContext) => OneOrMore<Request> | Promise<OneOrMore<Request>>;
  /** The changed requests, sent in turn until one does not fit. */
  readonly bad: (context: CheckContext) => OneOrMore<ChangedRequest> | Promise<OneOrMore<ChangedRequest>>;
  readonly expect: Expected;
  /** Each request is sent by itself and not shared; the one before it is shown beside a failure. */
  readonly alone?: true;
  /** Whether a response fits although its status does not: what was made up may exist. */
  readonly unless?: (
    exchange: Exchange,
    context: CheckContext,
    changed: ChangedRequest,
    control: Exchange | undefined,
  ) => boolean | Promise<boolean>;
  /** What these rules find in the responses fails, too. */
  readonly rules?: readonly CheckId[];
  /** Why the check does not apply where nothing is to be changed. Default: it passes */
  readonly none?: Finding;
  /** What is wrong with a response although its status fits. */
  readonly unfit?: (
    exchange: Exchange,
    context: CheckContext,
    changed: ChangedRequest,
  ) => Unfit | Promise<Unfit>;
}

/** What was special about a request, as fields of a finding. */
type FindingContext = Pick<FindingOf<"wrong-status">, "condition" | "subject" | "product" | "details">;

export interface ChangedRequest extends FindingContext {
  readonly request: Request;
  /** Default: the statuses of the row. Any: it is sent for what comes after it. */
  readonly expect?: Expected | "any";
}

type Expected = OneOrMore<number>;

/** Two ways to the same thing: each pair of requests must get responses that look alike. */
export interface PairRow extends Row {
  readonly ways: (
    context: CheckContext,
  ) => readonly (readonly [Request, Request])[] | Promise<readonly (readonly [Request, Request])[]>;
  readonly view: ResponseView;
}

/** A fast service has several requests under way at the same time only if many arrive at once. */
const mostTogether = 11;

/** Requests sent together or one after the other; what these rules find in their responses fails. */
export interface TrafficRow extends Row {
  readonly send: (context: CheckContext) => readonly Request[] | Promise<readonly Request[]>;
  readonly how: "together" | "in turn";
  readonly rules: readonly CheckId[];
}

/** A section of rows, and of functions where no row fits. Those under a heading of their own run together. */
export function section(
  key: SectionKey,
  entries: readonly (StatusRow | PairRow | TrafficRow | Check)[],
  heading?: string,
): Section {
  return { key, checks: entries.map(checkOf), heading };
}

function checkOf(entry: StatusRow | PairRow | TrafficRow | Check): Check {
  if ("run" in entry) return entry;
  const { restsOn } = entry;
  const isAlone = "bad" in entry && entry.good === undefined;
  return {
    ...entry,
    requests: entry.requests ?? (isAlone ? 1 : 2),
    async run(context) {
      const key = restsOn && need(context.fixtures[restsOn]);
      const outcome = await ("ways" in entry
        ? allCompared(entry, context)
        : "send" in entry
          ? judgedTraffic(entry, context)
          : answeredAsExpected(entry, context));
      if (restsOn === "sameOrgKey") return await ofSameOrganization(context, outcome);
      if (outcome.kind === "fail" && key?.role === "unclear") throw new NotJudged(key.doubt);
      return outcome;
    },
  };
}

async function answeredAsExpected(row: StatusRow, context: CheckContext): Promise<Outcome> {
  const { good, bad, expect, unless, alone, none, unfit, rules = [] } = row;
  const all = [await bad(context)].flat().map(withIdentity);
  if (all.length === 0 && none !== undefined) return notApplicable(none);
  const controls: Exchange[] = [];
  for (const request of [(await good?.(context)) ?? []].flat()) controls.push(await context.control(request));
  let [beside] = controls;
  let outcome = passed();
  const exchanges: Exchange[] = [];
  for (const changed of all) {
    const { request, expect: own = expect, ...about } = changed;
    const exchange = await sent(request, own, context, alone === true ? context.ask : context.shared);
    exchanges.push(exchange);
    outcome = hasStatus(exchange, own === "any" ? exchange.response.status : own, about, beside);
    if (outcome.kind !== "pass" && (await unless?.(exchange, context, changed, beside)) === true) {
      outcome = passed({ code: "answered", actual: exchange.response.status }, exchange);
      continue;
    }
    if (outcome.kind !== "pass") return outcome;
    const finding = await unfit?.(exchange, context, changed);
    if (finding !== undefined) return failed(finding, ...outcome.evidence);
    // A row that looks at the response excludes more than statuses.
    if (unfit !== undefined || rules.length > 0)
      outcome = passed({ code: "answered", actual: exchange.response.status }, ...outcome.evidence);
    if (alone === true) beside = exchange;
  }
  // Which of several readings was seen.
  const actual = [...new Set(exchanges.map(({ response }) => response.status))];
  if (actual.length > 1) outcome = passed({ code: "answered", actual }, ...outcome.evidence);
  return foundBy(rules, exchanges, context) ?? outcome;
}

/** A finding names a product, and shows nothing else of what was known of it. */
function withIdentity({ product, ...changed }: ChangedRequest): ChangedRequest {
  if (product === undefined) return changed;
  const { retailer, productId } = product;
  return { ...changed, product: { retailer, productId } };
}

/** Passed with the status, or one of several that the spec allows. The control is shown beside it. */
export function hasStatus(
  exchange: Exchange,
  expected: OneOrMore<number>,
  circumstances: FindingContext,
  control?: Exchange,
): Outcome {
  const allowed = [...new Set([expected].flat())];
  const evidence = control === undefined ? [exchange] : [exchange, control];
  const { status } = exchange.response;
  if (allowed.includes(status))
    return passed({ code: "answered", expected: allowed, actual: status }, ...evidence);
  const { actual, details } = statusOf(exchange);
  const shown = { actual, ...circumstances, details: { ...circumstances.details, ...details } };
  return failed({ code: "wrong-status", expected: allowed, ...shown }, ...evidence);
}

async function allCompared({ ways, view }: PairRow, context: CheckContext): Promise<Outcome> {
  for (const pair of await ways(context)) {
    const outcome = await compared(context, pair, view);
    if (outcome.kind !== "pass") return outcome;
  }
  return passed();
}

/**
 * Compares two ways to one thing, A B B A: what differs within A or B changes by itself, and replicas that
 * take turns do not get one way each. Where the first two look alike, the others are not sent.
 */
export async function compared(
  context: CheckContext,
  [a, b]: readonly [Request, Request],
  view: ResponseView,
  sendFirst = context.shared,
): Promise<Outcome> {
  const { ask } = context;
  const [a1, b1] = [await sendBatch(a, ask, sendFirst), await sendBatch(b, ask, sendFirst)];
  const first = new Set(view(a1, b1, context).map(placeOf));
  if (first.size === 0) return passed({ code: "answered", actual: b1.response.status }, b1, a1);
  const [b2, a2] = [await sendBatch(b, ask), await sendBatch(a, ask)];
  const volatile = new Set([...view(a1, a2, context), ...view(b1, b2, context)].map(placeOf));
  const still = view(a2, b2, context).filter((one) => first.has(placeOf(one)) && !volatile.has(placeOf(one)));
  return still.length === 0 ? passed() : failed(still, b2, a2);
}

async function judgedTraffic({ send, how, rules }: TrafficRow, context: CheckContext): Promise<Outcome> {
  const all = await send(context);
  const size = how === "together" ? mostTogether : 1;
  const exchanges: Exchange[] = [];
  for (let start = 0; start < all.length; start += size)
    // They leave together as far as the pace of the target allows it.
    exchanges.push(
      ...(await Promise.all(all.slice(start, start + size).map((request) => context.ask(request)))),
    );
  const { length: count } = exchanges;
  return foundBy(rules, exchanges, context) ?? passed({ code: "checked", seen: { count, of: "requests" } });
}

/** The failure of the first of these rules that finds something in the responses. */
function foundBy(
  rules: readonly CheckId[],
  exchanges: readonly Exchange[],
  context: CheckContext,
): Outcome | undefined {
  if (rules.length === 0) return undefined;
  const facts = factsOf(context.exchanges, context);
  const outcomes = allRules
    .filter(({ id }) => rules.includes(id))
    .map((rule) => judgeAll(rule, exchanges, facts));
  return outcomes.find(({ kind }) => kind === "fail");
}

/** A batch that must succeed is sent again for upstream errors, as a single lookup is after 502 or 504. */
async function sent(
  request: Request,
  expect: Expected | "any",
  { ask }: CheckContext,
  send: CheckContext["ask"],
): Promise<Exchange> {
  const mustSucceed = [expect].flat().every((status) => status === 200);
  return mustSucceed ? await sendBatch(request, ask, send) : await send(request);
}
