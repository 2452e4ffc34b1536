import { validators } from "virtual:validators";
import { sleep } from "k6";
import http, { type RefinedParams, type RefinedResponse } from "k6/http";
import { readRetryAfter, retryAfterHeader } from "../../schemas/api.ts";
import { requestId } from "../../schemas/request-id.ts";
import type { RequestKindId } from "../../schemas/scenarios.ts";
import type { Finding } from "../../schemas/types.ts";
import type { Environment } from "./environment.ts";
import { failureOf, isUndecodable, lostAt } from "./failures.ts";
import { evidenceLine, type LoggedIds, logWarning } from "./log.ts";
import { metrics } from "./metrics.ts";
import { createPeriods } from "./periods.ts";
import { createResponseRules, requestRules } from "./response-rules.ts";
import { totalSeconds } from "./schedule.ts";
import { headersWith, type LoadSettings } from "./settings.ts";
import { failedStatuses, statusesOnTheWay } from "./thresholds.ts";
import type { LoadCall } from "./traffic.ts";

type Response = RefinedResponse<"text">;

/** Sends requests for one virtual user, checks the responses, and remembers the wait that a 429 requires. */
export interface LoadClient {
  /** The time (Unix milliseconds) until which nothing may be sent; 0 without a wait. */
  notBefore(): number;
  /** Sends a request; `validate` checks the response against its schema. Returns a 200 response, otherwise undefined. */
  send(call: LoadCall, validate: boolean): Response | undefined;
  /** Sends without blocking; the response is checked when it arrives. */
  sendLater(call: LoadCall, validate: boolean): Promise<CallOutcome>;
  /** Checks a response that `send` did not check and that turned out to be unusable. */
  checkLater(call: LoadCall, response: Response): void;
}

/** The outcome of a request sent without blocking. */
export interface CallOutcome {
  readonly status: number;
  /** Seconds to wait after a 429; 1 if it does not say. */
  readonly waitSeconds: number;
}

/** What the requests of one kind share. */
interface Kind {
  readonly params: RefinedParams<"text">;
  readonly tags: { readonly name: RequestKindId };
  isChecked: boolean;
}

/** Whether k6 counts a status as a failed request. */
function isFailed(name: RequestKindId, status: number): boolean {
  const allowed: readonly number[] = requestRules[name].allowed;
  return status !== 429 && !allowed.includes(status);
}

/** Whether a request that was lost on the way may succeed a moment later. Other statuses depend on the request. */
function isPassing(status: number): boolean {
  return status === 0 || status >= 500;
}

/** The tag of a response in a count by status. */
function statusTag(status: number, known: readonly string[]): string {
  return known.find((one) => one === String(status)) ?? "other";
}

/** Share of the requests that may be sent again because they were lost on the way, and how many may be sent again in a row. */
const retryShare = 0.1;
const mostRetries = 3;
const retryPauseSeconds = 0.2;

/** Number of responses that one virtual user keeps as evidence; the runner limits the total. */
const evidenceKept = 2;

const hexadecimal = "0123456789abcdef";

/** 16 random hexadecimal digits, unique to a virtual user across processes. */
function newUser(): string {
  let digits = "";
  while (digits.length < 16) digits += hexadecimal.charAt(Math.floor(Math.random() * 16));
  return digits;
}

/** The ids by which a request and its response are found in the logs of the server. */
function idsOf(
  response: Response,
  { requestIdHeader, responseIdHeaders }: Pick<LoadSettings, "requestIdHeader" | "responseIdHeaders">,
): LoggedIds {
  const sent = Object.entries(response.request.headers ?? {}).find(
    ([name]) => requestIdHeader !== "" && name.toLowerCase() === requestIdHeader.toLowerCase(),
  );
  const received = Object.entries(response.headers).filter(([name]) =>
    responseIdHeaders.some((one) => one.toLowerCase() === name.toLowerCase()),
  );
  return {
    request: sent === undefined ? {} : { [requestIdHeader]: String(sent[1]) },
    response: Object.fromEntries(received),
  };
}

