import type { RequestsOverTime } from "../../schemas/contracts/results.ts";
import type { Organization } from "./target.ts";

/** A request of the run as the time line needs it. */
export interface SentRequest {
  /** What it asks for, shared by equal requests of one key. */
  readonly name: string;
  readonly organization: Organization;
  /** In milliseconds since 1970, like `endedAt`. */
  readonly sentAt: number;
  readonly endedAt: number;
  /** Undefined without a complete response. */
  readonly status: number | undefined;
  /** What a 429 asked to wait, in milliseconds. */
  readonly asked?: number | undefined;
  /** Sent although a wait was due. */
  readonly isOfBurst: boolean;
}

const mostPeriods = 240;
const periodLengths = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000];
const mostWaits = 200;

/** The requests of a run in periods, and the waits that they were told; undefined without any. */
export function sentOverTime(sent: readonly SentRequest[]): RequestsOverTime | undefined {
  const inOrder = sent.toSorted((a, b) => a.sentAt - b.sentAt);
  const [first] = inOrder;
  const last = inOrder.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const length = last.sentAt - first.sentAt;
  const milliseconds =
    periodLengths.find((one) => length < one * mostPeriods) ?? Math.ceil((length + 1) / mostPeriods);
  const periods = Math.floor(length / milliseconds) + 1;
  const repeated = repeatsIn(inOrder);
  const counts = (isCounted: (one: SentRequest) => boolean): number[] => {
    const all = Array<number>(periods).fill(0);
    for (const one of inOrder) {
      const at = Math.floor((one.sentAt - first.sentAt) / milliseconds);
      if (isCounted(one)) all[at] = (all[at] ?? 0) + 1;
    }
    return all;
  };
  return {
    startedAt: new Date(first.sentAt).toISOString(),
    milliseconds,
    sent: counts(() => true),
    refused: counts(({ status }) => status === 429),
    failed: counts(hasFailed),
    retried: counts((one) => repeated.has(one)),
    waits: waitsIn(inOrder).slice(0, mostWaits),
  };
}

function hasFailed({ status }: SentRequest): boolean {
  return status === undefined || status >= 500;
}

/** Requests that equal an earlier one which had been refused or had failed when they left. */
function repeatsIn(inOrder: readonly SentRequest[]): ReadonlySet<SentRequest> {
  const unsuccessful = new Map<string, SentRequest[]>();
  const repeats = new Set<SentRequest>();
  for (const one of inOrder) {
    const before = unsuccessful.get(one.name) ?? [];
    const at = before.findIndex(({ endedAt }) => endedAt <= one.sentAt);
    if (at >= 0) {
      before.splice(at, 1);
      repeats.add(one);
    }
    if (one.status === 429 || hasFailed(one)) unsuccessful.set(one.name, [...before, one]);
  }
  return repeats;
}

/** Waits of each organization, those that overlap as one, and how long the next request really waited. */
function waitsIn(inOrder: readonly SentRequest[]): RequestsOverTime["waits"] {
  const ofOrganizations = [...Map.groupBy(inOrder, ({ organization }) => organization).values()];
  return ofOrganizations
    .flatMap((own) => {
      const asked = own.flatMap(({ endedAt, asked: wait }) =>
        wait === undefined ? [] : [{ from: endedAt, last: endedAt, to: endedAt + wait }],
      );
      const merged: typeof asked = [];
      for (const one of asked.toSorted((a, b) => a.from - b.from)) {
        const before = merged.at(-1);
        if (before === undefined || one.from > before.to) merged.push({ ...one });
        else Object.assign(before, { last: one.from, to: Math.max(before.to, one.to) });
      }
      return merged.map(({ from, last, to }) => {
        const next = own.find(({ sentAt, isOfBurst }) => sentAt >= last && !isOfBurst);
        return {
          startedAt: new Date(from).toISOString(),
          milliseconds: to - from,
          kept: next === undefined ? undefined : next.sentAt - from,
        };
      });
    })
    .toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
}
