import { given } from "../../schemas/json.ts";
import { chanceOfAtLeast } from "../load/shares.ts";
import { rounds, type Side, type TwinAnswer, verdictsOf } from "./answers.ts";
import type { Deployment } from "./deployment.ts";
import { collectDifferences, improbable } from "./differences.ts";
import { mismatches } from "./observation.ts";
import { type PairedLatency, pairedLatency, type TwinRule } from "./paired-latency.ts";
import type { Draw, TwinRequest } from "./probes.ts";
import type { TwinLatency, TwinResult } from "./twin-result.ts";

export interface MeasureOptions {
  readonly deployments: Readonly<Record<Side, Deployment>>;
  readonly probes: readonly TwinRequest[];
  readonly random: Draw;
  readonly rule: TwinRule;
  /** Longest comparison. It ends as soon as everything is decided. */
  readonly seconds: number;
  /** Most requests a second that either deployment allows. Default: no limit */
  readonly maxRequestsPerSecond?: number | undefined;
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
  readonly clock: { now(): number; sleep(milliseconds: number): Promise<void> };
}

export type MeasuredTwins = Pick<TwinResult, "responses" | "latency" | "seconds">;

/** Share of the blocks, drawn, that ask one deployment twice: the old one against itself shows the noise. */
const controlShare = 0.1;
/** Pairs of a kind between two looks at its interval. Any number is valid; looking costs time. */
const pairsPerLook = 5;
/** Shortest time between two blocks: one client that sends one request at a time, no load. */
const blockMilliseconds = 10;
const sidesOfBlock = 2;
/** Blocks for the kind that is most likely slower or faster, after each block of the kinds in turn. */
const blocksOfLeading = 2;
/** A difference that this many different requests showed is systematic: further ones are not asked again. */
const enoughShown = 3;
/** Requests of a kind, none of which succeeded at both, after which its latency is no longer asked for. */
const hopeless = 30;

/** Asks both deployments the same, in turn, until answers and latency are decided or the time is over. */
export async function measure(options: MeasureOptions): Promise<MeasuredTwins> {
  const { deployments, probes, random, rule, clock, signal, progress } = options;
  const started = clock.now();
  const deadline = started + options.seconds * 1000;
  const isOver = (): boolean =>
    clock.now() >= deadline || signal.aborted || sides.some((side) => deployments[side].gone() !== undefined);
  const { maxRequestsPerSecond = Number.POSITIVE_INFINITY } = options;
  const pace = Math.max(blockMilliseconds, (sidesOfBlock * 1000) / maxRequestsPerSecond);
  const differences = collectDifferences({
    old: deployments.old.redaction,
    new: deployments.new.redaction,
  });
  const known = new Map<string, number>();
  const asked = new Map<string, Set<TwinRequest>>();
  let pairs = 0;

  /** Asks both, in an order that a coin decides. */
  async function askBoth(probe: TwinRequest): Promise<Record<Side, TwinAnswer>> {
    if (random() < 0.5) {
      const old = await deployments.old.ask(probe);
      return { old, new: await deployments.new.ask(probe) };
    }
    const now = await deployments.new.ask(probe);
    return { old: await deployments.old.ask(probe), new: now };
  }

  /** Compares two answers; what differs is asked again before it counts. */
  async function compare(probe: TwinRequest, first: Record<Side, TwinAnswer>): Promise<void> {
    pairs++;
    const seen = asked.get(probe.kind) ?? new Set();
    asked.set(probe.kind, seen.add(probe));
    const found = mismatches(first.old.observation, first.new.observation);
    if (found.length === 0) return;
    const pattern = JSON.stringify([probe.kind, found.map(({ old, new: now }) => (old ?? now)?.pattern)]);
    const times = known.get(pattern) ?? 0;
    const all = { old: [first.old], new: [first.new] };
    // The rounds before the last ones show whether it stays; the first answers are the example.
    for (let round = 0; round < (times < enoughShown ? rounds : 1) && !signal.aborted; round++) {
      const again = await askBoth(probe);
      all.old.push(again.old);
      all.new.push(again.new);
    }
    const verdicts = verdictsOf(all);
    if (verdicts.some(({ is }) => is === "different")) known.set(pattern, times + 1);
    differences.note(probe.kind, nameOf(probe), verdicts, all);
  }

  async function compareAll(): Promise<void> {
    for (const probe of probes) {
      if (isOver()) return;
      await compare(probe, await askBoth(probe));
    }
  }

  let earliest = 0;

  async function block(kind: TimedKind): Promise<void> {
    // All waiting is before the block: within it, neither deployment is asked after a longer pause than the other.
    const waits = sides.map((side) => deployments[side].wait());
    const pause = Math.max(earliest - clock.now(), ...waits);
    if (pause > 0) await clock.sleep(pause);
    if (isOver()) return;
    earliest = clock.now() + pace;
    const probe = kind.next();
    if (random() < controlShare) {
      // The new deployment too, since who is asked more often may respond faster.
      const side = random() < 0.5 ? "old" : "new";
      const [first, second] = [await deployments[side].ask(probe), await deployments[side].ask(probe)];
      if (side === "old") kind.control(first, second, random(), clock.now());
      return;
    }
    const answers = await askBoth(probe);
    kind.add(answers, clock.now());
    await compare(probe, answers);
  }

  /** All kinds in turn, and after each the kind that is most likely slower or faster. */
  async function compareLatency(timed: readonly TimedKind[]): Promise<void> {
    const stillOpen = () => timed.filter(({ isDecided }) => !isDecided());
    for (let open = stillOpen(); open.length > 0 && !isOver(); open = stillOpen()) {
      for (const kind of open) {
        await block(kind);
        for (let more = 0; more < blocksOfLeading; more++) {
          const [leading] = stillOpen().toSorted((one, other) => other.lean() - one.lean());
          if (leading !== undefined) await block(leading);
        }
        if (isOver()) return;
      }
    }
  }

  await compareAll();
  const isWhole = probes.every((probe) => asked.get(probe.kind)?.has(probe) === true);
  progress(
    `responses: ${pairs} requests compared, ${differences.count() === 0 ? "no difference" : `differences in ${differences.count()} places`}`,
  );
  const timed = timedKinds(probes, rule);
  if (isWhole) await compareLatency(timed);
  const found = differences.result((kind) => asked.get(kind)?.size ?? 0);
  const failures = failuresOf({ old: deployments.old.failures(), new: deployments.new.failures() });
  const isDifferent = found.differences.length > 0 || failures.outcome === "different";
  return {
    seconds: (clock.now() - started) / 1000,
    responses: {
      outcome: isDifferent ? "different" : isWhole ? "same" : "inconclusive",
      requests: asked.values().reduce((sum, { size }) => sum + size, 0),
      pairs,
      ...found,
      failures,
    },
    latency: timed.flatMap((kind) => kind.result() ?? []),
  };
}

