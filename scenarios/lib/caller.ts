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
  /** Counts an answer that `send` did not validate and that turned out to be of no use. */
  reject(call: Call, flaw: string, response: Response): void;
}

/** Failing answers that one virtual user keeps as evidence; the runner caps the whole. */
const evidenceKept = 2;

export function createCaller({ settings, catalogue, profile }: Environment): Caller {
  const rules = createAnswerRules(validators, catalogue.dialect);
  const paramsOf = new Map<EndpointName, RefinedParams<"text">>();
  const tagsOf = new Map<EndpointName, { name: string }>();
  let waitUntil = 0;
  let kept = 0;

  for (const name of Object.keys(endpoints) as EndpointName[]) {
    tagsOf.set(name, { name });
    paramsOf.set(name, {
      headers: {
        Authorization: `Bearer ${settings.key}`,
        Accept: "application/json",
        ...(name === "batch" ? { "Content-Type": "application/json" } : {}),
      },
      tags: { name },
      redirects: 0,
      responseType: "text",
      responseCallback: http.expectedStatuses(...endpoints[name].honest, 429),
      timeout: Math.ceil(profile.maxResponseSeconds * 1000 * 5),
    });
  }

  function refuse(response: Response): void {
    const told = readRetryAfter(response.headers["Retry-After"]);
    metrics.refusals.add(1);
    switch (told.kind) {
      case "seconds":
        metrics.retryAfter.add(told.seconds);
        waitUntil = Math.max(waitUntil, Date.now() + told.seconds * 1000);
        return;
      case "missing":
      case "malformed":
        metrics.refusalsMalformed.add(1);
        // Nobody said how long: a second is polite.
        waitUntil = Math.max(waitUntil, Date.now() + 1000);
        return;
      default:
        told satisfies never;
    }
  }

  function judge(call: Call, response: Response): void {
    const { status } = response;
    const answer = { status, text: response.body ?? "", parse: () => response.json() as unknown };
    count(call, response, rules.flaw(call.name, call.path, answer));
  }

  function count(call: Call, response: Response, flaw: string | undefined): void {
    const tags = tagsOf.get(call.name);
    metrics.answersChecked.add(1, tags);
    metrics.answersInvalid.add(flaw !== undefined, tags);
    if (flaw !== undefined && kept < evidenceKept) {
      kept += 1;
      logWarning(evidenceLine(call, flaw, response.status, response.body ?? ""));
    }
  }

  return {
    notBefore: () => waitUntil,
    send(call, validate) {
      const params = paramsOf.get(call.name);
      const url = settings.baseUrl + call.path;
      const response = call.body === undefined ? http.get(url, params) : http.post(url, call.body, params);
      const { status } = response;
      if (status === 0) {
        metrics.unanswered.add(1);
        return undefined;
      }
      if (status === 429) refuse(response);
      if (validate || status !== 200) judge(call, response);
      return status === 200 ? response : undefined;
    },
    reject: (call, flaw, response) => count(call, response, flaw),
  };
}
