import { load as onDemand } from "virtual:on-demand";
import { sleep } from "k6";
import exec from "k6/execution";
import http from "k6/http";
import { maxBodyBytes } from "../../schemas/api.ts";
import type { Tenant } from "../../schemas/contracts/load-fixtures.ts";
import { requestId, traceparentHeader } from "../../schemas/request-id.ts";
import type { RequestKindId } from "../../schemas/scenarios.ts";
import { metrics } from "./metrics.ts";
import { patienceSeconds, patienceTimes } from "./options.ts";
import { type ListChecks, type Page, single } from "./quick-check.ts";
import type { createResponseChecker, Kind, Response, SendState } from "./response-checker.ts";
import { allowedOf } from "./response-rules.ts";
import { arrival, type Environment, guarded } from "./script.ts";
import { headersWith } from "./settings.ts";
import { batchCalls, type LoadCall, lookupCall, lookupMix } from "./traffic.ts";

/** From one complete check to the next: an eighth of the responses before it, and at most so many. */
const partBetween = 8;
/** The complete check of a list takes as long as a hundred quick ones: not in each moment of a fast run. */
const leastMillisecondsBetween = 3000;
const completelyEvery = 1024;
/** Pages and batches, which have up to fifty products. */
const listsCompletelyEvery = 2048;

export type Sender = ReturnType<typeof createSender>;

/** What the requests and checks of one virtual user share, however they are sent. */
export function createSender(
  environment: Environment,
  listChecks: ListChecks = {},
  role: Tenant["key"] = "primary",
) {
  // A function that uses one parameter of the function around it holds all: here, also the environment.
  const quickChecks = listChecks;
  const { settings, profile, redaction } = environment;
  const { requestIdHeader } = settings;
  const { fieldNames } = environment.catalog;
  const timeout = Math.ceil(profile.maxResponseSeconds * 1000 * patienceTimes);
  /** Each is created at its first request: most virtual users do not need all of them. */
  const kinds: Partial<Record<RequestKindId, Kind>> = {};
  const headers = headersWith(role === "primary" ? settings.key : settings.otherOrgKey, settings);
  /** Whether every request has an id: in a header of its own, not a trace, which only evidence shows. */
  const isTraced = requestIdHeader !== "" && requestIdHeader.toLowerCase() !== traceparentHeader;
  /**
   * The complete check takes many times as long as the quick one, and much memory of a virtual user. So some
   * users apply it to their first responses of each kind, then at growing distances, every three seconds at
   * most: each half of a run has some, also of a short one. They are the first ten of each kind of traffic, of
   * which k6 numbers the users after those of another, and some of all numbers.
   */
  let checksCompletely: boolean | undefined;
  let checker: ReturnType<typeof createResponseChecker> | undefined;
  let sent = 0;
  /** The first part of each id, 16 random hexadecimal digits; most virtual users send none. */
  let user = "";
  // The default for kinds that expect only 200: k6 reads a callback in the parameters at each request.
  http.setResponseCallback(http.expectedStatuses(200, 429));

  function createKind(name: RequestKindId): Kind {
    const allowed = allowedOf(name);
    const timed = allowed[0];
    const params: Kind["params"] = {
      headers: name === "batch" ? { ...headers, "Content-Type": "application/json" } : headers,
      tags: { name },
      timeout,
    };
    if (allowed.length > 1 || timed !== 200) {
      const expected = [429];
      // Not with `concat` or a spread: k6 would create 5 KB of its library for it in every virtual user.
      for (let place = 0; place < allowed.length; place += 1) expected.push(allowed[place] ?? 429);
      params.responseCallback = http.expectedStatuses.apply(undefined, expected);
    }
    checksCompletely ??= exec.scenario.iterationInTest < 10 || __VU % (__VU <= 160 ? 4 : 64) === 1;
    const kind = {
      params,
      timed,
      quick: quickChecks[name] ?? single,
      before: 0,
      checkedAt: 0,
      skips: checksCompletely ? 0 : Number.POSITIVE_INFINITY,
    };
    kinds[name] = kind;
    return kind;
  }

  // Without async functions, of which already the first costs every virtual user memory.
  return {
    kindOf: (name: RequestKindId) => kinds[name] ?? createKind(name),
    /** Whether the next response gets the complete check. */
    isDue(kind: Kind): boolean {
      if (kind.skips > 0) {
        kind.skips -= 1;
        return false;
      }
      const { name } = kind.params.tags;
      const isList = name === "category-page" || name === "batch";
      const most = isList ? listsCompletelyEvery : completelyEvery;
      kind.skips = Math.min(most - 1, Math.floor(kind.before / partBetween));
      kind.before += 1 + kind.skips;
      if (kind.skips === 0) return true;
      const now = Date.now();
      if (now - kind.checkedAt < leastMillisecondsBetween) return false;
      kind.checkedAt = now;
      return true;
    },
    /** The parameters of one request with its id, if it has one. */
    paramsOf({ params }: Kind, isComplete: boolean): Kind["params"] {
      sent += 1;
      if (!isTraced && (!isComplete || requestIdHeader === "")) return params;
      while (user.length < 16) user += "0123456789abcdef".charAt(Math.floor(Math.random() * 16));
      const id = requestId(requestIdHeader, user, sent, false);
      return { ...params, headers: { ...params.headers, [requestIdHeader]: id } };
    },
    /** What the quick check says of an expected response; undefined if it is left to the complete check. */
    accepted({ timed, quick }: Kind, call: LoadCall, response: Response): Page | true | undefined {
      if (response.status !== timed) return undefined;
      const { body } = response;
      const isShort = body !== null && body.length <= maxBodyBytes;
      return (isShort && quick(body, call, fieldNames)) || undefined;
    },
    /** Checks a response that the quick check did not accept. */
    check(kind: Kind, call: LoadCall, response: Response, more?: Omit<SendState, "sent">) {
      // Loaded at the first response that needs it: most virtual users never do.
      checker ??= onDemand().createResponseChecker(fieldNames, redaction, requestIdHeader, metrics, role);
      return checker(kind, call, response, { ...more, sent });
    },
  };
}

