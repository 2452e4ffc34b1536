import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { Dispatcher } from "undici";
import { type KeyHeader, keyHeaders } from "../../schemas/api.ts";
import { headersOf } from "../../schemas/connection.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import { given } from "../../schemas/json.ts";
import { requestId } from "../../schemas/request-id.ts";
import { readBody } from "./body.ts";
import { type Connections, openConnections } from "./dispatcher.ts";
import { type Exchange, type Purpose, secondsToWait } from "./exchange.ts";
import { BudgetSpent, classifyTransportFailure, isUnprocessed, TransportError } from "./no-response.ts";
import { type Clock, createGate, createPacer, type Pacer, systemClock } from "./pacing.ts";
import { type Redaction, redactionFor } from "./redaction.ts";
import { keyIn, type Request } from "./requests.ts";
import { type Caller, organizationOf, type Target } from "./target.ts";

export interface ClientOptions {
  readonly target: Target;
  readonly maxRequests: number;
  /** Longest time, waits for Retry-After included. What is on its way then is cut off. Default: no limit */
  readonly maxSeconds?: number | undefined;
  /** Whether the exchanges are kept. A comparison of thousands of responses does without. Default: true */
  readonly keepsExchanges?: boolean;
  readonly clock?: Clock;
  /** Default: connections to the target */
  readonly connections?: Connections;
  /** Ends all requests and waits, which then reject with its reason. */
  readonly signal?: AbortSignal;
  /** Called before a wait of a second or more after a 429. */
  readonly onWait?: (seconds: number) => void;
}

/** All requests of a run go through it. Its connections stay open until it is disposed of. */
export interface HttpClient extends AsyncDisposable {
  /**
   * Sends one request and records the exchange.
   * @throws TransportError without a complete response, BudgetSpent when the run may send no more.
   */
  send(request: Request, purpose?: Purpose): Promise<Exchange>;
  /** The waits of a caller's organization. */
  limit(caller: Caller): Pick<Pacer, "refusal" | "waitsInVain">;
  /** The time of the run. Its sleep rejects with BudgetSpent at once when that time would end before. */
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Reports a wait that a check makes by itself, if it is not short. */
  report(milliseconds: number): void;
  readonly exchanges: readonly Exchange[];
  /** Removes the target's keys from what is shown or written. */
  readonly redaction: Redaction;
  /** Sets the header that carries the key in requests that leave the choice open. */
  prefer(keyHeader: KeyHeader): void;
  preferred(): KeyHeader;
  /** The numbers of requests sent and lost, and of those sent although a wait was due. */
  requests(): Results<Finding>["requests"];
}

/** Most megabytes of response bodies. All are kept in memory for the rules that judge every response. */
const mostKeptMegabytes = 64;
// Assumed wait after a 429 without a usable Retry-After, which errors.retry-after judges.
const waitWithoutRetryAfter = 1000;
/** How often a request is repeated that a server did not process because it ended the connection. */
const mostReplays = 30;
/** The shortest wait to report, in milliseconds. */
const leastReported = 1000;

