import { onDemand } from "virtual:on-demand";
import http from "k6/http";
import { requestId, traceparentHeader } from "../../schemas/request-id.ts";
import type { RequestKindId } from "../../schemas/scenarios.ts";
import type { Environment } from "./environment.ts";
import { metrics } from "./metrics.ts";
import { type Page, type QuickChecks, single } from "./quick-check.ts";
import type { Kind, Response, ResponseChecker } from "./response-checker.ts";
import { requestRules } from "./response-rules.ts";
import { headersWith } from "./settings.ts";
import type { LoadCall } from "./traffic.ts";

/** Sends requests for one virtual user, checks the responses, and remembers the wait that a 429 requires. */
export interface LoadClient {
  /** The time (Unix milliseconds) until which nothing may be sent; 0 without a wait. */
  readonly notBefore: number;
  /** Sends a request and checks the response. Returns a 200 response, otherwise undefined. */
  send(call: LoadCall): Response | undefined;
  /** The page in the last response that `send` returned, if the quick check accepted it. */
  page(): Page | undefined;
  /** A request for k6's `http.batch`. */
  prepare(call: LoadCall): PreparedRequest;
  /** Checks and counts the response to a prepared request. The body is undefined if it is not JSON. */
  take(call: LoadCall, response: Response): { readonly status: number; readonly body: unknown };
  /** Sends a request once more, alone, without counting or checking the response. */
  repeat(call: LoadCall): Response;
  /** Sends without blocking; the response is checked when it arrives. */
  sendLater(call: LoadCall): Promise<CallOutcome>;
}

/** A request as `http.batch` takes it. */
export interface PreparedRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly body: string | null;
  readonly params: Kind["params"];
}

/** The outcome of a request sent without blocking. */
export interface CallOutcome {
  readonly status: number;
  /** Seconds to wait after a 429; 1 if it does not say. */
  readonly waitSeconds: number;
}

function jsonOf(response: Response): unknown {
  try {
    return response.json();
  } catch {
    return undefined;
  }
}

const hexadecimal = "0123456789abcdef";

/** 16 random hexadecimal digits, unique to a virtual user across processes. */
function newUser(): string {
  let digits = "";
  while (digits.length < 16) digits += hexadecimal.charAt(Math.floor(Math.random() * 16));
  return digits;
}

/**
 * The complete check takes many times as long as the quick one and a megabyte of a virtual user. So the first users apply it to
 * their first responses of each kind, and to one in so many later ones.
 */
/** As many as a short run has. */
const completeUsers = 50;
const firstResponses = 10;
const completelyEvery = 256;
/** Pages and batches, which have up to fifty products. */
const listsCompletelyEvery = 2048;

