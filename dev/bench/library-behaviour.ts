import { type ClientExchange, kindOf, waitOf } from "../../clients/lab/exchange.ts";
import { milliseconds } from "../../schemas/words/format.ts";

// What a library does after a refusal or a failure, from the requests that it sent.

/** Clocks tick in milliseconds. */
const toleranceMilliseconds = 20;
/** Programs do nothing for 6 s after a failure that a library reports, so a later repetition is none. */
const longestMilliseconds = 60_000;

/** The cells of a row: after a 429 of a lookup and of a batch, after 502 and 504, after 404. */
export function describeRetries(exchanges: readonly ClientExchange[]): readonly string[] {
  const isBatch = (one: ClientExchange) => kindOf(one) === "batch";
  const lookups = exchanges.filter((one) => !isBatch(one));
  return [
    waitsText(lookups),
    waitsText(exchanges.filter(isBatch)),
    repetitionText(lookups, [502, 504]),
    repetitionText(lookups, [404]),
  ];
}

interface Refused {
  readonly seconds: number;
  /** Milliseconds until it was sent again; undefined if it was not. */
  readonly gap: number | undefined;
}

function waitsText(exchanges: readonly ClientExchange[]): string {
  // Only refusals that the service began: those during a wait follow from the first one.
  const refused = exchanges
    .filter(({ situation }) => situation?.startsWith("wait-"))
    .map((one): Refused => ({ seconds: waitOf(one) ?? 0, gap: gapAfter(one, exchanges) }));
  if (refused.length === 0) return "";
  const again = refused.filter(({ gap }) => gap !== undefined);
  if (again.length === 0) return "gives up";
  const early = again.filter(({ seconds, gap = 0 }) => gap < 1000 * seconds - toleranceMilliseconds);
  const some =
    again.length < refused.length ? `, ${refused.length - again.length} of ${refused.length} given up` : "";
  if (early.length === 0) return `waits${some}`;
  const shown = early
    .toSorted((a, b) => a.seconds - b.seconds)
    .map(({ seconds, gap = 0 }) => `${milliseconds(Math.round(gap))} of ${seconds} s`);
  return `**too early**: ${shown.join(", ")}${some}`;
}

function gapAfter(refusal: ClientExchange, exchanges: readonly ClientExchange[]): number | undefined {
  const next = exchanges.find(({ index, target }) => index > refusal.index && target === refusal.target);
  const gap = next === undefined ? undefined : next.at - refusal.end;
  return gap === undefined || gap > longestMilliseconds ? undefined : gap;
}

function repetitionText(exchanges: readonly ClientExchange[], statuses: readonly number[]): string {
  const failed = exchanges.filter(({ response: { status } }) => statuses.includes(status));
  const groups = [...Map.groupBy(failed, ({ target }) => target).values()];
  const again = groups.filter((group) => group.some((one) => gapAfter(one, exchanges) !== undefined));
  if (groups.length === 0) return "";
  if (again.length === 0) return "gives up";
  const [first] = again
    .flat()
    .map((one) => gapAfter(one, exchanges))
    .filter((gap) => gap !== undefined);
  return `sends again after ${milliseconds(Math.round(first ?? 0))}`;
}
