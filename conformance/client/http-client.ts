import { randomBytes } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { type KeyHeader, keyHeaders } from "../../schemas/api.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import { requestId } from "../../schemas/request-id.ts";
import { openConnections } from "./dispatcher.ts";
import { type Exchange, exchangeOnce, secondsToWait } from "./exchange.ts";
import { BudgetSpent } from "./no-response.ts";
import { type Clock, createGate, createPacer, type Pacer, systemClock } from "./pacing.ts";
import { type Redaction, redactionFor } from "./redaction.ts";
import type { Request } from "./requests.ts";
import { type Caller, type Organization, organizationOf, type Target } from "./target.ts";
import { isUnprocessed, TransportError } from "./transport-error.ts";

export interface ClientOptions {
  readonly target: Target;
  readonly maxRequests: number;
  /** Longest time of all requests, waits for Retry-After included. What is on its way then is cut off. Default: no limit */
  readonly maxSeconds?: number | undefined;
  /** Whether the exchanges are kept. A comparison of thousands of responses does without. Default: true */
  readonly keepsExchanges?: boolean;
  readonly clock?: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Called before a wait of a second or more, and from time to time while requests are paced. */
  readonly onWait?: (wait: Wait) => void;
}

/** Why a run is slow: a wait after a 429, or a rate that stays within the limit. */
export type Wait =
  | { readonly kind: "refusal"; readonly seconds: number }
  | { readonly kind: "pace"; readonly perSecond: number; readonly sent: number };

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
  /** The milliseconds that a caller's organization must still wait after a 429, and its waits without an accepted request. */
  limit(caller: Caller): { readonly wait: number; readonly inVain: ReturnType<Pacer["waitsInVain"]> };
  /** Waits. @throws BudgetSpent at once when the run's time would end before, and the signal's reason */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Reports a wait that a check makes by itself. */
  report(wait: Wait): void;
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

/** Most megabytes of response bodies. All are kept in memory for the rules that judge every response. */
const mostKeptMegabytes = 64;
// Assumed wait after a 429 without a usable Retry-After, which errors.retry-after judges.
const waitWithoutRetryAfter = 1000;
/** How often a request is sent again that a server has not processed, because it ended the connection before. */
const mostReplays = 30;
/** The shortest wait to report, and the time between two reports about the pace, in milliseconds. */
const reportedWaits = { refusal: 1000, pace: 10_000 } as const;