/** The HTTP client of one virtual user. It sends requests, waits after a 429, and counts and checks the responses. */
export function createLoadClient(
  environment: Environment,
  quickChecks: QuickChecks,
  key = environment.settings.key,
): LoadClient {
  const { settings, profile, catalog } = environment;
  const { fieldNames } = catalog;
  /** Each is created at its first request: most virtual users do not need all of them. */
  const kinds: Partial<Record<RequestKindId, Kind>> = {};
  let sent = 0;
  const { baseUrl, requestIdHeader } = settings;
  const user = newUser();
  /** Whether every request has an id: one in a header of its own is looked for, that of a trace only with evidence. */
  const isTraced = requestIdHeader !== "" && requestIdHeader.toLowerCase() !== traceparentHeader;
  let loaded: ResponseChecker | undefined;
  let page: Page | undefined;
  let isHttp2 = false;
  // The default of this virtual user, for kinds that expect only 200: k6 reads a callback in the parameters at each request.
  http.setResponseCallback(http.expectedStatuses(200, 429));

  /** Loaded at the first response that gets the complete check: most virtual users never need it. */
  function checker(): ResponseChecker {
    loaded ??= onDemand().createResponseChecker(environment, metrics);
    return loaded;
  }

  /** Creates a kind, and keeps it in `kinds`. */
  function createKind(name: RequestKindId): Kind {
    const headers = headersWith(key, settings);
    const { allowed, timed, body } = requestRules[name];
    const params: Kind["params"] = {
      headers: name === "batch" ? { ...headers, "Content-Type": "application/json" } : headers,
      tags: { name },
      timeout: Math.ceil(profile.maxResponseSeconds * 1000 * 5),
    };
    if (allowed.length > 1 || allowed[0] !== 200) {
      const expected = [429];
      // Not with `concat` or a spread: k6 would create 5 KB of its library for it in every virtual user.
      for (let place = 0; place < allowed.length; place += 1) expected.push(allowed[place] ?? 429);
      params.responseCallback = http.expectedStatuses.apply(undefined, expected);
    }
    const kind = {
      params,
      tags: { name },
      timed,
      quick: timed === 200 ? quickChecks[body] : single,
      completed: 0,
      skips: __VU <= completeUsers ? 0 : Number.POSITIVE_INFINITY,
    };
    kinds[name] = kind;
    return kind;
  }

  /** Whether the next response gets the complete check. */
  function isDue(kind: Kind): boolean {
    if (kind.skips > 0) {
      kind.skips -= 1;
      return false;
    }
    kind.completed += 1;
    if (kind.completed >= firstResponses) {
      const isList = kind.tags.name === "category-page" || kind.tags.name === "batch";
      kind.skips = (isList ? listsCompletelyEvery : completelyEvery) - 1;
    }
    return true;
  }

  /** The parameters of one request with its id, if it has one. */
  function paramsOf({ params }: Kind, isComplete: boolean): Kind["params"] {
    sent += 1;
    if (!isTraced && (!isComplete || requestIdHeader === "")) return params;
    const id = requestId(requestIdHeader, user, sent, false);
    return { ...params, headers: { ...params.headers, [requestIdHeader]: id } };
  }

  function request({ path, body }: LoadCall, params: Kind["params"]): Response {
    try {
      return body === undefined ? http.get(baseUrl + path, params) : http.post(baseUrl + path, body, params);
    } catch (error) {
      return onDemand().switchedResponse(error);
    }
  }

  /** Whether an expected response looks right to the quick check. */
  function isAccepted(kind: Kind, call: LoadCall, response: Response): boolean {
    const { body: text } = response;
    const found = text !== null && (kind.quick?.(text, call, fieldNames) ?? false);
    if (found === true || found === false) return found;
    page = found;
    return true;
  }

  function outcomeOf(kind: Kind, call: LoadCall, response: Response, isComplete: boolean): CallOutcome {
    const { status } = response;
    isHttp2 ||= response.proto === "HTTP/2.0";
    if (!isComplete && status === kind.timed && isAccepted(kind, call, response))
      return { status, waitSeconds: 0 };
    const { waitSeconds } = checker().check(kind, call, response, { sent, isShared: isHttp2 });
    return { status, waitSeconds };
  }

  // Without async functions, of which already the first costs every virtual user memory.
  const client = {
    notBefore: 0,
    page: () => page,
    prepare(call: LoadCall) {
      const kind = kinds[call.name] ?? createKind(call.name);
      return {
        method: call.body === undefined ? "GET" : "POST",
        url: baseUrl + call.path,
        body: call.body ?? null,
        // Which of them gets the complete check is decided when the responses are there.
        params: paramsOf(kind, true),
      } as const;
    },
    take(call: LoadCall, response: Response) {
      const kind = kinds[call.name] ?? createKind(call.name);
      const { status, waitSeconds } = outcomeOf(kind, call, response, isDue(kind));
      if (waitSeconds > 0) client.notBefore = Math.max(client.notBefore, Date.now() + waitSeconds * 1000);
      return { status, body: jsonOf(response) };
    },
    repeat(call: LoadCall) {
      const kind = kinds[call.name] ?? createKind(call.name);
      return request(call, { ...paramsOf(kind, true), tags: { name: "repeated" } });
    },
    // Nearly every request of a run passes here, and k6 takes long to call a function.
    send(call: LoadCall) {
      const kind = kinds[call.name] ?? createKind(call.name);
      const isComplete = isDue(kind);
      const response = request(call, isComplete || isTraced ? paramsOf(kind, isComplete) : kind.params);
      page = undefined;
      if (!isComplete && response.status === kind.timed && isAccepted(kind, call, response))
        return kind.timed === 200 ? response : undefined;
      const { last, waitSeconds } = checker().check(kind, call, response, {
        sent,
        again: () => request(call, paramsOf(kind, true)),
      });
      if (waitSeconds > 0) client.notBefore = Math.max(client.notBefore, Date.now() + waitSeconds * 1000);
      return last.status === 200 ? last : undefined;
    },
    sendLater(call: LoadCall) {
      const kind = kinds[call.name] ?? createKind(call.name);
      const isComplete = isDue(kind);
      return http
        .asyncRequest("GET", baseUrl + call.path, null, paramsOf(kind, isComplete))
        .catch((error: unknown) => onDemand().switchedResponse(error))
        .then((response) => outcomeOf(kind, call, response, isComplete));
    },
  };
  return client;
}