export function openClient(options: ClientOptions): HttpClient {
  const { target, maxRequests, maxSeconds = Number.POSITIVE_INFINITY, keepsExchanges = true } = options;
  const { signal = new AbortController().signal } = options;
  const { now, sleep } = options.clock ?? systemClock;
  const endsAt = now() + maxSeconds * 1000;
  const outOfTime = () => new BudgetSpent(maxSeconds, "seconds");
  const clock: Clock = {
    now,
    async sleep(milliseconds) {
      if (now() + milliseconds >= endsAt) throw outOfTime();
      await sleep(milliseconds, signal);
    },
  };
  const { origin, pathname } = new URL(target.baseUrl);
  const redaction = redactionFor(target);
  const { connections = openConnections(target) } = options;
  const exchanges: Exchange[] = [];
  const lost: Record<string, number> = {};
  const pacers = { first: createPacer(clock), other: createPacer(clock), nobody: createPacer(clock) };
  const whenAllowed = createGate(target, clock);
  const usualHeaders = { accept: "application/json", ...headersOf(target.connection) };
  const idHeader = target.connection?.requestIdHeader;
  const run = randomBytes(8).toString("hex");
  let [sent, received, burst, cut, kept] = [0, 0, 0, 0, 0];
  let reportedUntil = 0;
  let preferred: KeyHeader = keyHeaders.bearer;

  function mustBeInBudget(): void {
    signal.throwIfAborted();
    if (sent >= maxRequests) throw new BudgetSpent(maxRequests);
    if (kept > mostKeptMegabytes * 1024 * 1024) throw new BudgetSpent(mostKeptMegabytes, "megabytes");
    if (now() >= endsAt) throw outOfTime();
  }

  function report(milliseconds: number): boolean {
    const isLong = milliseconds >= leastReported;
    if (isLong) options.onWait?.(milliseconds / 1000);
    return isLong;
  }

  async function send(request: Request, purpose?: Purpose): Promise<Exchange> {
    const isBurst = purpose === "burst";
    mustBeInBudget();
    const pacer = pacers[organizationOf[request.caller]];
    // Concurrent requests wait for the same moment: it is reported once.
    const wait = isBurst || now() < reportedUntil ? 0 : pacer.refusal();
    if (report(wait)) reportedUntil = now() + wait;
    return await whenAllowed(isBurst ? undefined : pacer, async () => {
      const sentAt = now();
      const exchange: Exchange = {
        ...(await exchanged(request, isBurst)),
        ...given({ purpose }),
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

  /** Sends a request, and once more if the server closed an idle connection just then. */
  async function exchanged(request: Request, isBurst: boolean): Promise<Omit<Exchange, "number">> {
    let number = counted(isBurst);
    let mayRepeat = !isBurst;
    for (let replays = 0; ; replays++) {
      const left = Math.max(0, Math.ceil(endsAt - now()));
      const milliseconds = Math.min(target.timeoutMilliseconds, left);
      try {
        return await exchangeOnce(request, number, milliseconds);
      } catch (error) {
        if (!(error instanceof TransportError)) throw error;
        // Cut off by the end of the run, which says nothing of the target.
        if (milliseconds === left && error.failure === "silent") {
          if (!isBurst) cut++;
          throw outOfTime();
        }
        if (isUnprocessed(error) && replays < mostReplays) continue;
        // A burst may be more than a service takes; its checks tell what they lost.
        if (!isBurst) lost[error.failure] = (lost[error.failure] ?? 0) + 1;
        const isRace = error.failure === "reset" && error.nothingReceived && received > 0;
        if (!isRace || !mayRepeat || sent >= maxRequests) throw error;
        mayRepeat = false;
        number = counted(isBurst);
      }
    }
  }

  /** Counts a request before it is sent, and returns its number. @throws BudgetSpent */
  function counted(isBurst: boolean): number {
    // Others have been sent meanwhile.
    mustBeInBudget();
    if (isBurst) burst++;
    return ++sent;
  }

  /** Sends a request and reads the response. @throws TransportError when it is not complete in time */
  async function exchangeOnce(
    { method, endpoint, caller, keyHeader, path, headers: own, body }: Request,
    number: number,
    milliseconds: number,
  ): Promise<Omit<Exchange, "number">> {
    const key = caller === "nobody" ? undefined : target.keys[caller];
    const headers: Record<string, string> = given({
      ...usualHeaders,
      ...(idHeader !== undefined && { [idHeader]: requestId(idHeader, run, number, true) }),
      ...(key !== undefined && keyIn(keyHeader === "either" ? preferred : keyHeader, key)),
      ...own,
    });
    const request = { method, url: `${target.baseUrl}${path}`, headers, body };
    // The transport sends a stream in chunks, with a header of its own.
    const { "transfer-encoding": coding, ...sentHeaders } = headers;
    const isChunked = coding !== undefined && body !== undefined;
    const late = AbortSignal.timeout(milliseconds);
    const started = performance.now();
    let nothingReceived = true;
    try {
      // Not a URL object: parsing would remove segments of dots and change quotes.
      const answer = await connections.request({
        origin,
        path: `${pathname}${path}`,
        method: method as Dispatcher.HttpMethod,
        headers: sentHeaders,
        body: isChunked ? Readable.from([body.slice(0, 9), body.slice(9)]) : (body ?? null),
        signal: AbortSignal.any([signal, late]),
      });
      nothingReceived = false;
      const raw = Buffer.from(await answer.body.arrayBuffer());
      const took = performance.now() - started;
      const ofResponse = flattened(answer.headers);
      const read = readBody(raw, ofResponse["content-encoding"]);
      const response = { status: answer.statusCode, headers: ofResponse, ...read, milliseconds: took };
      return { endpoint, caller, request, response };
    } catch (error) {
      signal.throwIfAborted();
      const isProxied = target.connection?.proxy !== undefined;
      const failure = late.aborted ? "silent" : classifyTransportFailure(error, isProxied);
      // In a body, only chunks have a form.
      const inBody = failure === "not HTTP" && !nothingReceived;
      throw new TransportError(inBody ? "chunks" : failure, redaction.redactRequest(request), {
        cause: error,
        nothingReceived,
      });
    }
  }

  return {
    send,
    limit: (caller) => pacers[organizationOf[caller]],
    clock,
    signal,
    report,
    exchanges,
    redaction,
    prefer(keyHeader) {
      preferred = keyHeader;
    },
    preferred: () => preferred,
    requests: () => ({
      total: sent,
      lost: lostOf(lost, sent - burst - cut),
      ...(burst > 0 && { burst }),
    }),
    async [Symbol.asyncDispose]() {
      await connections.destroy();
      // Sockets close in the next turn of the event loop; after that the process can exit.
      await setImmediate();
    },
  };
}

function flattened(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value = ""]) => [name, [value].flat().join(", ")]),
  );
}

function lostOf(lost: Readonly<Record<string, number>>, total: number): Finding | undefined {
  const mostFirst = Object.entries(lost).toSorted(([, a], [, b]) => b - a);
  const count = mostFirst.reduce((sum, [, one]) => sum + one, 0);
  const seen = { count, total, of: "requests" } as const;
  return count === 0 ? undefined : { code: "requests-lost", seen, details: Object.fromEntries(mostFirst) };
}
