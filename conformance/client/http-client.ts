import { randomBytes } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { type KeyHeader, keyHeaders } from "../../schemas/api.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import { requestId } from "../../schemas/request-id.ts";
import { openConnections } from "./dispatcher.ts";
import { type Exchange, exchangeOnce, secondsToWait } from "./exchange.ts";
import { BudgetSpent } from "./no-response.ts";
import {
  type Clock,
  createGate,
  createPacer,
  type Pacer,
  systemClock,
  type WaitsInVain,
  waitsAsAnnounced,
} from "./pacing.ts";
import { type Redaction, redactionFor } from "./redaction.ts";
import type { Request } from "./requests.ts";
import { type Caller, type Organization, organizationOf, type Target } from "./target.ts";
import { isUnprocessed, TransportError } from "./transport-error.ts";

export interface ClientOptions {
  readonly target: Target;
  readonly maxRequests: number;
  /** Longest time of all requests, waits for Retry-After included. What is on its way then is cut off. Default: no limit */
  readonly maxSeconds?: number | undefined;
  /** Most megabytes of response bodies. All are kept in memory for the rules that judge every response. */
  readonly maxKeptMegabytes?: number;
  /** Whether the exchanges and the log of requests are kept. A comparison of thousands of responses does without. Default: true */
  readonly keepsExchanges?: boolean;
  readonly clock?: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Called before a wait of a second or more, and from time to time while requests are paced. */
  readonly onWait?: (wait: Wait) => void;
}

/** Why a run is slow: a wait that Retry-After asks for, or a rate that stays within the limit. */
export type Wait =
  | {
      readonly kind: "refusal";
      readonly seconds: number;
      /** Retry-After asked for it; without one, a second is polite; or it was kept in vain, so the next wait is longer. */
      readonly why: "announced" | "no-wait-given" | "refused-again";
    }
  | {
      readonly kind: "pace";
      readonly perSecond: number;
      readonly sent: number;
    };

