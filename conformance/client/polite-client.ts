import { errorCodeOf, keyHeaders } from "../../schemas/api.ts";
import type { Finding, FindingOf } from "../../schemas/contracts/finding.ts";
import { isErrorShape, isOutage } from "../../schemas/gateway.ts";
import { given } from "../../schemas/json.ts";
import { watchKeys } from "./accepted-keys.ts";
import type { Exchange } from "./exchange.ts";
import { fromOf } from "./from.ts";
import { BudgetSpent, type HttpClient, type SendOptions } from "./http-client.ts";
import { anyProduct, watchLiveness } from "./liveness.ts";
import { NotJudged } from "./outcome.ts";
import { type Clock, systemClock } from "./pacing.ts";
import { type Request, retailers } from "./requests.ts";
import { TransportError } from "./transport-error.ts";

/** Sends requests as a well-behaved client does, and tracks whether the target is still reachable. */
export interface PoliteClient {
  /**
   * The response to a request, after waiting out 429 and retrying 502, 503, 504 and broken connections.
   * @throws NotJudged when all attempts failed.
   */
  ask(request: Request, signal?: AbortSignal): Promise<Exchange>;
  /** The response to a request that is sent once, regardless of the rate limit. @throws NotJudged when none arrives. */
  sendAtOnce(request: Request, signal?: AbortSignal): Promise<Exchange>;
  /**
   * The response to a request that may make the target fail, whatever its status, or the transport error. Such a
   * failure is blamed on the request, so it does not count towards a target that is down.
   * @throws NotJudged when the rate limit or the budget leaves no response.
   */
  tryOut(request: Request, signal?: AbortSignal): Promise<Exchange | TransportError>;
  /** The response to a request that is sent once, for the first contact. @throws TransportError when none arrives. */
  contact(request: Request): Promise<Exchange>;
  /** Checks once more whether the target is down, when the last requests failed. */
  settle(signal: AbortSignal): Promise<void>;
  /** Why no more requests are sent to the target, once that is certain. */
  gone(): Finding | undefined;
}

// A closed connection costs no time, and a target that drops 1 in 50 drops two requests in a row in every other run.
const attempts = { refused: 10, upstream: 4, internal: 2, unnamed: 3, closed: 3, transport: 2 } as const;
/** Pause after an error that the spec does not name: a limit in front of the service may use any status. */
const unnamedMilliseconds = 1000;
const firstRetryMilliseconds = 50;
/** Longest wait for the rate limit, at once or in total, without an accepted request in between. */
const longestWaitMilliseconds = 120_000;
// After so many waits in a row, a rate limit will not accept anything within this run.
const waitsUntilShut = 8;
// 429 responses to concurrent requests count as one.
const leastWaitMilliseconds = 250;
/**
 * After so many waits in a row that were kept in vain, each wait is longer than announced, twice as much each time: a limit that
 * accepted requests before may only understate its waits.
 */
const waitsInVain = 3;
const firstDelayMilliseconds = 500;

