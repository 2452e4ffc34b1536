import type { CheckId } from "../../conformance/requirements/all.ts";
import type { FindingOf } from "../../schemas/contracts/finding.ts";
import type { TaskName } from "../contract/client-findings.ts";
import type { ClientCode } from "../contract/client-words.ts";
import type { ClientExchange } from "../lab/exchange.ts";
import { itemsOf, kindOf } from "../lab/exchange.ts";
import type { Stall } from "../lab/stalls.ts";
import type { ClientTask } from "../lab/task.ts";

/** Everything that was seen of a client. */
export interface ClientRun {
  readonly exchanges: readonly ClientExchange[];
  readonly tasks: readonly ClientTask[];
  /** The key that the client was given. */
  readonly key: string;
  /** Length of the run in milliseconds. */
  readonly duration: number;
  /** When the observer itself stood still: what it saw then may have arrived before. */
  readonly stalls: readonly Stall[];
  /** Whether the client ended by itself, so that what it did not send it did not want to send. */
  readonly endedByItself: boolean;
}

export type ClientFinding = FindingOf<ClientCode>;

/** What an observation says of a run. */
export interface Observed {
  /** Requests in which it could have shown. None: it was not judged. */
  readonly chances: number;
  readonly findings: readonly ClientFinding[];
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

/** One finding for all that differ in the requests that show them only: the first few stand for the others. */
export function merged<Code extends ClientCode>(
  code: Code,
  flaws: readonly ClientFlaw<Code>[],
  seen: { readonly total: number; readonly of: "requests" | "pages"; readonly count?: number },
): ClientFinding[] {
  const [first] = flaws;
  if (first === undefined) return [];
  const shows = flaws.flatMap((one) => one.shows.map(({ index }) => index));
  return [
    {
      code,
      seen: { count: flaws.length, ...seen },
      details: { ...first.details, requests: [...new Set(shows)].slice(0, mostShown) },
    } as unknown as ClientFinding,
  ];
}

/** Time without a request after which a client that is still running is taken to be done with what it began. */
const restMilliseconds = 10_000;

/** Whether the client had the time to go on after a moment, and did not want to. */
export function hadTimeAfter({ endedByItself, duration }: ClientRun, moment: number): boolean {
  return endedByItself || duration > moment + restMilliseconds;
}

/**
 * Tells of a request whether a later one asks for what it asked for: of a batch, for one of its items. The requests are read
 * once, because a client may send thousands.
 */
export function repetitionsOf(exchanges: readonly ClientExchange[]): (earlier: ClientExchange) => boolean {
  const last = new Map<string, number>();
  for (const exchange of exchanges) {
    for (const name of namesOf(exchange)) last.set(name, exchange.index);
  }
  return (earlier) => namesOf(earlier).some((name) => (last.get(name) ?? -1) > earlier.index);
}

function namesOf(exchange: ClientExchange): string[] {
  if (kindOf(exchange) !== "batch") return [exchange.target];
  return [
    exchange.target,
    ...(itemsOf(exchange.request) ?? []).map((item) => `item ${JSON.stringify(item)}`),
  ];
}
