import type { CheckId } from "../../conformance/requirements/all.ts";
import type { FindingOf } from "../../schemas/contracts/finding.ts";
import type { TaskName } from "../contract/client-findings.ts";
import type { ClientCode } from "../contract/client-words.ts";
import type { ClientExchange } from "../lab/exchange.ts";
import { isLookupOf, itemName, itemsOf, kindOf } from "../lab/exchange.ts";
import type { Stall } from "../lab/stalls.ts";
import type { ClientTask } from "../lab/task.ts";

/** Everything that was seen of a client. */
export interface ClientRun {
  readonly exchanges: readonly ClientExchange[];
  readonly tasks: readonly ClientTask[];
  /** The key that the client was given. */
  readonly key: string;
  /** When the observer itself stood still: what it saw then may have arrived before. */
  readonly stalls: readonly Stall[];
  /** `done`: it ended without an error, so what it did not send it did not want to send. `stopped`: with one, or it hung. */
  readonly ended: "done" | "stopped" | "cut-off";
  /** Number of processes that share nothing. One: all requests are those of one client. */
  readonly workers: number;
}

export type ClientFinding = FindingOf<ClientCode>;

/** What an observation says of a run. */
export interface Observed {
  /** Requests in which it could have shown. None: it was not judged. */
  readonly chances: number;
  readonly findings: readonly ClientFinding[];
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

/** What was found of one code: the details of each time, and the requests that show it. */
export interface ClientFlaw<Code extends ClientCode> {
  readonly shows: readonly ClientExchange[];
  readonly details: Omit<FindingOf<Code>["details"], "requests">;
}

/** Number of requests that a finding names. */
const mostShown = 6;

/** What was seen, with one finding for all flaws: the first one stands for the others. */
export function observed<Code extends ClientCode>(
  code: Code,
  flaws: readonly ClientFlaw<Code>[],
  seen: { readonly chances: number; readonly total?: number; readonly count?: number },
): Observed {
  const { chances, total = chances, count = flaws.length } = seen;
  const [first] = flaws;
  if (first === undefined) return { chances, findings: [] };
  const requests = [...new Set(flaws.flatMap((one) => one.shows.map(({ index }) => index)))];
  const details = { ...first.details, requests: requests.slice(0, mostShown) };
  return { chances, findings: [{ code, seen: { count, total, of: "requests" }, details } as never] };
}

/** Time in which a client that goes on with something else would have done what it does not do. */
const restMilliseconds = 10_000;

/** Whether the client had the time to go on after a moment, and did not want to. */
export function hadTimeAfter({ ended, exchanges }: ClientRun, moment: number): boolean {
  return ended === "done" || (exchanges.at(-1)?.at ?? 0) > moment + restMilliseconds;
}

/** In so many requests, two workers have one under way at the same time. */
const enoughToOverlap = 40;

/**
 * Whether each request left after the response to the one before it. Then what arrives after a refusal was sent by a client
 * that had it. In few requests, workers may take turns by chance, so connections must show it.
 */
export function isSequential(exchanges: readonly ClientExchange[]): boolean {
  return exchanges.slice(1).every((one, at) => {
    const before = exchanges[at];
    if (before === undefined || one.at < before.end) return before === undefined;
    const isByConnection = isSameConnection(one, before) || one.connectedAt > before.end;
    return isByConnection || exchanges.length >= enoughToOverlap;
  });
}

export function isSameConnection(a: ClientExchange, b: ClientExchange): boolean {
  return a.request.connection !== undefined && a.request.connection.id === b.request.connection?.id;
}

/** Time in which a request may arrive that another worker had begun before a refusal. */
export const underWayMilliseconds = 1000;

/** How long after a response a request may arrive that left before it. */
export function graceOf({ exchanges }: Pick<ClientRun, "exchanges">): number {
  return isSequential(exchanges) ? 0 : underWayMilliseconds;
}

/** The requests of the task that looks up the same again and again are not told from repetitions. */
export function unkept({ exchanges, tasks }: ClientRun): ClientExchange[] {
  const kept = tasks.find((task) => task.do === "keep-looking-up")?.products ?? [];
  return exchanges.filter((one) => !kept.some((product) => isLookupOf(one, product)));
}

/**
 * Tells of a request whether one that left after its response asks for what it asked for: of a batch, for one of its items.
 * The requests are read once, because a client may send thousands.
 */
export function repetitionsOf(exchanges: readonly ClientExchange[]): (earlier: ClientExchange) => boolean {
  const last = new Map<string, number>();
  for (const exchange of exchanges) for (const name of namesOf(exchange)) last.set(name, exchange.at);
  return (earlier) => namesOf(earlier).some((name) => (last.get(name) ?? 0) > earlier.end);
}

function namesOf(exchange: ClientExchange): string[] {
  const items = kindOf(exchange) === "batch" ? (itemsOf(exchange.request) ?? []) : [];
  return [exchange.target, ...items.map((item) => `item ${itemName(item)}`)];
}