/** Seconds after a 429 that announces none: a limiter may have rounded them down. */
const leastWait = 0.2;

export type LoadClient = ReturnType<typeof createLoadClient>;

/** Sends for one virtual user, one after the other, checks the responses, and remembers the wait of a 429. */
export function createLoadClient(environment: Environment, listChecks?: ListChecks) {
  const { kindOf, isDue, paramsOf, accepted, check } = createSender(environment, listChecks);
  const { baseUrl } = environment.settings;

  function request({ path, body }: LoadCall, params: Kind["params"]): Response {
    return body === undefined ? http.get(baseUrl + path, params) : http.post(baseUrl + path, body, params);
  }

  const client = {
    /** The time (Unix milliseconds) until which nothing may be sent; 0 without a wait. */
    notBefore: 0,
    /** The page in the last response that `send` returned, if the quick check accepted it. */
    page: undefined as Page | undefined,
    /** Sends a request and checks the response. Returns a 200 response, otherwise undefined. */
    // Nearly every request of a run passes here, and k6 takes long to call a function.
    send(call: LoadCall): Response | undefined {
      const kind = kindOf(call.name);
      const isComplete = isDue(kind);
      const response = request(call, paramsOf(kind, isComplete));
      const found = isComplete ? undefined : accepted(kind, call, response);
      client.page = found === true ? undefined : found;
      if (found !== undefined) return kind.timed === 200 ? response : undefined;
      const again = (body = call.body) => request({ ...call, body }, paramsOf(kind, true));
      const { last, waitSeconds } = check(kind, call, response, { again });
      if (last.status === 429) client.notBefore = Date.now() + Math.max(leastWait, waitSeconds) * 1000;
      return last.status === 200 ? last : undefined;
    },
  };
  return client;
}

/** An iteration of lookups: one request at its scheduled time. */
export function lookups(environment: Environment, client: LoadClient): () => void {
  const { catalog, settings } = environment;
  // Not `client` itself: see createSender.
  const sender = client;
  const mix = lookupMix(catalog, settings.seed);
  const arrive = arrival(environment, "lookup");
  return guarded(environment.redaction, () => sendAndWait(sender, lookupCall(mix, arrive())));
}

/** An iteration of batches: one request at its scheduled time. */
export function batches(environment: Environment, client: LoadClient): () => void {
  const { catalog, settings } = environment;
  // Not `client` itself: see createSender.
  const sender = client;
  const arrive = arrival(environment, "batch");
  const batchAt = batchCalls(catalog, settings.seed);
  return guarded(environment.redaction, () => sendAndWait(sender, batchAt(arrive())));
}

const mostTries = 10;

/** After a 429, waits for Retry-After and sends again, so that every request gets its response. */
function sendAndWait(client: LoadClient, call: LoadCall): void {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const notBefore = client.notBefore;
    if (notBefore > 0 && !isWaitOver(notBefore)) break;
    client.send(call);
    if (client.notBefore === notBefore) return;
  }
  metrics.abandonedIterations(1);
}

/** Waits until a time (Unix milliseconds); false if that takes too long. */
export function isWaitOver(until: number): boolean {
  const wait = (until - Date.now()) / 1000;
  if (wait > patienceSeconds) return false;
  // All virtual users wait until the same time, so a random delay spreads their requests.
  if (wait > 0) sleep(wait + Math.random() * Math.min(1, wait));
  return true;
}
