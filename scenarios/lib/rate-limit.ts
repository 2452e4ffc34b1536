import http from "k6/http";
import { Counter, Gauge } from "k6/metrics";
import { setTimeout } from "k6/timers";
import { endpoints, longestKeptWait } from "../../schemas/api.ts";
import { createWaitLog, tryWaits } from "./announced-waits.ts";
import { createSender } from "./client.ts";
import { type Hold, type ProbeSample, probeLimit, probeRate } from "./limit-estimate.ts";
import { findingLine, log } from "./log.ts";
import { mostUnderWay } from "./options.ts";
import { createPacer } from "./pacer.ts";
import { peakRate, totalSeconds } from "./schedule.ts";
import type { Environment } from "./script.ts";
import { headersWith } from "./settings.ts";
import { byIdCalls, type LoadCall } from "./traffic.ts";

/** The estimate of a probe by its fields. A gauge whose value is unknown has no samples. */
const estimated = {
  perSecond: new Gauge("limit_estimate"),
  low: new Gauge("limit_low"),
  high: new Gauge("limit_high"),
  burst: new Gauge("limit_burst"),
  burstLow: new Gauge("limit_burst_low"),
  burstHigh: new Gauge("limit_burst_high"),
};

/** Additional metrics of the rate-limit scenario. */
const learned = {
  /** Requests of the probe. */
  probeRequests: new Counter("probe_requests"),
  /** Highest rate that the probe reached, in responses a second. */
  probeRate: new Gauge("probe_rate"),
  /** Single requests sent when Retry-After had passed, and those of them accepted. */
  waitsTried: new Counter("probe_waits_tried"),
  waitsAccepted: new Counter("probe_waits_accepted"),
  /** Those refused for which no other request can be the reason. */
  waitsRefused: new Counter("probe_waits_refused"),
  /** Besides these, accepted after the wait that such a refusal announced. */
  waitsAcceptedAgain: new Counter("probe_waits_accepted_again"),
  /** Requests of another organization during the probe, and those refused. */
  otherRequests: new Counter("probe_other_requests"),
  otherRefused: new Counter("probe_other_refused"),
  /** What the limit let the polite client send, also if it got an error, and the seconds that it ran. */
  politeAdmitted: new Counter("polite_admitted"),
  politeSeconds: new Gauge("polite_seconds"),
  /** Waits, their seconds, and waits after which the first request was refused again. */
  politeWaits: new Counter("polite_waits"),
  politeWaitSeconds: new Counter("polite_wait_seconds"),
  politeRefusedAgain: new Counter("polite_refused_again"),
};

/** Sends without blocking, and checks responses. Gives the status, and the seconds to wait after a 429. */
function createLaterSender(environment: Environment) {
  const { kindOf, isDue, paramsOf, accepted, check } = createSender(environment);
  const { baseUrl } = environment.settings;
  let isShared = false;
  return async (call: LoadCall) => {
    const kind = kindOf(call.name);
    const isComplete = isDue(kind);
    const params = paramsOf(kind, isComplete);
    const response = await http.asyncRequest("GET", baseUrl + call.path, null, params);
    isShared ||= response.proto === "HTTP/2.0";
    const { status } = response;
    const isAccepted = !isComplete && accepted(kind, call, response) !== undefined;
    const { waitSeconds } = isAccepted ? { waitSeconds: 0 } : check(kind, call, response, { isShared });
    return { status, waitSeconds };
  };
}

/** Resolves after a number of milliseconds, without blocking the virtual user. */
function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, milliseconds));
  });
}

/** Longest delay of a timer that is caught up. */
const mostBehindMilliseconds = 50;

/** Calls `fire` at a rate a second until `until` (Unix milliseconds) or until `enough()` is true. */
async function steadily(
  perSecond: number,
  until: number,
  fire: () => void,
  enough: () => boolean,
): Promise<void> {
  const spacing = 1000 / perSecond;
  let next = Date.now();
  while (!enough()) {
    const now = Date.now();
    if (now >= until) return;
    next = Math.max(next, now - mostBehindMilliseconds);
    while (next <= now) {
      fire();
      next += spacing;
    }
    await pause(Math.min(next, until) - now);
  }
}

const mostExceedMilliseconds = 10_000;
/** So long, or until no acceptance can follow a refusal, the limit is exceeded after the first refusal. */
const mostSettlingMilliseconds = 300;
/** So many refusals end a burst. */
const burstRefusals = 3;

/**
 * Exceeds the limit without waiting: increases the rate until requests are refused, makes a rough estimate,
 * sends at about twice that rate for the duration of the profile, then checks that requests succeed after
 * Retry-After. Only lookups by id; the results are metrics, and latency is not judged.
 */
