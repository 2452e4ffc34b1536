import type { Finding } from "../../../schemas/contracts/finding.ts";
import type { Exchange } from "../../client/exchange.ts";
import type { Request } from "../../client/requests.ts";
import { need } from "../../discovery/fixtures.ts";
import type { CheckId } from "../../requirements/all.ts";
import { failed, notApplicable, type Outcome, passed } from "../../requirements/outcome.ts";
import type { SectionKey } from "../../requirements/requirement.ts";
import { factsOf } from "../../rules/facts.ts";
import { judgeAll } from "../../rules/judge-all.ts";
import { rules as allRules } from "../../rules/rules.ts";
import type { Check, CheckContext, ResponseView, Section } from "./check.ts";
import { type FindingContext, hasStatus } from "./expectations.ts";
import { placeOf } from "./finding-key.ts";
import { sendBatch } from "./inputs.ts";
import { ofSameOrganization } from "./provoked-limit.ts";

// Checks as data. A row says what is sent and what fits; how it is sent, compared and asked again is said once.

type Row = Pick<Check, "id" | "title" | "restsOn"> & Partial<Pick<Check, "requests">>;

type Unfit = Finding | undefined;
type Requests = Request | readonly [Request, ...Request[]];

/** A control succeeds, one thing in it is changed, and only these statuses fit. */
export interface StatusRow extends Row {
  /** The requests that must succeed first; the first one is shown beside a failure. Default: none */
  readonly good?: (context: CheckContext) => Requests | Promise<Requests>;
  /** The changed requests, sent in turn until one does not fit. */
  readonly bad: (
    context: CheckContext,
  ) => ChangedRequest | readonly ChangedRequest[] | Promise<ChangedRequest | readonly ChangedRequest[]>;
  readonly expect: Expected;
  /** Each request is sent by itself and shared with no other check; the one before it is shown beside a failure. */
  readonly alone?: true;
  /** Whether a response fits although its status does not: what was made up may exist. */
  readonly unless?: (
    exchange: Exchange,
    context: CheckContext,
    changed: ChangedRequest,
    control: Exchange | undefined,
  ) => boolean;
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

/** A changed request, with what is special about it. */
export interface ChangedRequest extends FindingContext {
  readonly request: Request;
  /** Default: the statuses of the row. Any: it is sent for what comes after it. */
  readonly expect?: Expected | "any";
}

type Expected = number | readonly number[];

/** Two ways to the same thing: each pair of requests must get responses that look alike. */
export interface PairRow extends Row {
  readonly ways: (
    context: CheckContext,
  ) => readonly (readonly [Request, Request])[] | Promise<readonly (readonly [Request, Request])[]>;
  readonly view: ResponseView;
}

/** A fast service has several requests under way at the same time only if many arrive at once. */
const mostTogether = 11;

/** Requests that are sent together, or one after the other; what these rules find in their responses fails. */
export interface TrafficRow extends Row {
  readonly send: (context: CheckContext) => readonly Request[] | Promise<readonly Request[]>;
  readonly how: "together" | "in turn";
  readonly rules: readonly CheckId[];
}

/** Creates a section of rows, and of functions where no row fits. Sections under a heading of their own run together. */
export function section(
  key: SectionKey,
  entries: readonly (StatusRow | PairRow | TrafficRow | Check)[],
  heading?: string,
): Section {
  const checks = entries.map((entry) => {
    if ("run" in entry) return entry;
    if ("ways" in entry) return pairCheck(entry);
    return "send" in entry ? trafficCheck(entry) : statusCheck(entry);
  });
  return { key, checks, heading };
}

function statusCheck({
  good,
  bad,
  expect,
  unless,
  alone,
  none,
  unfit,
  rules = [],
  requests = 2,
  ...row
}: StatusRow): Check {
  return rowCheck({ ...row, requests }, async (context) => {
    const all = [await bad(context)].flat();
    if (all.length === 0 && none !== undefined) return notApplicable(none);
    const controls: Exchange[] = [];
    for (const request of [(await good?.(context)) ?? []].flat())
      controls.push(await context.control(request));
    let [beside] = controls;
    let outcome = passed();
    const exchanges: Exchange[] = [];
    for (const changed of all) {
      const { request, expect: own = expect, ...about } = changed;
      const exchange = await sent(request, own, context, alone === true ? context.ask : context.shared);
      exchanges.push(exchange);
      outcome = hasStatus(exchange, own === "any" ? exchange.response.status : own, about, beside);
      if (outcome.kind !== "pass" && unless?.(exchange, context, changed, beside) === true) {
        outcome = passed({ code: "answered", actual: exchange.response.status }, exchange);
        continue;
      }
      if (outcome.kind !== "pass") return outcome;
      const finding = await unfit?.(exchange, context, changed);
      if (finding !== undefined) return failed(finding, ...outcome.evidence);
      if (alone === true) beside = exchange;
    }
    return foundBy(rules, exchanges, context) ?? outcome;
  });
}

function pairCheck({ ways, view, requests = 2, ...row }: PairRow): Check {
  return rowCheck({ ...row, requests }, async (context) => {
    for (const pair of await ways(context)) {
      const outcome = await compared(context, pair, view);
      if (outcome.kind !== "pass") return outcome;
    }
    return passed();
  });
}

/**
 * Compares two ways to the same thing, A B B A: what differs within A or within B changes by itself and is not compared. Two
 * replicas that respond by turns do not each get one way. Where the first two look alike, the others are not sent.
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

function trafficCheck({ send, how, rules, requests = 2, ...row }: TrafficRow): Check {
  return rowCheck({ ...row, requests }, async (context) => {
    const all = await send(context);
    const size = how === "together" ? mostTogether : 1;
    const exchanges: Exchange[] = [];
    for (let start = 0; start < all.length; start += size)
      exchanges.push(...(await context.askTogether(all.slice(start, start + size))));
    const { length: count } = exchanges;
    return foundBy(rules, exchanges, context) ?? passed({ code: "checked", seen: { count, of: "requests" } });
  });
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

function rowCheck(row: Omit<Check, "run">, run: Check["run"]): Check {
  if (row.restsOn === undefined) return { ...row, run };
  return {
    ...row,
    async run(context) {
      need(context.fixtures.sameOrgKey);
      return await ofSameOrganization(context, await run(context));
    },
  };
}

/** A batch that must succeed is sent again where it reports upstream errors, as a single lookup is after 502 or 504. */
async function sent(
  request: Request,
  expect: Expected | "any",
  { ask }: CheckContext,
  send: CheckContext["ask"],
): Promise<Exchange> {
  const mustSucceed = [expect].flat().every((status) => status === 200);
  return mustSucceed ? await sendBatch(request, ask, send) : await send(request);
}
