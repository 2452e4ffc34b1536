import { sleep } from "k6";
import type { RefinedParams, RefinedResponse } from "k6/http";
import { retryAfterHeader, retryAfterSeconds } from "../../schemas/api.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Tenant } from "../../schemas/contracts/load-fixtures.ts";
import type { FieldNames } from "../../schemas/contracts/product.ts";
import type { RequestKindId } from "../../schemas/scenarios.ts";
import {
  failedStatuses,
  failureOf,
  isUndecodable,
  lostAt,
  statusesOnTheWay,
  strangerIn,
} from "./failures.ts";
import { evidenceLine, log } from "./log.ts";
import type { metrics as Metrics } from "./metrics.ts";
import { fewestLost, type QuickCheck } from "./quick-check.ts";
import { allowedOf, createResponseRules } from "./response-rules.ts";
import type { Environment } from "./script.ts";
import type { LoadCall } from "./traffic.ts";

export type Response = RefinedResponse<"text">;

/** What the requests of one kind share. */
export interface Kind {
  readonly params: RefinedParams<"text"> & {
    readonly headers: Record<string, string>;
    readonly timeout: number;
    readonly tags: { readonly name: RequestKindId };
  };
  /** The status of the expected response. */
  readonly timed: number;
  readonly quick: QuickCheck;
  /** Responses before the next one that may get the complete check: of all, and of those still to come. */
  before: number;
  skips: number;
  /** When the last one of those was (Unix milliseconds); 0 for the first ones, which have no distance. */
  checkedAt: number;
}

type Again = (body?: string) => Response;

export interface SendState {
  /** Number of requests that the virtual user has sent. */
  readonly sent: number;
  /** Sends the request again, or another batch; without it, a request that was lost on the way stays lost. */
  readonly again?: Again;
  /** Whether other requests shared its HTTP/2 connection. Default: false */
  readonly isShared?: boolean;
}

/** Whether k6 counts a status as a failed request. */
function isFailed(name: RequestKindId, status: number): boolean {
  const allowed: readonly number[] = allowedOf(name);
  return status !== 429 && !allowed.includes(status);
}

/** The tag of a response in a count by status. */
function statusTag(status: number, known: readonly string[]): string {
  return known.find((one) => one === String(status)) ?? "other";
}