export async function probe(environment: Environment): Promise<void> {
  const { catalog, settings, profile } = environment;
  const send = createLaterSender(environment);
  const samples: ProbeSample[] = [];
  const waits = createWaitLog();
  const byId = byIdCalls(catalog, settings.seed);
  let [sent, underWay, refused, firstRefusedAt, highest] = [0, 0, 0, 0, 0];
  let lastRefused = byId(0);

  async function ask(call = byId(sent)): Promise<number> {
    const sentAt = Date.now();
    sent += 1;
    underWay += 1;
    const { status, waitSeconds } = await send(call);
    underWay -= 1;
    const now = Date.now();
    learned.probeRequests.add(1);
    // What failed was decided by no limit.
    if (status === 0 || status >= 500) return status;
    const admitted = status !== 429;
    if (!admitted) {
      if (refused === 0) firstRefusedAt = now;
      refused += 1;
      lastRefused = call;
    }
    waits.add({ sentAt, receivedAt: now, admitted, waitSeconds });
    samples.push({ at: (sentAt + now) / 2, within: (now - sentAt) / 2, admitted });
    return status;
  }

  /** Sends until time is over or there was enough, and then waits: late responses disturb the next one. */
  async function exceed(perSecond: number, milliseconds: number, enough: () => boolean): Promise<void> {
    const asked: Promise<number>[] = [];
    refused = 0;
    const fire = () => {
      if (underWay < mostUnderWay) asked.push(ask());
    };
    await steadily(perSecond, Date.now() + milliseconds, fire, enough);
    await Promise.all(asked);
  }

  const hold: Hold = async (perSecond, seconds, phase) => {
    const [from, start] = [samples.length, Date.now()];
    const stopWatching = phase === "steady" ? watchOther(environment) : undefined;
    await exceed(perSecond, seconds * 1000, () => phase === "burst" && refused >= burstRefusals);
    // What was planned says nothing: a gateway or a slow target may have held the requests back.
    const reached = (samples.length - from) / Math.max(seconds, (Date.now() - start) / 1000);
    if (phase !== "burst") highest = Math.max(highest, Math.min(perSecond, reached));
    learned.probeRate.add(highest);
    await stopWatching?.();
    return samples.slice(from);
  };

  const seconds = totalSeconds(profile.stages);
  const outcome = await probeLimit(peakRate(profile.stages), seconds, hold, (rest) => pause(rest * 1000));
  if (outcome.kind === "no limit") return;
  if (outcome.kind === "starved") {
    const seen = { count: outcome.sent, total: outcome.planned, of: "requests" } as const;
    return log.error(findingLine({ code: "probe-starved", seen }));
  }
  const { refusedAt, ...known } = outcome;
  const rate = probeRate(known.perSecond ?? refusedAt, 3);
  const isSettled = () =>
    refused > 0 &&
    (waits.current()?.isSure === true || Date.now() > firstRefusedAt + mostSettlingMilliseconds);
  const { tried, kept, broken, keptAgain } = await tryWaits({
    now: Date.now,
    pause,
    ask: () => ask(lastRefused),
    exceed: () => exceed(rate, mostExceedMilliseconds, isSettled),
    current: waits.current,
  });
  learned.waitsTried.add(tried);
  learned.waitsAccepted.add(kept);
  learned.waitsRefused.add(broken);
  learned.waitsAcceptedAgain.add(keptAgain);
  for (const field of Object.keys(estimated) as (keyof typeof estimated)[])
    if (known[field] !== undefined) estimated[field].add(known[field]);
}

/** Sends one request a second of another organization, which must be accepted. Returns what ends it. */
function watchOther({ settings }: Environment): (() => Promise<void>) | undefined {
  const key = settings.otherOrgKey;
  if (key === "") return undefined;
  const params = {
    headers: headersWith(key, settings),
    tags: { name: "other-organization", part: "other" },
    redirects: 0,
    responseCallback: http.expectedStatuses(200, 429),
  };
  let stopped = false;
  const ask = async () => {
    const url = settings.baseUrl + endpoints.retailers.path;
    const { status } = await http.asyncRequest("GET", url, null, params);
    learned.otherRequests.add(1);
    if (status === 429) learned.otherRefused.add(1);
  };
  const watching = steadily(1, Number.POSITIVE_INFINITY, ask, () => stopped);
  return () => {
    stopped = true;
    return watching;
  };
}

const idleMilliseconds = 2;

/**
 * Sends as much as the limit accepts, and waits for Retry-After. One virtual user sends everything without
 * waiting for responses, so that one refusal pauses everything: users share no memory, so each would continue
 * until its own refusal. The peak rate of the profile is the demand; what is above the pace is not queued.
 */
export async function polite(environment: Environment): Promise<void> {
  const { catalog, settings, profile } = environment;
  const limit = profile.rateLimit?.perSecond;
  if (limit === undefined) {
    throw new Error(
      "profile.rateLimit.perSecond is not set: a polite run paces itself below a known limit; probe first",
    );
  }
  const pacer = createPacer(limit, peakRate(profile.stages));
  const send = createLaterSender(environment);
  const byId = byIdCalls(catalog, settings.seed);
  // Until then, the requests before this run count in the limiter's second.
  await pause(1000);
  const start = Date.now();
  const end = start + totalSeconds(profile.stages) * 1000;
  const underWay = new Set<Promise<void>>();
  let sent = 0;
  let isTooLong = false;

  async function ask(index: number): Promise<void> {
    const sending = pacer.sent(Date.now());
    const { status, waitSeconds } = await send(byId(index));
    const now = Date.now();
    if (status === 429) {
      pacer.refused(now, sending, waitSeconds);
      // A run that waits so long sends nothing more.
      if (waitSeconds > longestKeptWait) isTooLong = true;
      return;
    }
    pacer.admitted(sending);
    if (status > 0 && status < 500) learned.politeAdmitted.add(1);
  }

  for (let now = start; now < end && !isTooLong; now = Date.now()) {
    const delay = pacer.delay(now);
    if (delay <= 0 && underWay.size < mostUnderWay) {
      const asking = ask(sent).finally(() => underWay.delete(asking));
      underWay.add(asking);
      sent += 1;
    } else {
      await pause(Math.min(Math.max(1, delay), delay === Number.POSITIVE_INFINITY ? idleMilliseconds : 1000));
    }
  }
  await Promise.all(underWay);
  const { count, waitedSeconds, refusedAgain } = pacer.waits;
  learned.politeSeconds.add((Date.now() - start) / 1000);
  learned.politeWaits.add(count);
  learned.politeWaitSeconds.add(waitedSeconds);
  learned.politeRefusedAgain.add(refusedAgain);
}
