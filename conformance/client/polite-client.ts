import { keyHeaders } from "../../schemas/api.ts";
import type { FindingOf } from "../../schemas/contracts/finding.ts";
import { given } from "../../schemas/json.ts";
import { type Exchange, fromOf, keyHeadersIn, type Purpose } from "./exchange.ts";
import type { HttpClient } from "./http-client.ts";
import { NoResponse, type NoResponseReason, TransportError } from "./no-response.ts";
import { byId, type Request, retailers } from "./requests.ts";
import type { Caller, KeyRole } from "./target.ts";

/** Sends requests as a well-behaved client does, and tracks whether the target is still reachable. */
export type PoliteClient = ReturnType<typeof createPoliteClient>;

type Result = Exchange | TransportError;

/** How often a request is sent in all. A closed connection costs no time; after a 429 the client waits. */
const attempts = { refused: 10, upstream: 4, internal: 2, closed: 3, transport: 2 } as const;
/** The same for input to which a failure may be the answer. */
const attemptsOfHostile = { ...attempts, internal: 1, transport: 1 } as const;
type Trouble = keyof typeof attempts;
const firstDelayMilliseconds = 150;
/** So many failures in a row may mean that the target is down; fewer where each takes a whole time-out. */
const failuresInARow = { failed: 8, silent: 3 } as const;
/** During a deployment a service may return 503 for a moment, and concurrent requests all see it. */
const leastDownMilliseconds = 3000;
/** Time-outs in a row of one endpoint: a run does not wait for it forever. */
const silencesInARow = 4;
/** Longest wait for the rate limit, at once or in total, without an accepted request in between. */
const longestWaitMilliseconds = 120_000;
/** After so many waits in a row, a rate limit will not accept anything within this run. */
const waitsUntilShut = 8;
/** What fails only on the first of these paths says nothing of the target or the key. */
const controls: readonly Request[] = [retailers(), byId("no-such-retailer", "0")];

