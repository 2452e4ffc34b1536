import { byCategory, type Request } from "../../conformance/client/requests.ts";
import { nextCursor } from "../../conformance/response/readers.ts";
import { walkName } from "../../schemas/scenarios.ts";
import { outOf } from "../../schemas/words/format.ts";
import { chanceOfAtLeast } from "../load/limits.ts";
import type { Deployment, Failures, TwinAnswer } from "./deployment.ts";
import { collectDifferences, improbable } from "./differences.ts";
import { compareLatency, type LatencyPair } from "./latency.ts";
import { mismatches } from "./observation.ts";
import type { Draw, PageWalk, TwinProbe } from "./probes.ts";
import {
  anyName,
  type BySide,
  type Side,
  sides,
  type TwinDifference,
  type TwinResult,
} from "./twin-result.ts";

export interface MeasureOptions {
  readonly deployments: BySide<Deployment>;
  readonly probes: readonly TwinProbe[];
  readonly walks: readonly PageWalk[];
  readonly random: Draw;
  /** Longest comparison. */
  readonly seconds: number;
  /** Most requests a second that either deployment allows. */
  readonly maxRequestsPerSecond: number;
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
  readonly clock: { now(): number; sleep(milliseconds: number): Promise<void> };
}

/** How often both deployments are asked again before a difference counts. */
const rounds = 3;
/** A difference that this many requests showed is systematic: it is not looked at again. */
const enoughShown = 3;
/** Pairs of each kind for each second of the longest comparison: 200 in 60 s. */
const pairsPerSecond = 200 / 60;
/** Shortest time between pairs, to spread those of a kind over half a minute: a moment decides nothing. */
const pairMilliseconds = 25;

/** Asks both in turn: each probe once, then the timed kinds until there are enough pairs or time is over. */
export async function measure(
  options: MeasureOptions,
): Promise<Pick<TwinResult, "responses" | "latency" | "seconds">> {
  const { deployments, probes, walks, random, seconds, clock, signal } = options;
  const started = clock.now();
  const isOver = (): boolean =>
    clock.now() >= started + seconds * 1000 ||
    signal.aborted ||
    sides.some((side) => deployments[side].gone() !== undefined);
  const pace = Math.max(pairMilliseconds, 1000 / options.maxRequestsPerSecond);
  const { old, new: now } = deployments;
  const differences = collectDifferences({ old: old.redaction, new: now.redaction });
  const timedProbes = probes.filter(({ isTimed }) => isTimed);
  const timed = Map.groupBy(timedProbes, ({ kind }) => kind);
  const pairs = new Map([...timed.keys()].map((kind): [string, LatencyPair[]] => [kind, []]));
  const shown = new Map<string, number>();
  const asked = new Set<TwinProbe>();

  /** Asks both, in an order that a coin decides. */
  async function askBoth(requests: BySide<Request>): Promise<BySide<TwinAnswer>> {
    const isOldFirst = random() < 0.5;
    const early = isOldFirst ? await old.ask(requests.old) : undefined;
    const fresh = await now.ask(requests.new);
    return { old: early ?? (await old.ask(requests.old)), new: fresh };
  }

  /** Asks both the same and compares the responses; what differs is asked again before it counts. */
  async function compare(probe: TwinProbe): Promise<BySide<TwinAnswer>> {
    // Waiting is before the pair: within it, neither is asked after a longer pause than the other.
    await clock.sleep(Math.max(0, old.wait(), now.wait()));
    const { kind, requests } = probe;
    const first = await askBoth(requests);
    asked.add(probe);
    pairs.get(kind)?.push(...(probe.isTimed ? pairOf(first) : []));
    const all = { old: [first.old], new: [first.new] };
    const found = mismatches(first.old.observation, first.new.observation);
    const pattern = JSON.stringify([kind, found.map((one) => (one.old ?? one.new)?.pattern)]);
    const times = found.length === 0 ? enoughShown : (shown.get(pattern) ?? 0);
    for (let round = 0; round < rounds && times < enoughShown && !signal.aborted; round++) {
      const again = await askBoth(requests);
      all.old.push(again.old);
      all.new.push(again.new);
    }
    if (!differences.add(probe, all)) shown.set(pattern, times + 1);
    return first;
  }

  /** Compares page by page. Each deployment gets its own cursors back. */
  async function walk({ category, limit, pages }: PageWalk): Promise<void> {
    let cursors: BySide<string | undefined> = { old: undefined, new: undefined };
    for (let page = 0; page < pages; page++) {
      const pageAfter = (cursor: string | undefined) => byCategory(category, { limit, cursor });
      const requests = { old: pageAfter(cursors.old), new: pageAfter(cursors.new) };
      const answers = await compare({ kind: walkName, isTimed: false, requests });
      const cursorOf = (side: Side) => nextCursor(answers[side].exchange?.response.json) || undefined;
      cursors = { old: cursorOf("old"), new: cursorOf("new") };
      if (cursors.old === undefined || cursors.new === undefined) return;
    }
  }

  let isWhole = true;
  for (const step of [...probes.map((one) => () => compare(one)), ...walks.map((one) => () => walk(one))]) {
    isWhole &&= !isOver();
    if (isWhole) await step();
  }
  options.progress(`responses: ${asked.size} requests compared`);
  for (let turn = 0; turn < Math.ceil(pairsPerSecond * seconds); turn++) {
    for (const own of timed.values()) {
      const earliest = clock.now() + pace;
      if (!isOver()) await compare(own[turn % own.length] as TwinProbe);
      if (!isOver()) await clock.sleep(Math.max(0, earliest - clock.now()));
    }
  }
  const ofKind = Map.groupBy(asked, ({ kind }) => kind);
  const found = differences.result((kind) => ofKind.get(kind)?.length ?? 0);
  const [failing, failed] = failuresOf(old.failures(), now.failures());
  const [all, noted] = [
    [...found.differences, ...failing],
    [...found.notes, ...failed],
  ];
  return {
    seconds: (clock.now() - started) / 1000,
    responses: {
      outcome: all.length > 0 ? "different" : isWhole ? "same" : "inconclusive",
      requests: asked.size,
      differences: all,
      notes: noted,
    },
    // Requests that never succeed have no latency: their responses are judged.
    latency: [...pairs].flatMap(([kind, own]) =>
      isWhole && own.length === 0 ? [] : [compareLatency(kind, own)],
    ),
  };
}

/**
 * What failed until it was repeated and compared, as a difference or a note. If both fail equally often, each
 * failure is at the new deployment with its share of all requests.
 */
function failuresOf(old: Failures, now: Failures): [TwinDifference[], TwinDifference[]] {
  if (old.count + now.count === 0) return [[], []];
  const share = now.total / Math.max(1, old.total + now.total);
  const isMore = chanceOfAtLeast(now.count, old.count + now.count, share) <= improbable;
  const shown = { old: outOf(old.count, old.total, "request"), new: outOf(now.count, now.total) };
  const values = { path: "", ...shown, ...now, evidence: [] };
  const one: TwinDifference = { request: anyName, change: isMore ? "fails" : "failed", ...values };
  return isMore ? [[one], []] : [[], [one]];
}

/** Only successful responses of both, neither held back, have a latency to compare. */
function pairOf({ old, new: now }: BySide<TwinAnswer>): LatencyPair[] {
  const [one, other] = [old.exchange?.response, now.exchange?.response];
  if (!old.isPrompt || !now.isPrompt || one?.status !== 200 || other?.status !== 200) return [];
  return [{ old: one.milliseconds, new: other.milliseconds }];
}