/** Numbers beyond a double, which JSON allows and k6 cannot parse. */
const huge = /([:[,]\s*-?)\d[\d.]*[eE]\+?\d{3,}/g;

function jsonOf(response: Response): unknown {
  try {
    return response.json();
  } catch {
    return JSON.parse((response.body ?? "").replace(huge, "$11e308"));
  }
}

const readable = (response: Response) => ({ ...response, json: () => jsonOf(response) });

/** Of a batch result that the rules let pass. */
type Counters = Readonly<Record<"found" | "not_found" | "other_errors", number>>;

/**
 * The finding on a list without the retailer of a product that can be looked up. If the list lacks it again,
 * it may have been withdrawn; but not all of them.
 */
function unlisted({ name, sought = "" }: LoadCall, list: Response, again?: Again): Finding | undefined {
  const lacks = ({ status, body }: Response) => status === 200 && !(body ?? "").includes(sought);
  if (name !== "retailers" || !lacks(list)) return undefined;
  const isEmpty = !(list.body ?? "").includes('"slug"');
  if (!isEmpty && (again === undefined || lacks(again()))) return undefined;
  return { code: "retailer-not-listed", path: "/retailers", subject: JSON.parse(sought) as string };
}

/** Whether a right batch result has errors of the service for all items. */
function isUnserved(result: Response): boolean {
  const { meta } = jsonOf(result) as { meta: Counters & { total: number } };
  return meta.other_errors > 0 && meta.total === meta.other_errors;
}

/** Share of the requests that may be sent again because they were lost, and how many in a row. */
const retryShare = 0.1;
const mostRetries = 3;
const retryPauseSeconds = 0.2;

/** Number of responses that one virtual user keeps as evidence; the runner limits the total. */
const evidenceKept = 2;

/** Checks some responses of one virtual user completely, counts what is wrong, and keeps some as evidence. */
export function createResponseChecker(
  fieldNames: FieldNames,
  redaction: Environment["redaction"],
  requestIdHeader: string,
  metrics: typeof Metrics,
  key: Tenant["key"],
) {
  const rules = createResponseRules(fieldNames);
  let kept = 0;
  /** How many may be sent again now, and the number of requests sent when they were earned. */
  let retries = 1;
  let retriesEarnedAt = 0;

  /** Counts a request that was lost on the way. */
  function loseOnTheWay(kind: Kind, call: LoadCall, response: Response, place: string): void {
    const { status } = response;
    metrics.onTheWay(1, {
      ...kind.params.tags,
      status: status === 0 ? place : statusTag(status, statusesOnTheWay),
    });
    if (status !== 0) keep(call, { code: "answered-on-the-way", actual: status }, response);
  }

  /** Counts a 429 and returns the seconds to wait. */
  function refuse({ params }: Kind, response: Response): number {
    const seconds = retryAfterSeconds(response.headers[retryAfterHeader]);
    metrics.refusals(1, params.tags);
    if (seconds !== undefined) {
      metrics.retryAfter(seconds);
      return seconds;
    }
    metrics.refusalsMalformed(1);
    // Without a number of seconds, one second is polite.
    return 1;
  }

  /** The finding on items that a batch did not find, and that are found when they are sent again at once. */
  function lostItems(call: LoadCall, batch: Response, again?: Again): Finding | undefined {
    if (call.name !== "batch" || batch.status !== 200 || again === undefined || retries < 1) return undefined;
    const { errors, meta } = jsonOf(batch) as { errors: object[]; meta: Counters };
    // Other errors may pass, such as that of an item for which the catalog timed out.
    if (meta.not_found < fewestLost || meta.other_errors > 0) return undefined;
    const { batchRequestField: field = "" } = fieldNames;
    const names = [field, "retailer", "product_id"];
    const body = JSON.stringify(field === "" ? errors : { [field]: errors }, names);
    retries -= 1;
    const second = again(body);
    const isRight = second.status === 200 && rules.check({ ...call, body }, readable(second)) === undefined;
    const found = isRight ? (jsonOf(second) as { meta: Counters }).meta.found : 0;
    if (found < fewestLost) return undefined;
    return { code: "items-lost", path: "/errors", expected: meta.not_found, actual: found };
  }

  function record(kind: Kind, call: LoadCall, response: Response, finding: Finding | undefined): void {
    // A right 429 says nothing of the responses to accepted requests, of which a share is wrong.
    if (response.status === 429 && finding === undefined) return;
    // Of those that k6 counts as not failed, the number of checked ones is known without a count.
    const { tags } = kind.params;
    const failed = isFailed(call.name, response.status);
    metrics.completeChecks(1, failed ? { ...tags, failed: "true" } : tags);
    if (finding === undefined) return;
    metrics.invalidResponses(1, tags);
    if (response.status === 429) metrics.refusalsInvalid(1, tags);
    keep(call, finding, response);
  }

  /** Logs a response as evidence, as long as this virtual user has room for it. */
  function keep(call: LoadCall, finding: Finding, response: Response): void {
    if (kept >= evidenceKept) return;
    kept += 1;
    const from = strangerIn(response);
    const shown = from === undefined ? finding : { ...finding, from };
    log.warn(evidenceLine(shown, { call, response, key }, { redaction: redaction(), requestIdHeader }));
  }

  /** Counts a response of the service, of any status, and returns the seconds to wait. */
  function take(kind: Kind, call: LoadCall, response: Response, again?: Again): number {
    const { status } = response;
    if (status === 0) {
      if (isUndecodable(response)) record(kind, call, response, { code: "undecodable-body" });
      else metrics.requestsWithoutResponse(1, { failure: failureOf(response) });
      return 0;
    }
    const waitSeconds = status === 429 ? refuse(kind, response) : 0;
    const isWrong = isFailed(call.name, status);
    // Before the check and its evidence, in which the end of a run on a busy machine interrupts many users.
    if (isWrong) metrics.failedResponses(1, { status: statusTag(status, failedStatuses) });
    const received = readable(response);
    const invalid =
      rules.check(call, received) ?? unlisted(call, response, again) ?? lostItems(call, response, again);
    record(kind, call, response, invalid);
    if (call.name === "batch" && status === 200 && invalid === undefined && isUnserved(response))
      metrics.batchesUnserved(1);
    if (isWrong && invalid === undefined) {
      const expected = [...allowedOf(call.name)];
      keep(call, { code: "wrong-status", expected, actual: status }, response);
    }
    return waitSeconds;
  }

  /** Returns the last response to the request, and the seconds to wait before the next one; 0 for none. */
  return (kind: Kind, call: LoadCall, response: Response, { sent, again, isShared = false }: SendState) => {
    let last = response;
    let place = lostAt(last, isShared ? kind.params.timeout : 0);
    retries = Math.min(mostRetries, retries + retryShare * (sent - retriesEarnedAt));
    retriesEarnedAt = sent;
    // A lost request may succeed a moment later; other statuses depend on the request.
    const mayPass = last.status === 0 || last.status >= 500;
    if (again !== undefined && place !== undefined && mayPass && retries >= 1) {
      retries -= 1;
      loseOnTheWay(kind, call, last, place);
      sleep(retryPauseSeconds);
      last = again();
      place = lostAt(last);
    }
    if (place === undefined) return { last, waitSeconds: take(kind, call, last, again) };
    metrics.lostOnTheWay(1);
    loseOnTheWay(kind, call, last, place);
    return { last, waitSeconds: 0 };
  };
}
