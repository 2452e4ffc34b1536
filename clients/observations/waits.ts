import type { ClientExchange } from "../lab/exchange.ts";
import {
  type ClientRun,
  hadTimeAfter,
  type Observed,
  observed,
  repetitionsOf,
  unkept,
} from "./observation.ts";

/** In so many requests, two workers have one under way at the same time. */
const enoughToOverlap = 40;

/**
 * Whether each request left after the response before it, so that the client had each refusal. In few
 * requests workers may take turns by chance, so connections must show it.
 */
function isSequential({ exchanges, workers }: ClientRun): boolean {
  const each = exchanges.slice(1).every((one, place) => {
    const before = exchanges[place] as ClientExchange;
    const { connection } = one.request;
    const isSame = connection !== undefined && connection.id === before.request.connection?.id;
    const isShown = isSame || one.connectedAt > before.end || exchanges.length >= enoughToOverlap;
    return one.at >= before.end && isShown;
  });
  return each && workers === 1;
}

/** How long after a response a request may arrive that left before it: another worker may have begun it. */
export function graceOf(run: ClientRun): number {
  return isSequential(run) ? 0 : 1000;
}

/** A wait may seem so much shorter, because clocks tick in milliseconds. */
const clockMilliseconds = 20;
/** A queue or burst of the client may send so many before it learns of the refusal, without such a pause. */
const mostUnderWay = 3;
const pauseMilliseconds = { sequential: 100, concurrent: 500 };

/** When the wait after a refusal is over. */
const overAt = ({ end, wait = 0 }: ClientExchange) => end + wait * 1000;

/** No request leaves after a refusal before the wait is over. */
export function requestsDuringWaits(run: ClientRun): Observed {
  const { exchanges, ended, stalls, workers } = run;
  const isRepeated = repetitionsOf(exchanges);
  const grace = graceOf(run);
  const pause = pauseMilliseconds[grace === 0 ? "sequential" : "concurrent"];
  /** The time between two moments, without the longest one in which the observer stood still. */
  const timeBetween = (from: number, to: number) => {
    const stood = stalls.filter((stall) => stall.to > from && stall.from < to);
    return Math.max(0, to - from - Math.max(0, ...stood.map((stall) => stall.to - stall.from)));
  };

  /** Of the requests that arrived during a wait, those that left in it. */
  function leftDuring(refusal: ClientExchange, early: readonly ClientExchange[]): ClientExchange[] {
    const last = early.at(-1);
    if (last === undefined) return [];
    // A client that stops may have a queue that it still sends; it is of one task.
    const kinds = new Set(early.map(({ kind }) => kind.replace(/^lookup-.*/, "lookup")));
    const isQueue = ended === "stopped" && kinds.size === 1 && last === exchanges.at(-1);
    // In turn, and none sent again after the wait: it went on, too fast for the grace to show it.
    let goesOn = grace === 0 && !isQueue && early.length >= mostUnderWay && !isRepeated(last);
    const asked = new Set([refusal.target]);
    return early.filter(({ at, target }, place) => {
      goesOn ||= !isQueue && timeBetween((early[place - 1] ?? refusal).end, at) > pause;
      const isAgain = asked.has(target);
      asked.add(target);
      return (goesOn || isAgain) && timeBetween(refusal.end, at) >= grace;
    });
  }

  // Whose requests a wait binds: the whole program, or each connection of processes that share nothing.
  const byConnection = Map.groupBy(exchanges, ({ request }) => request.connection?.id);
  const groups = workers === 1 ? [exchanges] : [...byConnection.values()];
  // Who shares the wait has it from the first refusal; the others are refused for the rest of it.
  const isFirst = ({ wait, situations }: ClientExchange) =>
    wait !== undefined && (workers > 1 || !situations.includes("still-limited"));
  const judged = groups.flatMap((group) =>
    group.filter(isFirst).map((refusal) => {
      const after = group.filter(({ at }) => at > refusal.end);
      const early = after.filter(({ at }) => at < overAt(refusal) - clockMilliseconds);
      const flaws = leftDuring(refusal, early).map(({ index, at, target }) => ({
        requests: [refusal.index, index],
        seconds: refusal.wait ?? 0,
        afterMilliseconds: Math.round(at - refusal.end),
        same: refusal.target === target,
      }));
      return { flaws, shows: flaws.length > 0 || early.length < after.length };
    }),
  );
  const flaws = judged.flatMap((one) => one.flaws);
  const chances = judged.filter(({ shows }) => shows).length;
  return { ...observed("sent-too-early", exchanges.length, flaws), chances };
}

/** A refused request is sent again after the wait. */
export function refusalsWithoutRepetition(run: ClientRun): Observed {
  const isRepeated = repetitionsOf(run.exchanges);
  const decided = unkept(run).filter(
    (one) => one.wait !== undefined && (isRepeated(one) || hadTimeAfter(run, overAt(one))),
  );
  // The same request of another worker, which was under way, may have brought what the task needs.
  const isBrought = ({ target, end }: ClientExchange) =>
    run.exchanges.some((one) => one.target === target && one.end > end && one.wait === undefined);
  const dropped = decided.filter((one) => !isRepeated(one) && !isBrought(one));
  const flaws = dropped.map(({ index }) => ({ requests: [index] }));
  return observed("not-sent-again", decided.length, flaws);
}
