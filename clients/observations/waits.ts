import type { ClientExchange } from "../lab/exchange.ts";
import { longestStall } from "../lab/stalls.ts";
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
 * Whether each request left after the response to the one before it. Then what arrives after a refusal was sent by a client
 * that had it. In few requests, workers may take turns by chance, so connections must show it.
 */
function isSequential(exchanges: readonly ClientExchange[]): boolean {
  return exchanges.slice(1).every((one, at) => {
    const before = exchanges[at] as ClientExchange;
    const { connection } = one.request;
    const isSame = connection !== undefined && connection.id === before.request.connection?.id;
    const isShown = isSame || one.connectedAt > before.end || exchanges.length >= enoughToOverlap;
    return one.at >= before.end && isShown;
  });
}

/** Time in which a request may arrive that another worker had begun before a refusal. */
const underWayMilliseconds = 1000;

/** How long after a response a request may arrive that left before it. */
export function graceOf({ exchanges }: ClientRun): number {
  return isSequential(exchanges) ? 0 : underWayMilliseconds;
}

/** A wait may seem so much shorter, because clocks tick in milliseconds. */
const clockMilliseconds = 20;
/** A queue or a burst of the client may send a few more before it learns of the refusal, without such a pause between them. */
const mostUnderWay = 3;
const pauseMilliseconds = { sequential: 100, concurrent: 500 };

/** When the wait after a refusal is over. */
const overAt = ({ end, wait = 0 }: ClientExchange) => end + wait * 1000;

/** No request leaves after a refusal before the wait is over. */
export function requestsDuringWaits(run: ClientRun): Observed {
  const { exchanges, ended, stalls, workers } = run;
  const isRepeated = repetitionsOf(exchanges);
  const leavesAfterwards = workers === 1 && isSequential(exchanges);
  const pause = pauseMilliseconds[leavesAfterwards ? "sequential" : "concurrent"];
  const timeBetween = (from: number, to: number) => to - from - longestStall(stalls, from, to);

  /** Of the requests that arrived during a wait, those that left in it. */
  function leftDuring(refusal: ClientExchange, early: readonly ClientExchange[]): ClientExchange[] {
    const last = early.at(-1);
    if (last === undefined) return [];
    // A client that stops may have a queue that it still sends; it is of one task.
    const kinds = new Set(early.map(({ kind }) => kind.replace(/^lookup-.*/, "lookup")));
    const isQueue = ended === "stopped" && kinds.size === 1 && last === exchanges.at(-1);
    // One after another, and none of them sent again after the wait: it went on, too fast for the grace to show it.
    const goesOn = leavesAfterwards && !isQueue && early.length >= mostUnderWay && !isRepeated(last);
    let isPaused = false;
    const asked = new Set([refusal.target]);
    return early.filter(({ at, target }, place) => {
      isPaused ||= !isQueue && timeBetween((early[place - 1] ?? refusal).end, at) > pause;
      const isAgain = asked.has(target);
      asked.add(target);
      if (leavesAfterwards) return goesOn || isPaused || isAgain;
      return timeBetween(refusal.end, at) > underWayMilliseconds && (isPaused || isAgain);
    });
  }

  // Whose requests a wait binds: the whole program, or each connection of processes that share nothing.
  const byConnection = Map.groupBy(exchanges, ({ request }) => request.connection?.id);
  const groups = workers === 1 ? [exchanges] : [...byConnection.values()];
  const judged = groups.flatMap((group) => {
    // Who shares the wait has it from the first refusal; the others are refused for the rest of it.
    const refusals = group.filter(
      ({ wait, situations }) => wait !== undefined && (workers > 1 || !situations.includes("still-limited")),
    );
    return refusals.map((refusal) => {
      const after = group.filter(({ at }) => at > refusal.end);
      const early = after.filter(({ at }) => at < overAt(refusal) - clockMilliseconds);
      const left = leftDuring(refusal, early);
      return { refusal, left, shows: left.length > 0 || early.length < after.length };
    });
  });
  const flaws = judged.flatMap(({ refusal, left }) =>
    left.map(({ index, at, target }) => ({
      requests: [refusal.index, index],
      seconds: refusal.wait ?? 0,
      afterMilliseconds: Math.round(at - refusal.end),
      same: refusal.target === target,
    })),
  );
  const chances = judged.filter(({ shows }) => shows).length;
  return { ...observed("sent-too-early", exchanges.length, flaws), chances };
}

/** A refused request is sent again after the wait. */
export function refusalsWithoutRepetition(run: ClientRun): Observed {
  const isRepeated = repetitionsOf(run.exchanges);
  const decided = unkept(run).filter(
    (one) => one.wait !== undefined && (isRepeated(one) || hadTimeAfter(run, overAt(one))),
  );
  const dropped = decided.filter((one) => !isRepeated(one));
  const flaws = dropped.map(({ index }) => ({ requests: [index], status: 429 }));
  return observed("not-sent-again", decided.length, flaws);
}