/** Creates the polite client of one run on top of an HTTP client. */
export function createPoliteClient(http: HttpClient) {
  const { clock } = http;
  let gone: NoResponseReason | undefined;
  /** The failures since a response last showed that the target is up. */
  let failures: { readonly count: number; readonly since: number; readonly last: Result } | undefined;
  let looking: Promise<void> | undefined;
  const silences = new Map<Request["endpoint"], number>();
  const accepted = new Map<Caller, number>();
  const rejected = new Map<Caller, NoResponseReason>();

  /** Sends a request, unless nothing more is sent to the target, to this endpoint or with this key. */
  async function sendOnce(request: Request, purpose?: Purpose): Promise<Result> {
    const isDoubtful =
      failures !== undefined &&
      failures.count >= failuresInARow[isSilent(failures.last) ? "silent" : "failed"] &&
      clock.now() - failures.since >= leastDownMilliseconds;
    if (isDoubtful) await look();
    const { caller, endpoint } = request;
    const limit = purpose === "burst" ? undefined : limitOf(caller);
    const reason = gone ?? rejected.get(caller) ?? silenceOf(endpoint) ?? limit;
    if (reason !== undefined) throw new NoResponse(reason);
    return await sendAndWatch(request, purpose);
  }

  async function sendAndWatch(request: Request, purpose?: Purpose): Promise<Result> {
    const { caller, endpoint, headers } = request;
    const result = await http.send(request, purpose).catch((error: unknown) => {
      if (error instanceof TransportError) return error;
      throw error;
    });
    const isFailed = isFailure(result);
    if (!isSilent(result)) silences.delete(endpoint);
    else if (purpose === undefined) silences.set(endpoint, (silences.get(endpoint) ?? 0) + 1);
    if (isFailed && purpose !== "hostile")
      failures = { count: (failures?.count ?? 0) + 1, since: failures?.since ?? clock.now(), last: result };
    // A gateway may reject a request without a key even while everything behind it is down.
    else if (!isFailed && caller !== "nobody") failures = undefined;
    if (result instanceof TransportError) return result;
    const { status } = result.response;
    if (status < 500 && status !== 401 && status !== 429 && !namesKey(headers))
      accepted.set(caller, (accepted.get(caller) ?? 0) + 1);
    // A 429 to the deliberate burst is no failed wait. Without the primary key the run cannot go on.
    if (status === 429 && purpose !== "burst" && caller === "primary") gone ??= limitOf(caller);
    return result;
  }

  function silenceOf(endpoint: Request["endpoint"]): NoResponseReason | undefined {
    const count = silences.get(endpoint) ?? 0;
    if (count < silencesInARow) return undefined;
    return { code: "endpoint-silent", endpoint, seen: { count, of: "requests" } };
  }

  /** Why the run no longer waits for a caller's rate limit. */
  function limitOf(caller: Caller): NoResponseReason | undefined {
    const limit = http.limit(caller);
    const [expected, actual] = [longestWaitMilliseconds / 1000, Math.round(limit.refusal() / 1000)];
    if (actual > expected) return { code: "wait-too-long", expected, actual, unit: "s" };
    const { count, milliseconds } = limit.waitsInVain();
    const isShut = count > waitsUntilShut || milliseconds > longestWaitMilliseconds;
    return isShut ? stillLimited(count - 1) : undefined;
  }

  /** Looks whether the target is down, once for all requests that wait for it. */
  function look(): Promise<void> {
    looking ??= askControls().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  async function askControls(): Promise<void> {
    if (gone !== undefined || failures === undefined) return;
    const { count, since } = failures;
    let { last } = failures;
    for (const control of controls) {
      last = await sendAndWatch(control);
      if (!isFailure(last)) return;
    }
    gone ??=
      last instanceof TransportError
        ? noAnswer(last)
        : { ...unavailable(last, { count, of: "requests" }), details: { since: timeOf(since) } };
  }

  /** @throws NoResponse when a key that was accepted is refused now, whatever the request is */
  async function mustStillBeAccepted(caller: KeyRole): Promise<void> {
    const count = accepted.get(caller);
    if (count === undefined) return;
    const details = { since: timeOf(clock.now()) };
    for (const control of controls)
      for (const keyHeader of Object.values(keyHeaders)) {
        const { response } = await answered({ ...control, caller, keyHeader });
        if (response.status !== 401) return;
      }
    const seen = { count, of: "requests" } as const;
    const reason: NoResponseReason = { code: "key-rejected-since", subject: caller, seen, details };
    rejected.set(caller, reason);
    if (caller === "primary") gone ??= reason;
    throw new NoResponse(reason);
  }

  async function answered(request: Request): Promise<Exchange> {
    const [result, trouble] = await repeated(request);
    if (result instanceof TransportError) throw new NoResponse(noAnswer(result));
    if (trouble === "refused") throw new NoResponse(stillLimited(attempts.refused - 1));
    const { endpoint } = result;
    if (trouble === "upstream")
      throw new NoResponse({
        ...unavailable(result, { count: attempts.upstream, of: "attempts" }),
        endpoint,
      });
    // A lasting 500 is a response like any other: the check decides what it means.
    return result;
  }

  /** The last result of a request, and what is still wrong with it after all attempts. */
  async function repeated(
    request: Request,
    purpose?: Purpose,
  ): Promise<readonly [Result, Trouble | undefined]> {
    const most = purpose === "hostile" ? attemptsOfHostile : attempts;
    const sent = { refused: 0, upstream: 0, internal: 0, closed: 0, transport: 0 };
    for (;;) {
      const result = await sendOnce(request, purpose);
      const trouble = troubleWith(result);
      if (trouble === undefined || ++sent[trouble] >= most[trouble]) return [result, trouble];
      if (trouble !== "refused") await clock.sleep(firstDelayMilliseconds * 2 ** sent[trouble]);
    }
  }

  return {
    /**
     * The response to a request, after waiting out 429 and retrying 408, 502, 503, 504, broken connections
     * and, once, 500. What has passed then is in the notices of a run, see `passingFailures`.
     * @throws NoResponse when all attempts failed.
     */
    // A request that leaves the header open is repeated in the other header after a 401. The checks of
    // authentication.equivalent, which name the header, judge whether both are equivalent.
    async ask(request: Request): Promise<Exchange> {
      const { caller, keyHeader, headers } = request;
      const first = await answered(request);
      if (first.response.status !== 401 || caller === "nobody") return first;
      if (!namesKey(headers)) await mustStillBeAccepted(caller);
      if (keyHeader !== "either") return first;
      const other = http.preferred() === keyHeaders.bearer ? keyHeaders.plain : keyHeaders.bearer;
      const second = await answered({ ...request, keyHeader: other });
      return second.response.status === 401 ? first : second;
    },
    /** Why no more requests are sent to the target, once that is certain. */
    gone: () => gone,
    /** The response to a request that is sent once, regardless of the rate limit. @throws NoResponse */
    async sendAtOnce(request: Request): Promise<Exchange> {
      const result = await sendOnce(request, "burst");
      if (result instanceof TransportError) throw new NoResponse(noAnswer(result));
      return result;
    },
    /**
     * The response, whatever its status, or the transport error, of a request that may make the target fail. It
     * is blamed on the request: it does not count towards a target that is down.
     * @throws NoResponse when the rate limit or the budget leaves no response.
     */
    async tryOut(request: Request): Promise<Exchange | TransportError> {
      const [result, trouble] = await repeated(request, "hostile");
      if (trouble === "refused") throw new NoResponse(stillLimited(attempts.refused - 1));
      return result;
    },
    /** Checks once more whether the target is down, when the last requests failed. */
    async settle(): Promise<void> {
      await look().catch((error: unknown) => {
        if (!(error instanceof NoResponse) && !http.signal.aborted) throw error;
      });
    },
  };
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Whether a result may mean that the target is down. A 5xx may also be caused by one request alone. */
function isFailure(result: Result): boolean {
  return result instanceof TransportError || result.response.status >= 500 || result.response.status === 408;
}

function isSilent(result: Result): boolean {
  return result instanceof TransportError && result.failure === "silent";
}

/** Whether a request says itself what is in the headers of the key. */
function namesKey(headers: Request["headers"]): boolean {
  return keyHeadersIn({ request: { headers } }).length > 0;
}

function troubleWith(result: Result): Trouble | undefined {
  if (result instanceof TransportError) return result.failure === "reset" ? "closed" : "transport";
  const { status } = result.response;
  if (status === 429) return "refused";
  if (status === 500) return "internal";
  // 408 says that a request did not arrive in time, and may be sent again (RFC 9110, 15.5.9).
  return [408, 502, 503, 504].includes(status) ? "upstream" : undefined;
}

function noAnswer({ failure, request: { url } }: TransportError): NoResponseReason {
  return { code: "no-answer", subject: failure, details: { url } };
}

function unavailable(
  exchange: Exchange,
  seen: FindingOf<"target-unavailable">["seen"],
): FindingOf<"target-unavailable"> {
  const { status } = exchange.response;
  return { code: "target-unavailable", actual: status, ...given({ seen, from: fromOf(exchange) }) };
}

/** @param count of waits, each of which ended in another 429 */
function stillLimited(count: number): NoResponseReason {
  return { code: "still-rate-limited", seen: { count, of: "attempts" } };
}