export function createLoadClient({ settings, catalogue, profile, redaction }: Environment): LoadClient {
  const rules = createResponseRules(validators, catalogue.dialect);
  const kinds = new Map<RequestKindId, Kind>();
  let waitUntil = 0;
  let kept = 0;
  let sent = 0;
  let retries = 1;
  const { requestIdHeader } = settings;
  const user = newUser();
  const periods = settings.runId === "" ? undefined : createPeriods(totalSeconds(profile.stages));

  /** Created at the first request of a kind: most virtual users do not need all of them. */
  function kindOf(name: RequestKindId): Kind {
    const known = kinds.get(name);
    if (known !== undefined) return known;
    const headers = headersWith(settings.key, settings);
    const tags = { name };
    const params = {
      headers: name === "batch" ? { ...headers, "Content-Type": "application/json" } : headers,
      tags,
      responseCallback: http.expectedStatuses(...requestRules[name].allowed, 429),
      timeout: Math.ceil(profile.maxResponseSeconds * 1000 * 5),
    };
    const kind = { params, tags, isChecked: false };
    kinds.set(name, kind);
    return kind;
  }

  /** The parameters of one request: those of its kind, and its own id. */
  function paramsOf({ params }: Kind): RefinedParams<"text"> {
    if (requestIdHeader === "") return params;
    sent += 1;
    return {
      ...params,
      headers: { ...params.headers, [requestIdHeader]: requestId(requestIdHeader, user, sent) },
    };
  }

  function request(kind: Kind, { path, body }: LoadCall): Response {
    const url = settings.baseUrl + path;
    return body === undefined ? http.get(url, paramsOf(kind)) : http.post(url, body, paramsOf(kind));
  }

  /** Counts a request that was lost on the way, and returns the seconds to wait. */
  function loseOnTheWay(kind: Kind, call: LoadCall, response: Response, gateway: string): number {
    const { status } = response;
    periods?.record(status, isFailed(call.name, status), response.timings.duration);
    metrics.onTheWay.add(1, {
      ...kind.tags,
      status: status === 0 ? gateway : statusTag(status, statusesOnTheWay),
    });
    if (status !== 0) keep(call, { code: "answered-on-the-way", subject: gateway, actual: status }, response);
    if (status !== 429) return 0;
    metrics.refusedOnTheWay.add(1, kind.tags);
    const wait = readRetryAfter(response.headers[retryAfterHeader]);
    return wait.kind === "seconds" ? wait.seconds : 1;
  }

  /** Counts a 429 and returns the seconds to wait. */
  function refuse(response: Response): number {
    const wait = readRetryAfter(response.headers[retryAfterHeader]);
    metrics.refusals.add(1);
    switch (wait.kind) {
      case "seconds":
        metrics.retryAfter.add(wait.seconds);
        return wait.seconds;
      case "missing":
      case "malformed":
        metrics.refusalsMalformed.add(1);
        // Without a number of seconds, one second is polite.
        return 1;
      default:
        return wait satisfies never;
    }
  }

  function count(kind: Kind, call: LoadCall, response: Response, finding: Finding | undefined): void {
    // In k6 a threshold on a share passes without samples, so a count is needed too. One per virtual user is enough.
    if (!kind.isChecked) metrics.checkingUsers.add(1, kind.tags);
    kind.isChecked = true;
    metrics.invalidResponses.add(finding !== undefined, kind.tags);
    if (finding !== undefined) keep(call, finding, response);
  }

  /** Logs a response as evidence, as long as this virtual user has room for it. */
  function keep(call: LoadCall, finding: Finding, response: Response): void {
    if (kept >= evidenceKept) return;
    kept += 1;
    const shown = {
      status: response.status,
      contentType: response.headers["Content-Type"] ?? "",
      body: response.body ?? "",
      milliseconds: response.timings.duration,
      ids: idsOf(response, settings),
    };
    logWarning(evidenceLine(call, finding, shown, redaction));
  }

  /** Counts a response of any status and returns the seconds to wait. */
  function settle(kind: Kind, call: LoadCall, response: Response, status: number, validate: boolean): number {
    periods?.record(status, isFailed(call.name, status), response.timings.duration);
    if (status === 0) {
      if (isUndecodable(response)) count(kind, call, response, { code: "undecodable-body" });
      else metrics.requestsWithoutResponse.add(1, { failure: failureOf(response) });
      return 0;
    }
    const waitSeconds = status === 429 ? refuse(response) : 0;
    if (isFailed(call.name, status))
      metrics.failedResponses.add(1, { status: statusTag(status, failedStatuses) });
    if (validate || status !== 200) {
      count(kind, call, response, rules.check(call.name, call.path, status, response));
    }
    return waitSeconds;
  }

  return {
    notBefore: () => waitUntil,
    send(call, validate) {
      const kind = kindOf(call.name);
      let response = request(kind, call);
      let gateway = lostAt(response);
      retries = Math.min(mostRetries, retries + retryShare);
      if (gateway !== undefined && isPassing(response.status) && retries >= 1) {
        retries -= 1;
        loseOnTheWay(kind, call, response, gateway);
        sleep(retryPauseSeconds);
        response = request(kind, call);
        gateway = lostAt(response);
      }
      const status = response.status;
      if (gateway !== undefined && status !== 429) metrics.lostOnTheWay.add(1);
      const waitSeconds =
        gateway === undefined
          ? settle(kind, call, response, status, validate)
          : loseOnTheWay(kind, call, response, gateway);
      if (waitSeconds > 0) waitUntil = Math.max(waitUntil, Date.now() + waitSeconds * 1000);
      return status === 200 ? response : undefined;
    },
    async sendLater(call, validate) {
      const kind = kindOf(call.name);
      const response = await http.asyncRequest("GET", settings.baseUrl + call.path, null, paramsOf(kind));
      const { status } = response;
      const gateway = lostAt(response);
      if (gateway === undefined)
        return { status, waitSeconds: settle(kind, call, response, status, validate) };
      if (status !== 429) metrics.lostOnTheWay.add(1);
      return { status, waitSeconds: loseOnTheWay(kind, call, response, gateway) };
    },
    checkLater: (call, response) =>
      count(kindOf(call.name), call, response, rules.check(call.name, call.path, response.status, response)),
  };
}
