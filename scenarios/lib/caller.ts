import { validators } from "virtual:validators";
import http, { type RefinedParams, type RefinedResponse } from "k6/http";
import { createAnswerRules } from "./answer-rules.ts";
import { type EndpointName, endpoints } from "./endpoints.ts";
import type { Environment } from "./environment.ts";
import { evidenceLine } from "./evidence-line.ts";
import { logWarning } from "./log.ts";
import { metrics } from "./metrics.ts";
import { readRetryAfter } from "./retry-after.ts";
import type { Call } from "./traffic.ts";

type Response = RefinedResponse<"text">;

/** Sends calls for one virtual user, judges the answers and keeps the waits that a 429 asked for. */
export interface Caller {
  /** Milliseconds (Unix) before which nothing may be sent; 0 when no wait is under way. */
  notBefore(): number;
  /** Sends; `validate` holds the answer against its schema. Undefined for an answer that is not of use. */
  send(call: Call, validate: boolean): Response | undefined;
  /** Sends without waiting for the answer, which is judged when it comes. */
  sendLater(call: Call, validate: boolean): Promise<Outcome>;
  /** Counts an answer that `send` did not validate and that turned out to be of no use. */
  reject(call: Call, flaw: string, response: Response): void;
}

/** What became of a request that was sent without waiting. */
export interface Outcome {
  readonly status: number;
  /** Seconds that a 429 told to wait, or 1 when it told none. */
  readonly waitSeconds: number;
}

/** Failing answers that one virtual user keeps as evidence; the runner caps the whole. */
const evidenceKept = 2;

export function createCaller({ settings, catalogue, profile }: Environment): Caller {
  const rules = createAnswerRules(validators, catalogue.dialect);
  const requestsOf = new Map<EndpointName, { params: RefinedParams<"text">; tags: { name: string } }>();
  let waitUntil = 0;
  let kept = 0;

  /** Made when an endpoint is first asked: most virtual users never need them all. */
  function requestOf(name: EndpointName) {
    const known = requestsOf.get(name);
    if (known !== undefined) return known;
    const headers = { Authorization: `Bearer ${settings.key}`, Accept: "application/json" };
    const tags = { name };
    const request = {
      tags,
      params: {
        headers: name === "batch" ? { ...headers, "Content-Type": "application/json" } : headers,
        tags,
        redirects: 0,
        responseType: "text",
        responseCallback: http.expectedStatuses(...endpoints[name].honest, 429),
        timeout: Math.ceil(profile.maxResponseSeconds * 1000 * 5),
      },
    } as const;
    requestsOf.set(name, request);
    return request;
  }

  /** Counts a 429 and returns the seconds to wait. */
  function refuse(response: Response): number {
    const told = readRetryAfter(response.headers["Retry-After"]);
    metrics.refusals.add(1);
    switch (told.kind) {
      case "seconds":
        metrics.retryAfter.add(told.seconds);
        return told.seconds;
      case "missing":
      case "malformed":
        metrics.refusalsMalformed.add(1);
        // Nobody said how long: a second is polite.
        return 1;
      default:
        return told satisfies never;
    }
  }

  function judge(call: Call, response: Response): void {
    const { status } = response;
    const answer = { status, text: response.body ?? "", parse: () => response.json() as unknown };
    count(call, response, rules.flaw(call.name, call.path, answer));
  }

  function count(call: Call, response: Response, flaw: string | undefined): void {
    const { tags } = requestOf(call.name);
    metrics.answersChecked.add(1, tags);
    metrics.answersInvalid.add(flaw !== undefined, tags);
    if (flaw !== undefined && kept < evidenceKept) {
      kept += 1;
      logWarning(
        evidenceLine(call, flaw, {
          status: response.status,
          contentType: response.headers["Content-Type"] ?? "",
          body: response.body ?? "",
          milliseconds: response.timings.duration,
        }),
      );
    }
  }

  /** Counts an answer of whatever kind. */
  function settle(call: Call, response: Response, validate: boolean): Outcome {
    const { status } = response;
    if (status === 0) {
      metrics.unanswered.add(1);
      return { status, waitSeconds: 0 };
    }
    const waitSeconds = status === 429 ? refuse(response) : 0;
    if (validate || status !== 200) judge(call, response);
    return { status, waitSeconds };
  }

  return {
    notBefore: () => waitUntil,
    send(call, validate) {
      const { params } = requestOf(call.name);
      const url = settings.baseUrl + call.path;
      const response = call.body === undefined ? http.get(url, params) : http.post(url, call.body, params);
      const { status, waitSeconds } = settle(call, response, validate);
      if (waitSeconds > 0) waitUntil = Math.max(waitUntil, Date.now() + waitSeconds * 1000);
      return status === 200 ? response : undefined;
    },
    async sendLater(call, validate) {
      const url = settings.baseUrl + call.path;
      const response = await http.asyncRequest("GET", url, null, requestOf(call.name).params);
      return settle(call, response, validate);
    },
    reject: (call, flaw, response) => count(call, response, flaw),
  };
}
