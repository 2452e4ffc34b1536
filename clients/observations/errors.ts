import type { ClientExchange } from "../lab/exchange.ts";
import {
  type ClientRun,
  hadTimeAfter,
  type Observed,
  observed,
  repetitionsOf,
  searchesOf,
  unkept,
} from "./observation.ts";

const indexesOf = (exchanges: readonly ClientExchange[]) => exchanges.map(({ index }) => index);

/** Of the requests that no task asks for more than once, those of a kind, each with its repetitions. */
function askedOnce(run: ClientRun, isOne: (one: ClientExchange) => boolean): ClientExchange[][] {
  const searches = new Set(searchesOf(run));
  const once = unkept(run).filter((one) => !searches.has(one) && isOne(one));
  return [...Map.groupBy(once, ({ target }) => target).values()];
}

/** Errors with the same status are treated alike, whatever their message. */
export function behaviourByMessage(run: ClientRun): Observed {
  const isRepeated = repetitionsOf(run.exchanges);
  const compared = [404, 429].flatMap((status) => {
    const groups = askedOnce(
      run,
      ({ response, end }) => response.status === status && hadTimeAfter(run, end),
    );
    // Of a request that was refused several times, the last 429 was decided on once more.
    const each = groups.flatMap((group) => group.at(status === 429 ? -1 : 0) ?? []);
    const [usual = [], other = []] = [false, true].map((isOther) =>
      each.filter(({ situations }) => situations.includes("message-changed") === isOther),
    );
    return usual.length < 2 || other.length < 2 ? [] : [{ status, usual, other }];
  });
  const flaws = compared.flatMap(({ status, usual, other }) => {
    const isUsual = isRepeated(usual[0] as ClientExchange);
    const isOpposite =
      usual.every((one) => isRepeated(one) === isUsual) && other.every((one) => isRepeated(one) !== isUsual);
    const requests = indexesOf([...usual.slice(0, 2), ...other.slice(0, 2)]);
    return isOpposite ? [{ requests, status, repeated: isUsual ? "usual" : "another" } as const] : [];
  });
  return observed("message-matters", compared.flatMap(({ other }) => other).length, flaws);
}

/** Of equal requests, those that are no retry: 429 and a failure of the service ask for one each. */
function withoutRetries(group: readonly ClientExchange[]): ClientExchange[] {
  let retries = 0;
  return group.filter(({ at }) => {
    const asked = group.filter(
      (one) => one.end <= at && (one.wait !== undefined || one.response.status >= 500),
    );
    if (asked.length === retries) return true;
    retries++;
    return false;
  });
}

/** So many refused requests that are sent once more, while none that got a product is, are no coincidence. */
const habit = 3;

/** A request that was refused for good is not sent again unchanged. */
export function repeatedRefusals(run: ClientRun): Observed {
  const isFinal = ({ response }: ClientExchange) => [400, 401, 403, 404].includes(response.status);
  const refused = askedOnce(run, () => true).filter((group) => group.some(isFinal));
  const found = askedOnce(run, ({ kind }) => kind.startsWith("lookup")).filter((one) => !one.some(isFinal));
  const grace = graceOf(run);
  const again = refused.flatMap((group) => {
    const first = group.find(isFinal)?.end ?? 0;
    const own = withoutRetries(group);
    // Two at the same time are no repetition; a third one after the response of the second is.
    const { length } = own.filter(
      ({ at }, place) => place > 0 && at > Math.max(first, own[place - 1]?.end ?? 0),
    );
    return length === 0 ? [] : [{ group, isSure: length > 1 || own.some(({ at }) => at > first + grace) }];
  });
  const isHabit = again.length >= habit && found.every((group) => withoutRetries(group).length === 1);
  const repeated = again.find(({ isSure }) => isSure || isHabit)?.group;
  const finals = repeated?.filter(isFinal) ?? [];
  const status = finals[0]?.response.status ?? 0;
  const flaws = repeated === undefined ? [] : [{ requests: indexesOf(finals), status }];
  return observed("repeated-refusal", refused.flat().filter(isFinal).length, flaws, finals.length);
}

/** A request is sent at most so many times while it fails: libraries retry up to 10 times. */
const mostAttempts = 15;

/** A request that keeps failing on the side of the service is given up. */
export function endlessRetries(run: ClientRun): Observed {
  const failed = run.exchanges.filter(({ situations }) => situations.includes("lasting-failure"));
  const [first] = failed;
  const last = run.exchanges.findLast(({ target }) => target === first?.target);
  if (first === undefined || last === undefined) return { chances: 0 };
  const isGivenUp = last === failed.at(-1) && hadTimeAfter(run, last.end);
  if (failed.length <= mostAttempts) return { chances: isGivenUp ? failed.length : 0 };
  const withinMilliseconds = Math.round((failed.at(-1) ?? first).at - first.at);
  const flaw = { requests: indexesOf(failed), status: first.response.status, withinMilliseconds };
  return observed("retried-without-end", failed.length, [flaw], failed.length);
}

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
function graceOf(run: ClientRun): number {
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
