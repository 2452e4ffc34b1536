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
import { graceOf } from "./waits.ts";

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
  const withinMilliseconds = Math.round(last.at - first.at);
  const flaw = { requests: indexesOf(failed), status: first.response.status, withinMilliseconds };
  return observed("retried-without-end", failed.length, [flaw], failed.length);
}