export function openClient(options: ClientOptions): HttpClient {
  const { target, maxRequests, maxSeconds = Number.POSITIVE_INFINITY, keepsExchanges = true } = options;
  const { now, sleep } = options.clock ?? systemClock;
  const endsAt = now() + maxSeconds * 1000;
  const outOfTime = () => new BudgetSpent(maxSeconds, "seconds");
  const clock: Clock = {
    now,
    async sleep(milliseconds, signal = options.signal) {
      if (now() + milliseconds >= endsAt) throw outOfTime();
      await sleep(milliseconds, signal);
    },
  };
  const redaction = redactionFor(target);
  const connections = openConnections(target);
  const exchanges: Exchange[] = [];
  const byEndpoint: Record<string, number> = {};
  const lost: Record<string, number> = {};
  const pacers: Record<Organization, Pacer> = {
    first: createPacer(clock),
    other: createPacer(clock),
    nobody: createPacer(clock),
  };
  const whenAllowed = createGate(target, clock);
  const idHeader = target.connection?.requestIdHeader;
  const run = randomBytes(8).toString("hex");
  let [sent, received, burst, kept] = [0, 0, 0, 0];
  let [waitReportedUntil, paceReportedUntil] = [0, now() + reportedWaits.pace];
  let preferred: KeyHeader = keyHeaders.bearer;

  function mustBeInBudget(): void {
    if (sent >= maxRequests) throw new BudgetSpent(maxRequests);
    if (kept > mostKeptMegabytes * 1024 * 1024) throw new BudgetSpent(mostKeptMegabytes, "megabytes");
    if (now() >= endsAt) throw outOfTime();
  }

  async function send(request: Request, sendOptions: SendOptions = {}): Promise<Exchange> {
    const { regardlessOfLimit: isBurst = false, isHostile = false } = sendOptions;
    const signal = AbortSignal.any([options.signal, sendOptions.signal].filter((one) => one !== undefined));
    mustBeInBudget();
    const pacer = pacers[organizationOf[request.caller]];
    if (!isBurst) reportWait(pacer);
    return await whenAllowed(isBurst ? undefined : pacer, signal, async () => {
      const sentAt = now();
      const exchange: Exchange = {
        ...(await exchanged(request, signal, isBurst)),
        ...(isBurst && { isOfBurst: true }),
        ...(isHostile && { isOfHostileInput: true }),
        sentAt,
        number: ++received,
      };
      if (keepsExchanges) {
        exchanges.push(exchange);
        kept += exchange.response.text.length;
      }
      if (exchange.response.status !== 429) pacer.admitted();
      else {
        const seconds = secondsToWait(exchange);
        pacer.refused(
          seconds === undefined ? waitWithoutRetryAfter : 1000 * seconds,
          isBurst ? undefined : sentAt,
        );
      }
      return exchange;
    });
  }

  /** Counts a request before it is sent, and returns its number. @throws BudgetSpent */
  function counted({ endpoint }: Request, isBurst: boolean): number {
    // Others have been sent meanwhile.
    mustBeInBudget();
    if (isBurst) burst++;
    byEndpoint[endpoint] = (byEndpoint[endpoint] ?? 0) + 1;
    return ++sent;
  }

  /** Sends a request, and once more if the server closed an idle connection at the moment when it was used again. */
  async function exchanged(
    request: Request,
    signal: AbortSignal,
    isBurst: boolean,
  ): Promise<Omit<Exchange, "number">> {
    let number = counted(request, isBurst);
    let mayRepeat = !isBurst;
    for (let replays = 0; ; replays++) {
      const left = Math.max(0, Math.ceil(endsAt - now()));
      const milliseconds = Math.min(target.timeoutMilliseconds, left);
      const id = idHeader === undefined ? {} : { [idHeader]: requestId(idHeader, run, number, true) };
      try {
        const { dispatcher } = connections;
        const wire = { target, dispatcher, redaction, preferred, milliseconds, signal, requestId: id };
        return await exchangeOnce(request, wire);
      } catch (error) {
        if (!(error instanceof TransportError)) throw error;
        // Cut off by the end of the run, which says nothing of the target.
        if (milliseconds === left && error.failure === "silent") throw outOfTime();
        if (isUnprocessed(error) && replays < mostReplays) continue;
        lost[error.failure] = (lost[error.failure] ?? 0) + 1;
        const isRace = error.failure === "reset" && error.nothingReceived && received > 0;
        if (!isRace || !mayRepeat || sent >= maxRequests) throw error;
        mayRepeat = false;
        number = counted(request, isBurst);
      }
    }
  }

  // Concurrent requests wait for the same moment: it is reported once.
  function reportWait(pacer: Pacer): void {
    const refusal = pacer.refusal();
    if (refusal >= reportedWaits.refusal && now() >= waitReportedUntil) {
      waitReportedUntil = now() + refusal;
      paceReportedUntil = waitReportedUntil + reportedWaits.pace;
      options.onWait?.({ kind: "refusal", seconds: refusal / 1000 });
    } else if (pacer.interval() > 0 && now() > paceReportedUntil) {
      paceReportedUntil = now() + reportedWaits.pace;
      options.onWait?.({ kind: "pace", perSecond: 1000 / pacer.interval(), sent });
    }
  }

  return {
    send,
    limit(caller) {
      const pacer = pacers[organizationOf[caller]];
      return { wait: pacer.refusal(), inVain: pacer.waitsInVain() };
    },
    sleep: clock.sleep,
    report: (wait) => options.onWait?.(wait),
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
      lost: lostOf(lost, sent),
      ...(burst > 0 && { burst }),
    }),
    async [Symbol.asyncDispose]() {
      await connections.end();
      // Sockets close in the next turn of the event loop; after that the process can exit.
      await setImmediate();
    },
  };
}

function lostOf(lost: Readonly<Record<string, number>>, total: number): Finding | undefined {
  const mostFirst = Object.entries(lost).toSorted(([, a], [, b]) => b - a);
  const count = mostFirst.reduce((sum, [, one]) => sum + one, 0);
  const seen = { count, total, of: "requests" } as const;
  return count === 0 ? undefined : { code: "requests-lost", seen, details: Object.fromEntries(mostFirst) };
}
