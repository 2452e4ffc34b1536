import http from "k6/http";
import type { Caller, Outcome } from "./caller.ts";
import type { Environment } from "./environment.ts";
import { burstOf, estimateLimit, type LimitEstimate, type ProbeSample, probeRate } from "./limit-estimate.ts";
import { findingLine, logError } from "./log.ts";
import { rateLimitMetrics as learned } from "./rate-limit-metrics.ts";
import { peakRate, totalSeconds } from "./schedule.ts";
import { pause, steadily } from "./steady.ts";
import { byIdCall } from "./traffic.ts";

const stepSeconds = 1;
const stepFactor = 2.5;
const highestRate = 3000;
const roughSeconds = 3;
/** A step with this share of refusals has found the limit. */
const telling = 0.2;
/** Share of the planned requests below which a probe was not above the limit all the time, and its estimate too low. */
const leastSent = 0.8;
const promises = 3;
const longestPromiseSeconds = 30;

/**
 * Goes above the limit without waiting: steps up until refusals come, takes a rough estimate, holds about
 * twice of it for as long as the profile is, and tries whether Retry-After is kept. Only requests by
 * identifier are sent. What is learned goes into metrics; latency is not judged in this mode.
 */
export async function probe(environment: Environment, caller: Caller): Promise<void> {
  const { catalogue, settings, profile } = environment;
  const samples: ProbeSample[] = [];
  let sent = 0;
  let lastRefusal: { at: number; waitSeconds: number } | undefined;

  async function ask(): Promise<Outcome> {
    const sentAt = Date.now();
    const index = sent;
    sent += 1;
    const outcome = await caller.sendLater(byIdCall(catalogue, settings.seed, index), true);
    const now = Date.now();
    learned.probeRequests.add(1);
    if (outcome.status === 0) return outcome;
    const admitted = outcome.status !== 429;
    if (admitted) learned.probeAdmitted.add(1);
    else lastRefusal = { at: now, waitSeconds: outcome.waitSeconds };
    samples.push({ at: (sentAt + now) / 2, admitted });
    return outcome;
  }

  /** Waits for the answers as well: those of an overloaded target would come among what is measured next. */
  async function hold(perSecond: number, seconds: number): Promise<ProbeSample[]> {
    learned.probeRate.add(perSecond);
    const from = samples.length;
    const asked: Promise<Outcome>[] = [];
    await steadily(perSecond, Date.now() + seconds * 1000, () => asked.push(ask()));
    await Promise.all(asked);
    return samples.slice(from);
  }

  const found = await stepUp(peakRate(profile.stages), hold);
  if (found === undefined) return;
  const rough = estimateLimit(await hold(found, roughSeconds));
  const isolation = watchOther(environment);
  const steady = await hold(probeRate(rough?.perSecond ?? found / 2), totalSeconds(profile.stages));
  await isolation.stop();
  const wanted = probeRate(rough?.perSecond ?? found / 2) * totalSeconds(profile.stages);
  if (steady.length < wanted * leastSent) {
    const seen = { count: steady.length, total: Math.round(wanted), of: "requests" } as const;
    return logError(findingLine({ code: "probe-starved", seen }));
  }
  const estimate = estimateLimit(steady);
  if (estimate !== undefined) {
    // The bucket was full at the start only: its size shows over the whole probe.
    const inOrder = samples.toSorted((a, b) => a.at - b.at);
    record({ ...estimate, burst: burstOf(inOrder, estimate.perSecond) });
  }
  await tryPromises(estimate?.perSecond ?? found, () => lastRefusal, ask);
}

/** The rate at which refusals came; undefined when none did. */
async function stepUp(
  start: number,
  hold: (perSecond: number, seconds: number) => Promise<ProbeSample[]>,
): Promise<number | undefined> {
  for (let rate = Math.max(2, start); rate <= highestRate; rate *= stepFactor) {
    const step = await hold(rate, stepSeconds);
    const refused = step.filter(({ admitted }) => !admitted).length;
    if (refused >= 2 && refused >= step.length * telling) return rate;
  }
  return undefined;
}

function record({ perSecond, low, high, burst, windowSeconds }: LimitEstimate): void {
  learned.limitEstimate.add(perSecond);
  learned.limitLow.add(low);
  learned.limitHigh.add(high);
  learned.limitBurst.add(burst);
  learned.limitWindow.add(windowSeconds ?? 0);
}

/** Overruns the limit again, waits exactly as told and asks once: let in, or not. */
async function tryPromises(
  limit: number,
  lastRefusal: () => { at: number; waitSeconds: number } | undefined,
  ask: () => Promise<Outcome>,
): Promise<void> {
  for (let round = 0; round < promises; round += 1) {
    const refusal = lastRefusal();
    if (refusal === undefined || refusal.waitSeconds > longestPromiseSeconds) return;
    await pause(refusal.at + refusal.waitSeconds * 1000 - Date.now());
    const { status } = await ask();
    learned.promisesTried.add(1);
    if (status !== 429) learned.promisesKept.add(1);
    if (round + 1 < promises) {
      const isNew = () => lastRefusal() !== refusal;
      await steadily(probeRate(limit, 3), Date.now() + 10_000, () => void ask(), isNew);
      await pause(200);
    }
  }
}

/** While the first organization is over its limit, another one asks once a second: it must not be refused. */
function watchOther({ settings }: Environment): { stop(): Promise<void> } {
  const key = settings.otherOrgKey;
  if (key === "") return { stop: () => Promise.resolve() };
  const headers = { Authorization: `Bearer ${key}`, Accept: "application/json" };
  const params = { headers, tags: { name: "other-organization" }, redirects: 0 };
  let stopped = false;
  const watching = steadily(
    1,
    Number.POSITIVE_INFINITY,
    async () => {
      const { status } = await http.asyncRequest("GET", `${settings.baseUrl}/retailers`, null, params);
      learned.otherRequests.add(1);
      if (status === 429) learned.otherRefused.add(1);
    },
    () => stopped,
  );
  return {
    stop() {
      stopped = true;
      return watching;
    },
  };
}
