import type { ClientExchange } from "../lab/exchange.ts";
import {
  type ClientFlaw,
  type ClientRun,
  graceOf,
  hadTimeAfter,
  type Observed,
  observed,
  repetitionsOf,
  unkept,
} from "./observation.ts";
import { searchesOf } from "./retailers.ts";

/** The requests that no task asks for more than once. */
function askedOnce(run: ClientRun): ClientExchange[] {
  const searches = new Set(searchesOf(run).map(({ exchange }) => exchange));
  return unkept(run).filter((exchange) => !searches.has(exchange));
}

/** Errors with the same status are treated alike, whatever their message. */
export function behaviourByMessage(run: ClientRun): Observed {
  const isRepeated = repetitionsOf(run.exchanges);
  const errors = askedOnce(run).filter(
    ({ response: { status }, end }) => (status === 404 || status === 429) && hadTimeAfter(run, end),
  );
  const flaws: ClientFlaw<"message-matters">[] = [];
  let chances = 0;
  for (const [status, all] of Map.groupBy(errors, (one) => one.response.status)) {
    // Of a request that was sent several times, the last response was decided on once more.
    const last = [...new Map(all.map((one) => [one.target, one])).values()];
    const first = [...new Map(all.toReversed().map((one) => [one.target, one])).values()];
    const compared = status === 429 ? last : first;
    const { usual = [], other = [] } = Object.groupBy(compared, ({ situations }) =>
      situations.includes("message-changed") ? "other" : "usual",
    );
    if (usual.length < 2 || other.length < 2) continue;
    chances += other.length;
    const [ofUsual, ofOther] = [usual, other].map((ones) => new Set(ones.map(isRepeated)));
    if (ofUsual?.size !== 1 || ofOther?.size !== 1 || ofUsual.has(true) === ofOther.has(true)) continue;
    const repeated = ofUsual.has(true) ? "usual" : "other";
    flaws.push({ shows: [...usual.slice(0, 2), ...other.slice(0, 2)], details: { status, repeated } });
  }
  return observed("message-matters", flaws, { chances });
}

/** A request that was refused for good is not sent again unchanged. */
export function repeatedRefusals(run: ClientRun): Observed {
  const refused = askedOnce(run).filter(({ response: { status } }) => [400, 401, 403, 404].includes(status));
  const grace = graceOf(run);
  const repeated = [...Map.groupBy(refused, ({ target }) => target).values()].find((group) => {
    const [first] = group;
    const late = group.filter(({ at }) => first !== undefined && at > first.end + grace);
    // Two at the same time are no repetition; a third one after the response of the second is.
    const chain = group.filter(({ at }, place) => place > 0 && at > (group[place - 1]?.end ?? 0));
    return late.length > 0 || chain.length > 1;
  });
  const status = repeated?.[0]?.response.status ?? 0;
  return observed(
    "repeated-refusal",
    repeated === undefined ? [] : [{ shows: repeated, details: { status } }],
    {
      chances: refused.length,
      count: repeated?.length ?? 0,
    },
  );
}

/** A request is sent at most so many times while it fails: libraries retry up to 10 times. */
const mostAttempts = 15;

/** A request that keeps failing on the side of the service is given up. */
export function endlessRetries(run: ClientRun): Observed {
  const failed = run.exchanges.filter(({ situations }) => situations.includes("lasting-failure"));
  const [first] = failed;
  const last = run.exchanges.findLast(({ target }) => target === first?.target);
  if (first === undefined || last === undefined) return { chances: 0, findings: [] };
  const isEndless = failed.length > mostAttempts;
  const isGivenUp = last === failed.at(-1) && hadTimeAfter(run, last.end);
  const details = { status: first.response.status, withinMilliseconds: Math.round(last.at - first.at) };
  return observed("retried-without-end", isEndless ? [{ shows: failed, details }] : [], {
    chances: isEndless || isGivenUp ? failed.length : 0,
    count: failed.length,
  });
}

/** So many equal gaps are an interval, and so long ones are no repetition at once. */
const polling = { gaps: 6, milliseconds: 200 };

/** Repetitions of products that no task asks for and no refusal explains: most gaps are within a tenth of their median. */
export function productsPolled(run: ClientRun): Observed {
  const read = askedOnce(run).filter(
    ({ request: { method, path }, response: { status } }) =>
      method === "GET" && status === 200 && path.startsWith("/v1/products"),
  );
  const flaws = [...Map.groupBy(read, ({ target }) => target).values()].flatMap((group) => {
    const gaps = group.slice(1).map((one, at) => one.at - (group[at]?.at ?? 0));
    const median = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0;
    const regular = gaps.filter((gap) => Math.abs(gap - median) <= median / 10);
    const isFixed = median >= polling.milliseconds && regular.length >= gaps.length * 0.7;
    return gaps.length >= polling.gaps && isFixed
      ? [{ shows: group, details: { everyMilliseconds: Math.round(median) } }]
      : [];
  });
  return observed("polled", flaws, { chances: read.length, count: flaws[0]?.shows.length ?? 0 });
}