const sides = ["old", "new"] as const satisfies readonly Side[];

/** If both fail equally often, each failure is at the new deployment with its share of all requests. */
export function failuresOf({
  old,
  new: now,
}: Readonly<Record<Side, ReturnType<Deployment["failures"]>>>): MeasuredTwins["responses"]["failures"] {
  const share = now.total / Math.max(1, old.total + now.total);
  const isMore = chanceOfAtLeast(now.count, old.count + now.count, share) <= improbable;
  return { outcome: isMore ? "different" : "same", old, new: now };
}

/** A kind of request whose latency is compared, and its requests in turn. */
interface TimedKind {
  next(): TwinRequest;
  add(answers: Readonly<Record<Side, TwinAnswer>>, at: number): void;
  control(first: TwinAnswer, second: TwinAnswer, coin: number, at: number): void;
  isDecided(): boolean;
  lean(): number;
  result(): TwinLatency | undefined;
}

function timedKinds(probes: readonly TwinRequest[], rule: TwinRule): TimedKind[] {
  const kinds = Map.groupBy(
    probes.filter(({ isTimed }) => isTimed),
    ({ kind }) => kind,
  );
  return [...kinds].map(([kind, own]) =>
    timedKind(kind, own, { rule, falseAlarms: rule.falseAlarms / kinds.size }),
  );
}

function timedKind(
  request: string,
  probes: readonly TwinRequest[],
  { rule, falseAlarms }: { readonly rule: TwinRule; readonly falseAlarms: number },
): TimedKind {
  const paired = pairedLatency(rule, falseAlarms);
  const control = pairedLatency(rule, falseAlarms);
  let asked = 0;
  let outcome: TwinLatency["outcome"] = "inconclusive";
  let lean = 0;
  const isHopeless = () => asked >= hopeless && paired.isEmpty();
  return {
    next: () => probes[asked++ % probes.length] as TwinRequest,
    add(answers, at) {
      addPair(paired, answers.old, answers.new, at);
      if (outcome !== "inconclusive" || paired.pairs() % pairsPerLook !== 0) return;
      outcome = paired.outcome();
      lean = paired.lean();
    },
    control(first, second, coin, at) {
      if (coin < 0.5) addPair(control, first, second, at);
      else addPair(control, second, first, at);
    },
    lean: () => lean,
    isDecided: () => outcome !== "inconclusive" || isHopeless(),
    result() {
      // Requests that never succeed have no latency: their answers are judged.
      if (isHopeless()) return undefined;
      const itself = control.interval();
      return {
        request,
        outcome,
        pairs: paired.pairs(),
        ...paired.medians(),
        ...paired.interval(),
        smallest: paired.smallest(),
        ...given({ control: itself && { pairs: control.pairs(), ...itself } }),
      };
    },
  };
}

/** Only successful responses of both, neither held back, have a latency to compare. */
function addPair(to: PairedLatency, old: TwinAnswer, now: TwinAnswer, at: number): void {
  const [one, other] = [old.exchanges[0]?.response, now.exchanges[0]?.response];
  if (!old.isPrompt || !now.isPrompt) return;
  if (one?.status !== 200 || other?.status !== 200) return;
  to.add({ old: one.milliseconds, new: other.milliseconds }, at);
}

function nameOf(probe: TwinRequest): string {
  return JSON.stringify("walk" in probe ? probe.walk : probe.request);
}
