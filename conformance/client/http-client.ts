import { randomBytes } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { type KeyHeader, keyHeaders } from "../../schemas/api.ts";
import { requestId } from "../../schemas/request-id.ts";
import type { Finding, Results } from "../../schemas/types.ts";
import type { TransportFailure } from "../../schemas/words/transport.ts";
import { openConnections, speaksTls } from "./dispatcher.ts";
import { type Exchange, exchangeOnce, secondsToWait } from "./exchange.ts";
import { createGate } from "./gate.ts";
import { type Clock, createPacer, type Pacer, systemClock } from "./pacing.ts";
import { type Redaction, redactionFor } from "./redaction.ts";
import type { Request } from "./requests.ts";
import { type Caller, type Organization, organizationOf, type Target } from "./target.ts";
import { TransportError } from "./transport-error.ts";

/** The run may send no more requests, or keep no more answers. */
export class BudgetSpent extends Error {
  override readonly name = "BudgetSpent";
  readonly budget: number;
  readonly unit: "requests" | "megabytes";
  constructor(budget: number, unit: BudgetSpent["unit"] = "requests") {
    super(`the budget of ${budget} ${unit} is spent`);
    this.budget = budget;
    this.unit = unit;
  }
}

export interface ClientOptions {
  readonly target: Target;
  readonly maxRequests: number;
  /** Most megabytes of answers: all are kept for the rules that look at every one, so they must fit in memory. */
  readonly maxKeptMegabytes?: number;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
  /** Told before a wait of a second or more, and now and then while requests are paced. */
  readonly onWait?: (wait: Wait) => void;
}

/** Why a run goes slowly: a wait that Retry-After asks for, or the rate that keeps within the limit. */
export type Wait =
  | { readonly kind: "refusal"; readonly seconds: number }
  | { readonly kind: "pace"; readonly perSecond: number; readonly sent: number };

export interface SendOptions {
  /** Leave at once, even in a wait that the target asked for: for the one check that provokes the limit. */
  readonly regardlessOfLimit?: boolean;
  readonly signal?: AbortSignal;
}

/** The one way to the target. It keeps connections open until it is disposed of. */
export interface HttpClient extends AsyncDisposable {
  /**
   * Sends one request and records what came.
   * @throws TransportError when no whole answer came, BudgetSpent when the run may send no more.
   */
  send(request: Request, options?: SendOptions): Promise<Exchange>;
  /** Milliseconds that the caller's organization still has to wait after a 429. */
  wait(caller: Caller): number;
  readonly exchanges: readonly Exchange[];
  /** Takes the target's keys out of what is shown or written. */
  readonly redaction: Redaction;
  /** From now on, requests that leave the header open carry the key in this one. */
  prefer(keyHeader: KeyHeader): void;
  preferred(): KeyHeader;
  /** When the target's certificate ends; undefined before the first connection, and without TLS. */
  certificateEnds(): Date | undefined;
  /** Number of requests sent. */
  requests(): Results["requests"];
}

const usuallyKeptMegabytes = 64;
// What a 429 without a usable Retry-After is taken to ask for; that it lacks one is judged elsewhere.
const waitWithoutRetryAfter = 1000;
/** Shortest wait that is worth a line, and the time between two lines about the pace. */
const toldWaits = { refusal: 1000, pace: 10_000 } as const;

