import type { CheckId } from "../../conformance/requirements/all.ts";
import type { FindingOf } from "../../schemas/contracts/finding.ts";
import type { ClientCode } from "../contract/client-words.ts";
import type { ClientTask, TaskName } from "../contract/tasks.ts";
import { type ClientExchange, nameOf, searchName } from "../lab/exchange.ts";

/** Everything that was seen of a client. */
export interface ClientRun {
  readonly key: string;
  readonly tasks: readonly ClientTask[];
  /** When the observer itself stood still: what it saw then may have arrived before. */
  readonly stalls: readonly { readonly from: number; readonly to: number }[];
  readonly exchanges: readonly ClientExchange[];
  /** `done`: without an error, so it wanted to send no more. `stopped`: with one, or it hung. */
  readonly ended: "done" | "stopped" | "cut-off";
  /** Number of processes that share nothing. One: all requests are those of one client. */
  readonly workers: number;
}

export type ClientFinding = FindingOf<ClientCode>;

/** What an observation says of a run. */
export interface Observed {
  /** Requests in which it could have shown. None: it was not judged. */
  readonly chances: number;
  readonly finding?: ClientFinding;
  /** Why it was not judged, where that is known. */
  readonly reason?: ClientFinding | undefined;
}

export interface ClientObservation {
  /** `<requirement>/<name>` */
  readonly id: CheckId;
  /** What the client does, when all is well. */
  readonly title: string;
  /** The tasks that give it a chance. */
  readonly tasks: readonly TaskName[];
  readonly look: (run: ClientRun) => Observed;
}

/** The details of a finding, apart from the requests that show it. */
export type OwnDetails<Code extends ClientCode> = Omit<FindingOf<Code>["details"], "requests">;

/** Number of requests that a finding names. */
const mostShown = 6;

/** What was seen, with one finding for all flaws: the first one stands for the others. */
export function observed<Code extends ClientCode>(
  code: Code,
  chances: number,
  flaws: readonly (OwnDetails<Code> & { readonly requests: readonly number[] })[],
  count = flaws.length,
): Observed {
  if (flaws.length === 0) return { chances };
  const requests = [...new Set(flaws.flatMap((one) => one.requests))].slice(0, mostShown);
  const seen = { count, total: Math.max(count, chances), of: "requests" };
  return { chances, finding: { code, seen, details: { ...flaws[0], requests } } as never };
}

/** The searches of the task that names a GTIN: the only ones whose retailers the client chooses. */
export function searchesOf(run: ClientRun): ClientExchange[] {
  const name = searchName(run.tasks.find((task) => task.do === "search-retailers")?.gtin ?? "");
  return run.exchanges.filter(({ names }) => names.includes(name));
}

/** The requests of the task that looks up the same again and again are not told from repetitions. */
export function unkept(run: ClientRun): ClientExchange[] {
  const kept = run.tasks.find((task) => task.do === "keep-looking-up")?.products.map(nameOf) ?? [];
  return run.exchanges.filter(({ names }) => !kept.some((name) => names.includes(name)));
}

/** Time in which a client that goes on with something else would have done what it does not do. */
const restMilliseconds = 10_000;

/** Whether the client had the time to go on after a moment, and did not want to. */
export function hadTimeAfter({ ended, exchanges }: ClientRun, moment: number): boolean {
  return ended === "done" || (exchanges.at(-1)?.at ?? 0) > moment + restMilliseconds;
}

/**
 * Tells of a request whether one after its response asks for the same; of a batch, for one of its items. The
 * requests are read once, because a client may send thousands.
 */
export function repetitionsOf(exchanges: readonly ClientExchange[]): (earlier: ClientExchange) => boolean {
  const last = new Map<string, number>();
  const keysOf = ({ target, kind, names }: ClientExchange) => [target, ...(kind === "batch" ? names : [])];
  for (const exchange of exchanges) for (const key of keysOf(exchange)) last.set(key, exchange.at);
  return (earlier) => keysOf(earlier).some((key) => (last.get(key) ?? 0) > earlier.end);
}
