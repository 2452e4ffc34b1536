import { validators } from "virtual:validators";
import { sleep } from "k6";
import http from "k6/http";
import { Gauge } from "k6/metrics";
import { readRetryAfter } from "../../schemas/api.ts";
import type { Redaction } from "../../schemas/redaction.ts";
import { requireTarget, type Settings } from "./settings.ts";

/** 1 when the target answered after the run, 0 when it was gone. */
const answeredAfter = new Gauge("target_answered_after");

const tries = 5;
const longestWaitSeconds = 30;

/**
 * Asks the target once before the run, and throws when there is nothing to measure: k6 would carry on and
 * exit with 0. Nothing is returned, since k6 writes what setup returns into the summary.
 */
export function preflight(settings: Settings, { redact }: Redaction): void {
  requireTarget(settings);
  const response = ask(settings);
  const where = `${settings.baseUrl}/retailers`;
  if (response.status === 0)
    throw new Error(redact(`target gone: no answer from ${where}: ${response.error}`));
  if (response.status === 401 || response.status === 403) {
    throw new Error(`key refused: ${where} answered ${response.status}; check SHELFCHECK_API_KEY`);
  }
  if (response.status !== 200 || !isRetailers(response)) {
    throw new Error(
      `not the service: ${where} answered ${response.status} without a list of retailers; check the base URL and its /v1`,
    );
  }
}

const barrierMilliseconds = 120_000;

/** Waits until every process that shares the run is ready. */
export function awaitOthers({ barrier }: Settings): void {
  if (barrier === "") return;
  const { status } = http.get(barrier, { tags: { name: "barrier" }, timeout: barrierMilliseconds });
  if (status !== 204) throw new Error("the other shards did not come: SHELFCHECK_BARRIER gave no answer");
}

/** Asks once more after the run: a target that died on the way must not look like one that was slow. */
export function farewell(settings: Settings): void {
  answeredAfter.add(ask(settings).status === 0 ? 0 : 1);
}

function ask({ baseUrl, key }: Settings) {
  const params = {
    headers: { Authorization: `Bearer ${key}`, Accept: "application/json" },
    tags: { name: "preflight" },
    redirects: 0,
    timeout: 10_000,
    responseCallback: http.expectedStatuses({ min: 200, max: 599 }),
  };
  let response = http.get(`${baseUrl}/retailers`, params);
  for (let done = 1; done < tries && [429, 502, 504].includes(response.status); done += 1) {
    const told = readRetryAfter(response.headers["Retry-After"]);
    sleep(Math.min(longestWaitSeconds, told.kind === "seconds" ? told.seconds : 1));
    response = http.get(`${baseUrl}/retailers`, params);
  }
  return response;
}

function isRetailers(response: { json(): unknown }): boolean {
  try {
    return validators.retailers(response.json());
  } catch {
    return false;
  }
}
