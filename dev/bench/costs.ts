import type { PromiseResult } from "./bench.ts";
import type { Workplace } from "./measure.ts";

export const bareTitle = "bare k6";

/** What the generator of one contestant costs. */
export interface Costs {
  readonly title: string;
  /** The contestant with which it is compared, by title. */
  readonly to: string;
  /** CPU of a request, in microseconds, in each round. */
  readonly microseconds: number[];
}

/** Microseconds of CPU a request. NaN if none was sent, as by an older checkout that needs other fixtures. */
export function microsecondsOf(cpuSeconds: number, requests: number): number {
  return requests > 0 ? (cpuSeconds * 1e6) / requests : Number.NaN;
}

/** The CPU in relation to the contestant to compare. NaN if one of the two was not measured. */
export function ratio(all: readonly Costs[], title: string): number {
  const costs = all.find((each) => each.title === title);
  const compared = all.find((each) => each.title === costs?.to)?.microseconds ?? [];
  // Round by round: the speed of a machine changes more from one round to the next than within one.
  const ratios = costs?.microseconds.map((cost, round) => cost / (compared[round] ?? Number.NaN)) ?? [];
  return ratios.length === 0 ? Number.NaN : median(ratios);
}

/** The middle value; of an even number, the mean of the two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const [low = 0, high = low] = sorted.slice(
    Math.ceil(values.length / 2) - 1,
    Math.floor(values.length / 2) + 1,
  );
  return (low + high) / 2;
}

/** Each contestant's median, its ratio, and all rounds: NaN for one in which it sent no request. */
export function printCosts(
  { print }: Pick<Workplace, "print">,
  heading: string,
  all: readonly Costs[],
): void {
  print(heading);
  for (const { title, microseconds } of all) {
    if (microseconds.some(Number.isNaN)) {
      print(`      –            ${title}: not measured, since it sent no request`);
      continue;
    }
    const middle = median(microseconds).toFixed(0).padStart(5);
    const rounds = microseconds.map((each) => each.toFixed(0)).join(" ");
    print(`  ${middle} µs  ${ratio(all, title).toFixed(2)}x  ${title}  (${rounds})`);
  }
}

/** The promise that a contestant takes at most so many times the CPU of bare k6. */
export function atMost(limit: number, what: string, all: readonly Costs[], title: string): PromiseResult {
  const times = ratio(all, title);
  return {
    promise: `CPU at most ${limit} times that of bare k6: ${what}`,
    measured: Number.isNaN(times) ? "not measured" : `${times.toFixed(2)} times`,
    holds: times <= limit,
  };
}

/** Most CPU, in times that of bare k6 with the same room for garbage. */
export const most = { lookup: 1.15, page: 3, batch: 2 } as const;

/** The title of a contestant of the other checkout. */
export function titleIn(checkout: string, title: string): string {
  return `${title}, in ${checkout}`;
}