export interface SendOptions {
  /**
   * Send at once, even during a wait that a 429 requires. Only the check that provokes the rate limit does
   * this.
   */
  readonly regardlessOfLimit?: boolean;
  /** The request has unusual input that may make the target fail. */
  readonly isHostile?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** The HTTP client that all requests of a run go through. Its connections stay open until it is disposed of. */
export interface HttpClient extends AsyncDisposable {
  /**
   * Sends one request and records the exchange.
   * @throws TransportError when no complete response arrives, BudgetSpent when the run may send no more requests.
   */
  send(request: Request, options?: SendOptions): Promise<Exchange>;
  /** Milliseconds that the caller's organization must still wait after a 429. */
  wait(caller: Caller): number;
  /** The waits of the caller's organization since a request of it was last accepted. */
  waitsInVain(caller: Caller): WaitsInVain;
  /** Reports a wait that a check makes by itself. */
  report(wait: Wait): void;
  /** Waits. @throws BudgetSpent at once when the run's time would end before, and the signal's reason */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Set when the run's time is over, and a part of it more in which what came is judged. */
  overtime(): BudgetSpent | undefined;
  readonly exchanges: readonly Exchange[];
  /** Removes the target's keys from what is shown or written. */
  readonly redaction: Redaction;
  /** Sets the header that carries the key in requests that leave the choice open. */
  prefer(keyHeader: KeyHeader): void;
  preferred(): KeyHeader;
  /** When the target's certificate expires; undefined before the first connection and without TLS. */
  certificateEnds(): Date | undefined;
  /** The numbers of requests sent and lost, and of those sent although a wait was due. */
  requests(): Results<Finding>["requests"];
}

const usuallyKeptMegabytes = 64;
/** The part of the run's time, and the least seconds, for judging responses after its end. */
const overtime = { part: 0.1, leastSeconds: 5 } as const;
// Assumed wait after a 429 without a usable Retry-After, which errors.retry-after judges.
const waitWithoutRetryAfter = 1000;
/** How often a request is sent again that a server has not processed, because it ended the connection before. */
const mostReplays = 30;
/** The shortest wait to report, and the time between two reports about the pace, in milliseconds. */
const reportedWaits = { refusal: 1000, pace: 10_000 } as const;

export function openClient(options: ClientOptions): HttpClient {
  const { target, maxRequests, clock = systemClock } = options;
  const { maxSeconds = Number.POSITIVE_INFINITY } = options;
  const startedAt = clock.now();
  const endsAt = startedAt + maxSeconds * 1000;
  const { maxKeptMegabytes = usuallyKeptMegabytes, keepsExchanges = true } = options;
  const redaction = redactionFor(target);
  const connections = openConnections(target);
  const exchanges: Exchange[] = [];
  const byEndpoint: Record<string, number> = {};
  const deadline = { at: endsAt, error: () => new BudgetSpent(maxSeconds, "seconds") };
  const pacers: Record<Organization, Pacer> = {
    first: createPacer(clock, deadline),
    other: createPacer(clock, deadline),
    nobody: createPacer(clock, deadline),
  };
  const lost = new Map<string, number>();
  const waitsReported = new Map<Pacer, number>();
  const gate = createGate(target, clock, deadline);
  const idHeader = target.connection?.requestIdHeader;
  const run = randomBytes(8).toString("hex");
  let sent = 0;
  let burst = 0;
  let received = 0;
  let kept = 0;
  let why: Extract<Wait, { kind: "refusal" }>["why"] = "no-wait-given";
  let quietUntil = clock.now() + reportedWaits.pace;
  let preferred: KeyHeader = keyHeaders.bearer;

  function mustBeInBudget(): void {
    if (sent >= maxRequests) throw new BudgetSpent(maxRequests);
    if (kept > maxKeptMegabytes * 1024 * 1024) throw new BudgetSpent(maxKeptMegabytes, "megabytes");
  }

  async function send(request: Request, sendOptions: SendOptions = {}): Promise<Exchange> {
    const signals = [options.signal, sendOptions.signal].filter((one) => one !== undefined);
    const signal = AbortSignal.any(signals);
    signal.throwIfAborted();
    mustBeInBudget();
    const pacer = pacers[organizationOf[request.caller]];
    const isBurst = sendOptions.regardlessOfLimit === true;
    if (!isBurst) reportWait(pacer);
    await gate.enter(isBurst ? undefined : pacer, signal);
    const sentAt = clock.now();
    let answered: Omit<Exchange, "number">;
    try {
      // Others have been sent meanwhile.
      mustBeInBudget();
      if (isBurst) burst++;
      answered = await exchanged(request, signal, !isBurst);
    } finally {
      gate.left();
    }
    const isOfBurst = isBurst ? { isOfBurst: true as const } : {};
    const isOfHostileInput = sendOptions.isHostile === true ? { isOfHostileInput: true as const } : {};
    const exchange = { ...answered, ...isOfBurst, ...isOfHostileInput, sentAt, number: ++received };
    if (keepsExchanges) {
      exchanges.push(exchange);
      kept += exchange.response.text.length;
    }
    if (exchange.response.status !== 429) pacer.admitted();
    else {
      const seconds = secondsToWait(exchange);
      const wait = seconds === undefined ? waitWithoutRetryAfter : 1000 * seconds;
      if (isBurst) pacer.exceeded(wait);
      else pacer.refused(wait, sentAt);
      const isAsAnnounced = pacer.waitsInVain().count <= waitsAsAnnounced;
      why = !isAsAnnounced ? "refused-again" : seconds === undefined ? "no-wait-given" : "announced";
    }
    return exchange;
  }

  /** Counts a request before it is sent, and returns its number. */
  function counted({ endpoint }: Request): number {
    sent++;
    byEndpoint[endpoint] = (byEndpoint[endpoint] ?? 0) + 1;
    return sent;
  }

  async function exchanged(
    request: Request,
    signal: AbortSignal,
    mayRetry: boolean,
  ): Promise<Omit<Exchange, "number">> {
    let number = counted(request);
    let retriesLeft = mayRetry ? 1 : 0;
    for (let replays = 0; ; replays++) {
      const left = endsAt - clock.now();
      const longest = Math.min(target.timeoutMilliseconds, left);
      try {
        return await exchangeOnce(request, {
          target,
          milliseconds: Math.max(0, Math.ceil(longest)),
          redaction,
          preferred,
          signal,
          requestId: idHeader === undefined ? {} : { [idHeader]: requestId(idHeader, run, number, true) },
          dispatcher: connections.dispatcher,
        });
      } catch (error) {
        if (!(error instanceof TransportError)) throw error;
        // Cut off by the end of the run, which says nothing of the target.
        if (longest === left && error.failure === "silent") throw deadline.error();
        if (isUnprocessed(error) && replays < mostReplays) continue;
        lost.set(error.failure, (lost.get(error.failure) ?? 0) + 1);
        // A server may close an idle connection at the moment when it is used again: then it sends nothing.
        const isRace = error.failure === "reset" && error.nothingReceived;
        if (!isRace || retriesLeft-- === 0 || received === 0 || sent >= maxRequests) throw error;
        number = counted(request);
      }
    }
  }

  // Concurrent requests wait for the same moment: it is reported once.
  function reportWait(pacer: Pacer): void {
    const now = clock.now();
    const refusal = pacer.refusal();
    if (refusal >= reportedWaits.refusal && (waitsReported.get(pacer) ?? 0) <= now) {
      waitsReported.set(pacer, now + refusal);
      quietUntil = now + refusal + reportedWaits.pace;
      options.onWait?.({ kind: "refusal", seconds: refusal / 1000, why });
    } else if (pacer.interval() > 0 && now > quietUntil) {
      quietUntil = now + reportedWaits.pace;
      options.onWait?.({ kind: "pace", perSecond: 1000 / pacer.interval(), sent });
    }
  }

  return {
    send,
    wait: (caller) => pacers[organizationOf[caller]].wait(),
    waitsInVain: (caller) => pacers[organizationOf[caller]].waitsInVain(),
    report: (wait) => options.onWait?.(wait),
    async sleep(milliseconds, signal) {
      if (clock.now() + milliseconds >= endsAt) throw deadline.error();
      await clock.sleep(milliseconds, signal ?? options.signal);
    },
    overtime() {
      const seconds = maxSeconds + Math.max(overtime.leastSeconds, maxSeconds * overtime.part);
      return clock.now() < startedAt + seconds * 1000 ? undefined : deadline.error();
    },
    exchanges,
    redaction,
    prefer(keyHeader) {
      preferred = keyHeader;
    },
    preferred: () => preferred,
    certificateEnds: connections.certificateEnds,
    requests: () => ({
      total: sent,
      byEndpoint: { ...byEndpoint },
      lost: lost.size === 0 ? undefined : lostOf(lost, sent),
      ...(burst === 0 ? {} : { burst }),
    }),
    async [Symbol.asyncDispose]() {
      await connections.end();
      // Sockets close in the next turn of the event loop; after that the process can exit.
      await setImmediate();
    },
  };
}

function lostOf(lost: ReadonlyMap<string, number>, total: number): Finding {
  const count = lost.values().reduce((sum, one) => sum + one, 0);
  const byFailure = [...lost].toSorted(([, a], [, b]) => b - a);
  return {
    code: "requests-lost",
    seen: { count, total, of: "requests" },
    details: Object.fromEntries(byFailure),
  };
}
