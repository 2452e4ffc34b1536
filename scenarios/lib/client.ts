import { onDemand } from "virtual:on-demand";
import http, { type RefinedParams } from "k6/http";
import { requestId } from "../../schemas/request-id.ts";
import type { RequestKindId } from "../../schemas/scenarios.ts";
import type { QuickChecks } from "./bodies.ts";
import type { Environment } from "./environment.ts";
import { metrics } from "./metrics.ts";
import { isPlainlyError, type Page, type ParseJson, type ParsingResponse, parserOf } from "./quick-check.ts";
import type { Kind, Response, ResponseChecker } from "./response-checker.ts";
import { requestRules } from "./response-rules.ts";
import { headersWith } from "./settings.ts";
import type { LoadCall } from "./traffic.ts";

/** Sends requests for one virtual user, checks the responses, and remembers the wait that a 429 requires. */
export interface LoadClient {
  /** The time (Unix milliseconds) until which nothing may be sent; 0 without a wait. */
  readonly notBefore: number;
  /**
   * Sends a request and checks the response: completely the first ones of a virtual user that has the complete check, and now and
   * then one later. Returns a 200 response, otherwise undefined.
   */
  send(call: LoadCall): Response | undefined;
  /** The page in the last response that `send` returned, if that is valid beyond doubt. */
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
 * The complete check takes many times as long as the quick one and a megabyte of a virtual user. So a few users apply it to
 * their first responses, and those that have it to one in so many later ones.
 */
const completeUsers = 20;
const firstResponses = 4;
const completelyEvery = 1024;

/** The HTTP client of one virtual user. It sends requests, waits after a 429, and counts and checks the responses. */
export function createLoadClient(
  environment: Environment,
  quickChecks: QuickChecks,
  key = environment.settings.key,
): LoadClient {
  const { settings, profile, catalog } = environment;
  /** Each is created at its first request: most virtual users do not need all of them. */
  const kinds: Partial<Record<RequestKindId, Kind>> = {};
  let sent = 0;
  const { baseUrl, requestIdHeader } = settings;
  const user = newUser();
  let loaded: ResponseChecker | undefined;
  let parse: ParseJson | undefined;
  let page: Page | undefined;
  /** The last body that was parsed. */
  let parsed: unknown;
  let isHttp2 = false;
  // The default of this virtual user, for kinds that expect only 200: k6 reads a callback in the parameters at each request.
  http.setResponseCallback(http.expectedStatuses(200, 429));

  /** Loaded at the first response that is not plainly right: most virtual users never need it. */
  function checker(): ResponseChecker {
    loaded ??= onDemand().createResponseChecker(environment, { metrics, count });
    return loaded;
  }

  function keeping(inner: ParseJson): ParseJson {
    return (text) => {
      parsed = inner(text);
      return parsed;
    };
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
      body,
      isById: name === "lookup-by-id",
      showsGtin: name === "lookup-by-gtin" && catalog.fieldNames.gtin !== undefined,
      isChecked: false,
    };
    kinds[name] = kind;
    return kind;
  }

  /** The parameters of one request: those of its kind, and its own id. k6 reads them before the next request changes them. */
  function paramsOf({ params }: Kind): RefinedParams<"text"> {
    sent += 1;
    if (requestIdHeader !== "")
      params.headers[requestIdHeader] = requestId(requestIdHeader, user, sent, false);
    return params;
  }

  function request(kind: Kind, { path, query = "", body }: LoadCall): Response {
    try {
      return body === undefined
        ? http.get(baseUrl + path + query, paramsOf(kind))
        : http.post(baseUrl + path, body, paramsOf(kind));
    } catch (error) {
      return onDemand().switchedResponse(error);
    }
  }

  /** Counts a response that was checked. */
  function count(kind: Kind, isInvalid: boolean): void {
    // In k6 a threshold on a share passes without samples, so a count is needed too. One per virtual user is enough.
    if (!kind.isChecked) {
      kind.isChecked = true;
      metrics.checkingUsers.add(1, kind.tags);
    }
    metrics.invalidResponses.add(isInvalid, kind.tags);
  }

  /** Whether a response is certainly the right one. Anything else goes to the response checker. */
  function isPlain(kind: Kind, call: LoadCall, response: Response, status: number): boolean {
    if (status !== kind.timed) return false;
    const { body: text } = response;
    parse ??= keeping(parserOf(response as ParsingResponse));
    if (text === null) return false;
    if (status !== 200) return isPlainlyError(parse, text, status);
    const found = quickChecks[kind.body]?.(parse, text, call, kind, catalog.fieldNames) ?? false;
    if (typeof found === "boolean") return found;
    page = found;
    return true;
  }

  function outcomeOf(kind: Kind, call: LoadCall, response: Response): CallOutcome {
    const { status } = response;
    isHttp2 ||= response.proto === "HTTP/2.0";
    if (isPlain(kind, call, response, status)) {
      count(kind, false);
      return { status, waitSeconds: 0 };
    }
    return {
      status,
      waitSeconds: checker().check(kind, call, response, { sent, isShared: isHttp2 }).waitSeconds,
    };
  }

  // Without async functions, of which already the first costs every virtual user memory.
  const client = {
    notBefore: 0,
    page: () => page,
    prepare(call: LoadCall) {
      const kind = kinds[call.name] ?? createKind(call.name);
      const params = paramsOf(kind) as Kind["params"];
      return {
        method: call.body === undefined ? "GET" : "POST",
        url: baseUrl + call.path,
        body: call.body ?? null,
        params: { ...params, headers: { ...params.headers } },
      } as const;
    },
    take(call: LoadCall, response: Response) {
      const kind = kinds[call.name] ?? createKind(call.name);
      parsed = undefined;
      const { status, waitSeconds } = outcomeOf(kind, call, response);
      if (waitSeconds > 0) client.notBefore = Math.max(client.notBefore, Date.now() + waitSeconds * 1000);
      return { status, body: parsed ?? jsonOf(response) };
    },
    repeat(call: LoadCall) {
      const kind = kinds[call.name] ?? createKind(call.name);
      return request({ ...kind, params: { ...kind.params, tags: { name: "repeated" } } }, call);
    },
    send(call: LoadCall) {
      const kind = kinds[call.name] ?? createKind(call.name);
      const response = request(kind, call);
      const { status } = response;
      page = undefined;
      const isOfTheFirst = __VU <= completeUsers && sent <= firstResponses;
      const isComplete = isOfTheFirst || (loaded !== undefined && sent % completelyEvery === 0);
      if (!isComplete && isPlain(kind, call, response, status)) {
        count(kind, false);
        return status === 200 ? response : undefined;
      }
      const { last, waitSeconds } = checker().check(kind, call, response, {
        sent,
        again: () => request(kind, call),
      });
      if (waitSeconds > 0) client.notBefore = Math.max(client.notBefore, Date.now() + waitSeconds * 1000);
      return last.status === 200 ? last : undefined;
    },
    sendLater(call: LoadCall) {
      const kind = kinds[call.name] ?? createKind(call.name);
      return http
        .asyncRequest("GET", baseUrl + call.path + (call.query ?? ""), null, paramsOf(kind))
        .catch((error: unknown) => onDemand().switchedResponse(error))
        .then((response) => outcomeOf(kind, call, response));
    },
  };
  return client;
}
