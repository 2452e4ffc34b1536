import type { Caller } from "./caller.ts";
import type { Environment } from "./environment.ts";
import { createPacer } from "./pacer.ts";
import { rateLimitMetrics as learned } from "./rate-limit-metrics.ts";
import { peakRate, totalSeconds } from "./schedule.ts";
import { pause } from "./steady.ts";
import { byIdCall } from "./traffic.ts";

const idleMilliseconds = 2;
/** Time whose requests may be unanswered beyond the usual latency: a target that stalls would take more of them in a bunch. */
const slackSeconds = 0.03;

/**
 * Asks as much as the limit lets in and waits as told. One virtual user sends everything without waiting for
 * answers, so that a refusal stops all of it: virtual users share no memory, and would go on until each
 * had its own. The profile's peak rate is the demand; what the pace leaves over is counted, not queued.
 */
export async function polite(environment: Environment, caller: Caller): Promise<void> {
  const { catalogue, settings, profile } = environment;
  const limit = profile.rateLimit?.perSecond;
  if (limit === undefined) {
    throw new Error(
      "profile.rateLimit.perSecond is not set: a polite run paces itself below a known limit; probe first",
    );
  }
  const demand = peakRate(profile.stages);
  const pacer = createPacer(limit, demand);
  const seconds = totalSeconds(profile.stages);
  const start = Date.now();
  const underWay = new Set<Promise<void>>();
  let sent = 0;
  let usualSeconds = 0.05;

  async function ask(index: number): Promise<void> {
    const sending = pacer.sent(Date.now());
    const { recovered, recoveryMilliseconds } = pacer.waits;
    const { status, waitSeconds } = await caller.sendLater(byIdCall(catalogue, settings.seed, index), true);
    const now = Date.now();
    if (status === 429) pacer.refused(now, sending, waitSeconds);
    else {
      pacer.admitted(now, sending);
      usualSeconds += ((now - sending.sentAt) / 1000 - usualSeconds) * 0.05;
      if (status === 200) learned.politeAdmitted.add(1);
    }
    if (pacer.waits.recovered > recovered) {
      learned.politeRecovery.add(pacer.waits.recoveryMilliseconds - recoveryMilliseconds);
    }
  }

  for (let now = start; now < start + seconds * 1000; now = Date.now()) {
    const delay = pacer.delay(now);
    const mostUnderWay = Math.max(2, Math.ceil(pacer.rate() * (usualSeconds + slackSeconds)));
    if (delay <= 0 && underWay.size < mostUnderWay && sent < ((now - start) / 1000) * demand + 1) {
      const asking = ask(sent).finally(() => underWay.delete(asking));
      underWay.add(asking);
      sent += 1;
    } else {
      await pause(Math.min(Math.max(1, delay), delay === Number.POSITIVE_INFINITY ? idleMilliseconds : 1000));
    }
  }
  await Promise.all(underWay);
  const { count, toldSeconds, refusedAgain } = pacer.waits;
  learned.politeSeconds.add((Date.now() - start) / 1000);
  learned.politeUnsent.add(Math.max(0, Math.floor(demand * seconds) - sent));
  learned.politeWaits.add(count);
  learned.politeWaitSeconds.add(toldSeconds);
  learned.politeRefusedAgain.add(refusedAgain);
  learned.politeRate.add(pacer.rate());
}
