import type { Clock } from "../../conformance/client/pacing.ts";
import type { Request } from "../../conformance/client/requests.ts";
import { nextCursor } from "../../conformance/response/readers.ts";
import { type Deployment, mismatches, type TwinAnswer, unanswered } from "./deployment.ts";
import { collectDifferences } from "./differences.ts";
import { compareLatency, type LatencyPair } from "./latency.ts";
import type { TwinProbe } from "./probes.ts";
import { type BySide, sides, type TwinResult } from "./twin-result.ts";

export interface MeasureOptions {
  readonly deployments: BySide<Deployment>;
  readonly probes: readonly TwinProbe[];
  /** Decides who is asked first. */
  readonly random: () => number;
  /** Time after which no new comparison of a request begins. */
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
  readonly clock: Clock;
}

type TimedPair = LatencyPair & Pick<TwinProbe, "kind">;

/** How often both deployments are asked again before a difference counts. */
const rounds = 3;
/** A difference that this many requests showed is systematic: it is not looked at again. */
const enoughShown = 3;
/** Pairs of each kind for each of these seconds: 200 in 60 s. */
const pairsPerSecond = 200 / 60;
/** Shortest time between pairs, to spread those of a kind over half a minute: a moment decides nothing. */
const pairMilliseconds = 25;

/**
 * Asks both in turn: each probe once, then the timed kinds until there are enough pairs or time is over. What
 * was learned before an interruption is a result.
 */
export async function measure(
  options: MeasureOptions,
): Promise<Pick<TwinResult, "outcome" | "responses" | "latency" | "seconds">> {
  const { deployments, probes, random, seconds, clock, signal } = options;
  const { old, new: now } = deployments;
  const started = clock.now();
  const isGone = (): boolean => sides.some((side) => deployments[side].gone() !== undefined);
  const isOver = (): boolean => clock.now() >= started + seconds * 1000 || isGone();
  const differences = collectDifferences({ old: old.redaction, new: now.redaction });
  const pairs: TimedPair[] = [];
  const shown = new Map<string, number>();
  const asked = new Set<TwinProbe>();
  let done = 0;

  /** Asks both, in an order that a coin decides. */
  async function askBoth({ requests }: TwinProbe): Promise<BySide<TwinAnswer>> {
    const isOldFirst = random() < 0.5;
    const early = isOldFirst ? await old.ask(requests.old) : undefined;
    const fresh = await now.ask(requests.new);
    return { old: early ?? (await old.ask(requests.old)), new: fresh };
  }

  /** Asks both the same and compares the responses; what differs is asked again before it counts. */
  async function compare(probe: TwinProbe): Promise<BySide<TwinAnswer>> {
    const first = await askBoth(probe);
    asked.add(probe);
    if (probe.isTimed) pairs.push(...pairOf(probe, first));
    const found = mismatches(first.old.observation, first.new.observation);
    const pattern = JSON.stringify([probe.kind, found.map((one) => (one.old ?? one.new)?.pattern)]);
    const times = shown.get(pattern) ?? 0;
    const isClear = found.length === 0 || times >= enoughShown;
    const again: BySide<TwinAnswer>[] = [];
    while (!isClear && again.length < rounds) again.push(await askBoth(probe));
    if (!differences.add(probe, [first, ...again])) shown.set(pattern, times + 1);
    return first;
  }

  /**
   * Compares the responses, and the pages after them. Each deployment gets its own cursors back.
   * @returns Whether nothing is left to compare.
   */
  async function walk(probe: TwinProbe): Promise<boolean> {
    let page = probe;
    for (let left = probe.pages ?? 1; left > 0; left--) {
      if (isOver()) return false;
      const answers = await compare(page);
      const [old = "", now = ""] = sides.map((side) => nextCursor(answers[side].exchange?.response.json));
      if (old === "" || now === "") break;
      page = {
        ...probe,
        requests: { old: pageAt(old, probe.requests.old), new: pageAt(now, probe.requests.new) },
      };
    }
    return !isGone();
  }

  async function askAll(): Promise<void> {
    const timed = probes.filter(({ isTimed }) => isTimed);
    const kinds = [...Map.groupBy(timed, ({ kind }) => kind).values()];
    while (done < probes.length && (await walk(probes[done] as TwinProbe))) done++;
    options.progress(`responses: ${asked.size} requests compared`);
    for (let turn = 0; turn < Math.ceil(pairsPerSecond * seconds); turn++) {
      for (const own of kinds) {
        if (isOver()) return;
        const earliest = clock.now() + pairMilliseconds;
        await compare(own[turn % own.length] as TwinProbe);
        await clock.sleep(Math.max(0, earliest - clock.now()));
      }
    }
  }

  await askAll().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  const isWhole = done === probes.length;
  const { notes, ...all } = differences.result(asked);
  // The end of the old deployment is the problem of the run, and no difference of the new one.
  const isOldGone = old.gone() !== undefined;
  const found = all.differences.filter((one) => !isOldGone || one.old !== unanswered);
  const outcome = found.length > 0 ? "different" : isWhole ? "same" : "inconclusive";
  // Requests that never succeed have no latency: their responses are judged.
  const ofKinds = Map.groupBy(pairs, ({ kind }) => kind);
  const latency = [...ofKinds].map(([kind, own]) => compareLatency(kind, own));
  const outcomes = new Set([outcome, ...latency.map((one) => one.outcome)]);
  return {
    outcome: worstFirst.find((one) => outcomes.has(one)) ?? "same",
    seconds: (clock.now() - started) / 1000,
    responses: { outcome, requests: asked.size, differences: found, notes },
    latency,
  };
}

/** The worst of all parts is the outcome: faster only if every part is decided. */
const worstFirst = ["different", "slower", "inconclusive", "faster"] as const;

function pageAt(cursor: string, first: Request): Request {
  return { ...first, path: `${first.path}&cursor=${encodeURIComponent(cursor)}` };
}

/** Only successful responses of both have a latency to compare. */
function pairOf({ kind }: TwinProbe, answers: BySide<TwinAnswer>): TimedPair[] {
  const [old, now] = sides.map((side) => answers[side].exchange?.response);
  const isSuccess = old?.status === 200 && now?.status === 200;
  return isSuccess ? [{ kind, old: old.milliseconds, new: now.milliseconds }] : [];
}
