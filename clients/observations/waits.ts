import { type ClientExchange, kindOf, waitOf } from "../lab/exchange.ts";
import { longestStall } from "../lab/stalls.ts";
import {
  type ClientFlaw,
  type ClientRun,
  hadTimeAfter,
  isSequential,
  type Observed,
  observed,
  repetitionsOf,
  underWayMilliseconds,
  unkept,
} from "./observation.ts";

/** A wait may seem so much shorter, because clocks tick in milliseconds. */
const clockMilliseconds = 20;
/** A queue or a burst of the client may send a few more before it learns of the refusal, without such a pause between them. */
const mostUnderWay = 3;
const pauseMilliseconds = { sequential: 100, concurrent: 500 };

/** A 429 with the wait that it asks for. */
interface AskedWait {
  readonly refusal: ClientExchange;
  readonly seconds: number;
  /** When the wait is over. */
  readonly until: number;
}

function waitsIn(exchanges: readonly ClientExchange[]): AskedWait[] {
  return exchanges.flatMap((refusal) => {
    const seconds = waitOf(refusal);
    return seconds === undefined ? [] : [{ refusal, seconds, until: refusal.end + seconds * 1000 }];
  });
}

/** Whose requests a wait binds: the whole program, or each connection of processes that share nothing. */
function bound({ exchanges, workers }: ClientRun): (readonly ClientExchange[])[] {
  if (workers === 1) return [exchanges];
  return [...Map.groupBy(exchanges, ({ request }) => request.connection?.id).values()];
}

/** No request leaves after a refusal before the wait is over. */
export function requestsDuringWaits(run: ClientRun): Observed {
  const isRepeated = repetitionsOf(run.exchanges);
  const leavesAfterwards = run.workers === 1 && isSequential(run.exchanges);
  // One after another, and none of them sent again after the wait: then the client went on, too fast for the grace to show it.
  const hasGoneOn = (early: readonly ClientExchange[]) => {
    const last = early.at(-1);
    // One that stops may have a queue that is sent before; it is of one task.
    const kinds = new Set(early.map((one) => kindOf(one).replace(/^lookup-.*/, "lookup")));
    const isQueue = early.length < mostUnderWay || (run.ended === "stopped" && kinds.size < 2);
    return leavesAfterwards && !isQueue && last !== undefined && !isRepeated(last);
  };
  const pause = pauseMilliseconds[leavesAfterwards ? "sequential" : "concurrent"];
  const flaws: ClientFlaw<"sent-too-early">[] = [];
  let chances = 0;
  for (const group of bound(run)) {
    // Who shares the wait has it from the first refusal; the others are refused for the rest of it.
    const waits = waitsIn(group).filter(
      ({ refusal }) => run.workers > 1 || !refusal.situations.includes("still-limited"),
    );
    for (const { refusal, seconds, until } of waits) {
      const after = group.filter(({ at }) => at > refusal.end);
      const early = after.filter(({ at }) => at < until - clockMilliseconds);
      const goesOn = hasGoneOn(early);
      let isPaused = false;
      const asked = new Set([refusal.target]);
      const late = early.filter(({ at, target }, place) => {
        const before = early[place - 1] ?? refusal;
        isPaused ||= at - before.end - longestStall(run.stalls, before.end, at) > pause;
        const isAgain = asked.has(target);
        asked.add(target);
        if (leavesAfterwards) return goesOn || isPaused || target === refusal.target;
        const since = at - refusal.end - longestStall(run.stalls, refusal.end, at);
        return since > underWayMilliseconds && (isPaused || isAgain);
      });
      if (late.length > 0 || early.length < after.length) chances++;
      flaws.push(
        ...late.map((exchange) => ({
          shows: [refusal, exchange],
          details: {
            seconds,
            afterMilliseconds: Math.round(exchange.at - refusal.end),
            same: refusal.target === exchange.target,
          },
        })),
      );
    }
  }
  return observed("sent-too-early", flaws, { chances, total: run.exchanges.length });
}

/** A refused request is sent again after the wait. */
export function refusalsWithoutRepetition(run: ClientRun): Observed {
  const refused = waitsIn(unkept(run));
  const isRepeated = repetitionsOf(run.exchanges);
  const decided = refused.filter(({ refusal, until }) => isRepeated(refusal) || hadTimeAfter(run, until));
  const flaws = decided
    .filter(({ refusal }) => !isRepeated(refusal))
    .map(({ refusal }) => ({ shows: [refusal], details: { status: 429 } }));
  return observed("not-sent-again", flaws, { chances: decided.length });
}
