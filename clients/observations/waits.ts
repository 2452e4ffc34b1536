import type { FindingOf } from "../../schemas/contracts/finding.ts";
import { type ClientExchange, isLookupOf, kindOf, waitOf } from "../lab/exchange.ts";
import { longestStall } from "../lab/stalls.ts";
import {
  type ClientFlaw,
  type ClientRun,
  hadTimeAfter,
  merged,
  type Observed,
  repetitionsOf,
} from "./observation.ts";

/** A client cannot have sent a request earlier than this before it was seen, and clocks tick in milliseconds. */
const clockMilliseconds = 20;
/** A request that another worker had begun when the refusal came may still arrive within this time. */
const underWayMilliseconds = 500;

/** A 429 with the wait that it asks for. */
interface AskedWait {
  readonly exchange: ClientExchange;
  readonly seconds: number;
  /** When the wait is over. */
  readonly until: number;
}

function refusalsIn(exchanges: readonly ClientExchange[]): AskedWait[] {
  return exchanges.flatMap((exchange) => {
    const seconds = waitOf(exchange);
    return seconds === undefined ? [] : [{ exchange, seconds, until: exchange.end + seconds * 1000 }];
  });
}

/** No request is sent before the wait of a refusal is over, by the process that was refused. */
export function requestsDuringWaits(run: ClientRun): Observed {
  const { exchanges, stalls } = run;
  const refused = refusalsIn(exchanges);
  const kept = run.tasks.find((task) => task.do === "keep-looking-up")?.products ?? [];
  // Several workers may ask for these at the same time, so an equal request is not always a repetition.
  const isAskedOften = (one: ClientExchange) =>
    kindOf(one) === "retailers" || kept.some((product) => isLookupOf(one, product));
  let waiting: AskedWait[] = [];
  let next = 0;
  const flaws: ClientFlaw<"sent-too-early">[] = [];
  for (const exchange of exchanges) {
    for (let refusal = refused[next]; refusal !== undefined; refusal = refused[next]) {
      if (refusal.exchange.index >= exchange.index) break;
      waiting.push(refusal);
      next++;
    }
    waiting = waiting.filter(({ until }) => exchange.at < until - clockMilliseconds);
    // The refusal whose wait lasts longest is the one that the request comes too early for.
    const refusal = waiting
      .filter((one) => knewOf(one.exchange, exchange, { stalls, isAskedOften }))
      .reduce<AskedWait | undefined>((a, b) => (a === undefined || b.until > a.until ? b : a), undefined);
    if (refusal !== undefined) flaws.push(tooEarly(refusal, exchange));
  }
  const answered = refused.filter(({ exchange }) => wasFollowed(exchange, exchanges));
  return {
    chances: answered.length,
    findings: merged("sent-too-early", flaws, { total: exchanges.length, of: "requests" }),
  };
}

function tooEarly(
  { exchange: refusal, seconds }: AskedWait,
  exchange: ClientExchange,
): ClientFlaw<"sent-too-early"> {
  const details: Omit<FindingOf<"sent-too-early">["details"], "requests"> = {
    seconds,
    afterMilliseconds: Math.round(exchange.at - refusal.end),
    same: refusal.target === exchange.target,
  };
  return { shows: [refusal, exchange], details };
}

/** Whether the client went on after a refusal: one that stops has not shown whether it would have waited. */
function wasFollowed(refusal: ClientExchange, exchanges: readonly ClientExchange[]): boolean {
  const last = exchanges.findLast(({ process }) => process === refusal.process);
  return last !== undefined && last.index > refusal.index;
}

/** Whether whoever sent a request knew of a refusal. */
function knewOf(
  refusal: ClientExchange,
  exchange: ClientExchange,
  {
    stalls,
    isAskedOften,
  }: { readonly stalls: ClientRun["stalls"]; readonly isAskedOften: (exchange: ClientExchange) => boolean },
): boolean {
  if (exchange.process !== refusal.process || exchange.at <= refusal.end) return false;
  // A connection that was opened before the refusal brings a request that had begun before it, when it brings its first one.
  if (exchange.isFirstOnConnection && exchange.connectedAt <= refusal.end) return false;
  const isItsOwn = exchange.target === refusal.target;
  const cameLater = exchange.connectedAt > refusal.end || isSameConnection(exchange, refusal);
  if (isItsOwn && cameLater && !isAskedOften(exchange)) return true;
  // Where the system does not tell processes apart, another request may come from one that got no 429.
  if (exchange.process === undefined) return false;
  const since = exchange.at - refusal.end;
  if (since <= underWayMilliseconds) return false;
  return since > underWayMilliseconds + longestStall(stalls, { after: refusal.end, until: exchange.at });
}

const isSameConnection = (a: ClientExchange, b: ClientExchange): boolean =>
  a.request.connection !== undefined && a.request.connection.id === b.request.connection?.id;

/** A refused request is sent again after the wait. */
export function refusalsWithoutRepetition(run: ClientRun): Observed {
  const refused = refusalsIn(run.exchanges);
  const isRepeated = repetitionsOf(run.exchanges);
  const flaws = refused
    .filter(({ exchange, until }) => hadTimeAfter(run, until) && !isRepeated(exchange))
    .map(({ exchange }) => ({ shows: [exchange], details: { status: 429 } }));
  return {
    chances: refused.length,
    findings: merged("not-sent-again", flaws, { total: refused.length, of: "requests" }),
  };
}
