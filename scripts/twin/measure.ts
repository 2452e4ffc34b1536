import { chanceOfAtLeast } from "../load/shares.ts";
import { type Side, sides, type TwinAnswer, verdictsOf } from "./answers.ts";
import type { Deployment } from "./deployment.ts";
import { collectDifferences, improbable } from "./differences.ts";
import { compareLatency, type LatencyPair } from "./latency.ts";
import { mismatches } from "./observation.ts";
import type { Draw, TwinRequest } from "./probes.ts";
import type { TwinResult } from "./twin-result.ts";

export interface MeasureOptions {
  readonly deployments: Readonly<Record<Side, Deployment>>;
  readonly probes: readonly TwinRequest[];
  readonly random: Draw;
  /** Difference of latency up to which nothing is slower. */
  readonly minimumMilliseconds?: number | undefined;
  /** Longest comparison. */
  readonly seconds: number;
  /** Most requests a second that either deployment allows. Default: no limit */
  readonly maxRequestsPerSecond?: number | undefined;
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
  readonly clock: { now(): number; sleep(milliseconds: number): Promise<void> };
}

export type MeasuredTwins = Pick<TwinResult, "responses" | "latency" | "seconds">;

/** How often both deployments are asked again before a difference counts. */
const rounds = 3;
/** A difference that this many requests showed is systematic: it is not looked at again. */
const enoughShown = 3;
/** Pairs of each kind for each second of the longest comparison: 200 in 60 s. */
const pairsPerSecond = 200 / 60;
/** Shortest time between two pairs, so that those of a kind are spread over half a minute: a moment decides nothing. */
const pairMilliseconds = 25;

/** Asks both deployments the same, in turn: each probe once, then the timed kinds in turn until there are enough pairs or the time is over. */
export async function measure(options: MeasureOptions): Promise<MeasuredTwins> {
  const { deployments, probes, random, minimumMilliseconds, seconds, clock, signal, progress } = options;
  const started = clock.now();
  const isOver = (): boolean =>
    clock.now() >= started + seconds * 1000 ||
    signal.aborted ||
    sides.some((side) => deployments[side].gone() !== undefined);
  const { maxRequestsPerSecond = Number.POSITIVE_INFINITY } = options;
  const pace = Math.max(pairMilliseconds, 1000 / maxRequestsPerSecond);
  const differences = collectDifferences({
    old: deployments.old.redaction,
    new: deployments.new.redaction,
  });
  const timed = Map.groupBy(
    probes.filter(({ isTimed }) => isTimed),
    ({ kind }) => kind,
  );
  const pairs = new Map([...timed.keys()].map((kind): [string, LatencyPair[]] => [kind, []]));
  const shown = new Map<string, number>();
  const asked = new Set<TwinRequest>();

  /** Asks both, in an order that a coin decides. */
  async function askBoth(probe: TwinRequest): Promise<Record<Side, TwinAnswer>> {
    if (random() < 0.5) {
      const old = await deployments.old.ask(probe);
      return { old, new: await deployments.new.ask(probe) };
    }
    const now = await deployments.new.ask(probe);
    return { old: await deployments.old.ask(probe), new: now };
  }

  /** Asks both the same and compares the responses; what differs is asked again before it counts. */
  async function compare(probe: TwinRequest): Promise<void> {
    // All waiting is before the pair: within it, neither deployment is asked after a longer pause than the other.
    await clock.sleep(Math.max(0, ...sides.map((side) => deployments[side].wait())));
    const first = await askBoth(probe);
    asked.add(probe);
    const { kind, isTimed, ...what } = probe;
    if (isTimed) pairs.get(kind)?.push(...pairOf(first));
    const all = { old: [first.old], new: [first.new] };
    differences.see(all);
    const found = mismatches(first.old.observation, first.new.observation);
    if (found.length === 0) return;
    const pattern = JSON.stringify([kind, found.map(({ old, new: now }) => (old ?? now)?.pattern)]);
    const times = shown.get(pattern) ?? 0;
    for (let round = 0; round < rounds && times < enoughShown && !signal.aborted; round++) {
      const again = await askBoth(probe);
      all.old.push(again.old);
      all.new.push(again.new);
    }
    const settled = verdictsOf(all);
    if (settled.every(({ is }) => is !== "passing")) shown.set(pattern, times + 1);
    for (const one of settled) differences.note(kind, JSON.stringify(what), one, all);
  }

  for (const probe of probes) if (!isOver()) await compare(probe);
  const isWhole = asked.size === probes.length;
  const places = differences.result(() => 0).differences.length;
  const seen = places === 0 ? "no difference" : `differences in ${places} places`;
  progress(`responses: ${asked.size} requests compared, ${seen}`);
  for (let turn = 0; turn < Math.ceil(pairsPerSecond * seconds); turn++) {
    for (const own of timed.values()) {
      const earliest = clock.now() + pace;
      if (!isOver()) await compare(own[turn % own.length] as TwinRequest);
      if (!isOver()) await clock.sleep(Math.max(0, earliest - clock.now()));
    }
  }
  const ofKind = Map.groupBy(asked, ({ kind }) => kind);
  const found = differences.result((kind) => ofKind.get(kind)?.length ?? 0);
  const failures = failuresOf(deployments.old.failures(), deployments.new.failures());
  const isDifferent = found.differences.length > 0 || failures.outcome === "different";
  return {
    seconds: (clock.now() - started) / 1000,
    responses: {
      outcome: isDifferent ? "different" : isWhole ? "same" : "inconclusive",
      requests: asked.size,
      ...found,
      failures,
    },
    // Requests that never succeed have no latency: their responses are judged.
    latency: [...pairs].flatMap(([kind, own]) =>
      isWhole && own.length === 0 ? [] : [compareLatency(kind, own, minimumMilliseconds)],
    ),
  };
}

type Failures = ReturnType<Deployment["failures"]>;

/** If both fail equally often, each failure is at the new deployment with its share of all requests. */
function failuresOf(old: Failures, now: Failures): TwinResult["responses"]["failures"] {
  const share = now.total / Math.max(1, old.total + now.total);
  const isMore = chanceOfAtLeast(now.count, old.count + now.count, share) <= improbable;
  return { outcome: isMore ? "different" : "same", old, new: now };
}

/** Only successful responses of both, neither held back, have a latency to compare. */
function pairOf({ old, new: now }: Readonly<Record<Side, TwinAnswer>>): LatencyPair[] {
  const [one, other] = [old.exchanges[0]?.response, now.exchanges[0]?.response];
  if (!old.isPrompt || !now.isPrompt || one?.status !== 200 || other?.status !== 200) return [];
  return [{ old: one.milliseconds, new: other.milliseconds }];
}