/** Creates the polite client of one run on top of an HTTP client. */
export function createPoliteClient(http: HttpClient, clock: Clock = systemClock): PoliteClient {
  const liveness = watchLiveness(clock.now);
  const keys = watchKeys(clock.now);
  const accepted = new Set<Request["caller"]>();
  /** Statuses that the spec does not name, and that pauses did not change. */
  const lasting = new Set<number>();
  const shut = new Map<Request["caller"], { since: number; waits: number; waited: number; until: number }>();

  function noteLimit({ caller }: Request, exchange: Exchange): void {
    const { status } = exchange.response;
    if (status !== 429) {
      shut.delete(caller);
      accepted.add(caller);
      return;
    }
    const at = clock.now();
    const { since, waits, waited, until } = shut.get(caller) ?? { since: at, waits: 0, waited: 0, until: 0 };
    if (at < until) return;
    // The last refusal ends the run, so nothing waits for it.
    if (waits >= waitsInVain && waits < waitsUntilShut && accepted.has(caller))
      http.holdBack(caller, http.wait(caller) + firstDelayMilliseconds * 2 ** (waits - waitsInVain));
    const wait = Math.max(leastWaitMilliseconds, http.wait(caller));
    shut.set(caller, { since, waits: waits + 1, waited: waited + wait, until: at + wait });
    // Nearly all requests carry the primary key: without it the run cannot go on.
    const limit = caller === "primary" ? limitFor(caller) : undefined;
    if (limit?.code === "wait-too-long") liveness.limited(limit);
    else if (limit !== undefined) {
      const details = { since: new Date(since).toISOString() };
      const { seen = { count: waits, of: "attempts" } } = limit;
      const from = fromOf(exchange);
      const sender = given({ from });
      liveness.limited({ code: "target-unavailable", seen, actual: status, details, ...sender });
    }
  }

  /** Why the run no longer waits for a caller's rate limit. */
  function limitFor(
    caller: Request["caller"],
  ): FindingOf<"wait-too-long" | "still-rate-limited"> | undefined {
    const [expected, actual] = [longestWaitMilliseconds / 1000, Math.round(http.wait(caller) / 1000)];
    if (actual > expected) {
      return { code: "wait-too-long", expected, actual, unit: "s" };
    }
    const { waits, waited } = shut.get(caller) ?? { waits: 0, waited: 0 };
    if (waits > waitsUntilShut) return stillLimited(waitsUntilShut);
    return waited > longestWaitMilliseconds ? stillLimited(waits - 1) : undefined;
  }

  async function sendOnce(
    request: Request,
    options: SendOptions,
    mayFail = false,
  ): Promise<Exchange | TransportError> {
    for (let doubt = liveness.doubt(); doubt !== undefined; doubt = liveness.doubt()) {
      await sendAndWatch(doubt, options);
    }
    const gone = liveness.gone() ?? liveness.stopped(request);
    if (gone !== undefined) throw new NotJudged(gone);
    const limit = options.regardlessOfLimit === true ? undefined : limitFor(request.caller);
    if (limit !== undefined) throw new NotJudged(limit);
    return await sendAndWatch(request, options, mayFail);
  }

  async function sendAndWatch(
    request: Request,
    options: SendOptions,
    mayFail = false,
  ): Promise<Exchange | TransportError> {
    try {
      const exchange = await http.send(request, options);
      keys.responded(request, exchange);
      if (!mayFail || exchange.response.status < 500) liveness.responded(request, exchange);
      // A 429 to the deliberate burst is not a failed wait.
      if (options.regardlessOfLimit !== true || exchange.response.status !== 429)
        noteLimit(request, exchange);
      return exchange;
    } catch (error) {
      if (error instanceof BudgetSpent) throw notJudgedFor(error);
      if (!(error instanceof TransportError)) throw error;
      if (!mayFail) liveness.failed(request, error, options.regardlessOfLimit === true);
      return error;
    }
  }

  // A request that leaves the header open is repeated in the other header after a 401. The checks of
  // authentication.equivalent, which name the header, judge whether both are equivalent.
  async function ask(request: Request, signal?: AbortSignal): Promise<Exchange> {
    const rejected = keys.rejected(request.caller);
    if (rejected !== undefined) throw new NotJudged(rejected);
    const first = await sendWithRetries(request, signal);
    if (first.response.status === 401) await mustStillBeAccepted(request, signal);
    if (first.response.status !== 401 || request.keyHeader !== "either" || request.caller === "nobody")
      return first;
    const other = http.preferred() === keyHeaders.bearer ? keyHeaders.plain : keyHeaders.bearer;
    const second = await sendWithRetries({ ...request, keyHeader: other }, signal);
    return second.response.status === 401 ? first : second;
  }

  /** @throws NotJudged when a key that was accepted is rejected now, whatever the request is */
  async function mustStillBeAccepted({ caller, ...request }: Request, signal?: AbortSignal): Promise<void> {
    const headers = keys.doubted({ caller, ...request });
    if (caller === "nobody" || headers.length === 0) return;
    // One refused path says nothing of the key on others.
    const paths = [retailers(), anyProduct];
    for (const control of paths.flatMap((path) => headers.map((keyHeader) => ({ ...path, keyHeader })))) {
      const { response } = await sendWithRetries({ ...control, caller }, signal);
      if (response.status !== 401) return keys.confirm(caller);
    }
    const finding = keys.reject(caller);
    // Nearly all requests carry the primary key: without it the run cannot go on.
    if (caller === "primary") liveness.limited(finding);
    throw new NotJudged(finding);
  }

  async function sendWithRetries(request: Request, signal?: AbortSignal): Promise<Exchange> {
    const left: Record<keyof typeof attempts, number> = { ...attempts };
    for (;;) {
      const result = await sendOnce(request, { signal });
      const trouble = troubleWith(result);
      if (trouble === undefined) return result as Exchange;
      left[trouble]--;
      if (trouble === "unnamed") {
        const { response } = result as Exchange;
        if (left.unnamed <= 0) lasting.add(response.status);
        if (lasting.has(response.status)) return result as Exchange;
        http.holdBack(request.caller, unnamedMilliseconds);
        continue;
      }
      if (left[trouble] <= 0) {
        // A lasting 500 is a response like any other: the check decides what it means.
        if (trouble === "internal") return result as Exchange;
        throw notJudgedAfter(trouble, result);
      }
      // The HTTP client waits after a 429, and after several the delay is ours, as it is after an upstream error.
      const tries = attempts[trouble] - left[trouble];
      if (trouble === "refused" && tries > waitsInVain)
        await clock.sleep(firstRetryMilliseconds * 2 ** (tries - waitsInVain), signal);
      if (trouble !== "refused") await clock.sleep(150 * 2 ** tries, signal);
    }
  }

  async function sendAtOnce(request: Request, signal?: AbortSignal): Promise<Exchange> {
    const result = await sendOnce(request, { regardlessOfLimit: true, signal });
    if (result instanceof TransportError) throw notJudgedAfter("transport", result);
    return result;
  }

  async function tryOut(request: Request, signal?: AbortSignal): Promise<Exchange | TransportError> {
    const left = { ...attempts };
    for (;;) {
      const result = await sendOnce(request, { signal, isHostile: true }, true);
      const trouble = troubleWith(result);
      if (trouble !== "refused" && trouble !== "upstream") return result;
      left[trouble]--;
      if (left[trouble] <= 0) {
        if (trouble === "upstream") return result;
        throw notJudgedAfter(trouble, result);
      }
      if (trouble === "upstream") await clock.sleep(75 * 2 ** (attempts.upstream - left.upstream), signal);
    }
  }

  async function settle(signal: AbortSignal): Promise<void> {
    const control = liveness.lastDoubt();
    if (control === undefined || signal.aborted) return;
    try {
      const { response } = await ask(control, signal);
      if (response.status >= 500) liveness.confirm();
    } catch (error) {
      if (error instanceof NotJudged) liveness.confirm();
      else if (!signal.aborted) throw error;
    }
  }

  async function contact(request: Request): Promise<Exchange> {
    const result = await sendAndWatch(request, {});
    if (result instanceof TransportError) throw result;
    // Later, such a response violates service.json. At first it says that this is no service to judge.
    const { request: sent, response } = result;
    if (response.undecodable !== undefined)
      throw new TransportError("undecodable", http.redaction.redact(sent.url));
    return result;
  }

  return {
    ask,
    sendAtOnce,
    tryOut,
    contact,
    settle,
    gone: liveness.gone,
  };
}