/** Opens a client to a target. */
export function openClient(options: ClientOptions): HttpClient {
  const { target, maxRequests, clock = systemClock } = options;
  const { maxKeptMegabytes = usuallyKeptMegabytes } = options;
  const redaction = redactionFor(target);
  const connections = openConnections(target);
  const { dispatcher } = connections;
  const exchanges: Exchange[] = [];
  const byEndpoint: Record<string, number> = {};
  const pacers: Record<Organization, Pacer> = {
    first: createPacer(clock),
    other: createPacer(clock),
    nobody: createPacer(clock),
  };
  const lost = new Map<string, number>();
  const waitsTold = new Map<Pacer, number>();
  const gate = createGate(target, clock);
  const idHeader = target.way?.requestIdHeader;
  const run = randomBytes(8).toString("hex");
  let sent = 0;
  let kept = 0;
  let toldUntil = clock.now() + toldWaits.pace;
  let preferred: KeyHeader = keyHeaders.bearer;

  async function send(request: Request, sendOptions: SendOptions = {}): Promise<Exchange> {
    const signals = [options.signal, sendOptions.signal].filter((signal) => signal !== undefined);
    const signal = AbortSignal.any(signals);
    signal.throwIfAborted();
    if (sent >= maxRequests) throw new BudgetSpent(maxRequests);
    if (kept > maxKeptMegabytes * 1024 * 1024) throw new BudgetSpent(maxKeptMegabytes, "megabytes");
    sent++;
    const number = sent;
    byEndpoint[request.endpoint] = (byEndpoint[request.endpoint] ?? 0) + 1;
    const pacer = pacers[organizationOf[request.caller]];
    if (sendOptions.regardlessOfLimit !== true) tellWait(pacer);
    await gate.enter(sendOptions.regardlessOfLimit === true ? undefined : pacer, signal);
    const id = idHeader === undefined ? {} : { [idHeader]: requestId(idHeader, run, number) };
    const sending = exchangeOnce(request, {
      target,
      dispatcher,
      redaction,
      preferred,
      signal,
      requestId: id,
    });
    const answer = await sending.finally(gate.left).catch(noteLost);
    const exchange = { ...answer, number: exchanges.length + 1 };
    exchanges.push(exchange);
    kept += exchange.response.text.length;
    if (exchange.response.status === 429) {
      const seconds = secondsToWait(exchange);
      pacer.refused(seconds === undefined ? waitWithoutRetryAfter : seconds * 1000);
    } else {
      pacer.admitted();
    }
    return exchange;
  }

  async function noteLost(error: unknown): Promise<never> {
    const failure = error instanceof TransportError ? await explained(error) : undefined;
    if (error instanceof TransportError && failure !== undefined && failure !== error.failure) {
      throw new TransportError(failure, error.url, { cause: error });
    }
    if (error instanceof TransportError) lost.set(error.failure, (lost.get(error.failure) ?? 0) + 1);
    throw error;
  }

  /** What the first request of a run shows of TLS by the way in which it fails. */
  async function explained({ failure }: TransportError): Promise<TransportFailure> {
    const isFirst = exchanges.length === 0 && target.proxy === undefined;
    if (!isFirst || (failure !== "reset" && failure !== "not HTTP")) return failure;
    if (target.baseUrl.startsWith("http:")) return (await speaksTls(target.baseUrl)) ? "needs TLS" : failure;
    return failure === "reset" ? "closed after TLS" : failure;
  }

  // Requests side by side wait for the same moment: told once.
  function tellWait(pacer: Pacer): void {
    const now = clock.now();
    const refusal = pacer.refusal();
    if (refusal >= toldWaits.refusal && (waitsTold.get(pacer) ?? 0) <= now) {
      waitsTold.set(pacer, now + refusal);
      toldUntil = now + refusal + toldWaits.pace;
      options.onWait?.({ kind: "refusal", seconds: refusal / 1000 });
    } else if (pacer.interval() > 0 && now > toldUntil) {
      toldUntil = now + toldWaits.pace;
      options.onWait?.({ kind: "pace", perSecond: 1000 / pacer.interval(), sent });
    }
  }

  return {
    send,
    wait: (caller) => pacers[organizationOf[caller]].wait(),
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
      ...(lost.size === 0 ? {} : { lost: lostOf(lost, sent) }),
    }),
    async [Symbol.asyncDispose]() {
      await dispatcher.destroy();
      // Sockets are gone only after the next turn of the loop; a process must be able to end after this.
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