/** What is not judged because a budget of the run is spent. */
export function notJudgedFor(spent: BudgetSpent): NotJudged {
  const { budget: expected, unit: subject } = spent;
  return new NotJudged({ code: "budget-spent", subject, expected }, { cause: spent });
}

function stillLimited(count: number): FindingOf<"still-rate-limited"> {
  return { code: "still-rate-limited", seen: { count, of: "attempts" } };
}

function troubleWith(result: Exchange | TransportError): keyof typeof attempts | undefined {
  if (result instanceof TransportError) return result.failure === "reset" ? "closed" : "transport";
  const { status, json } = result.response;
  if (status === 429) return "refused";
  if (status === 500) return "internal";
  // 408 says that a request did not arrive in time, and may be sent again (RFC 9110, 15.5.9).
  if ([408, 502, 503, 504].includes(status)) return "upstream";
  const isUnnamed = status >= 400 && errorCodeOf(status) === undefined && !isOutage(status);
  return isUnnamed && result.endpoint !== "other" && !isErrorShape(json) ? "unnamed" : undefined;
}

function notJudgedAfter(trouble: keyof typeof attempts, result: Exchange | TransportError): NotJudged {
  if (result instanceof TransportError)
    return new NotJudged(
      { code: "no-answer", subject: result.failure, details: { url: result.url } },
      { cause: result },
    );
  if (trouble === "refused") return new NotJudged(stillLimited(attempts.refused));
  const from = fromOf(result);
  return new NotJudged({
    code: "target-unavailable",
    endpoint: result.endpoint,
    actual: result.response.status,
    seen: { count: attempts.upstream, of: "attempts" },
    ...given({ from }),
  });
}
