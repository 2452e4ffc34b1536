import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Exchange } from "./exchange.ts";
import { fromOf } from "./from.ts";
import { byId, type Request, retailers } from "./requests.ts";
import type { TransportError } from "./transport-error.ts";

/** Distinguishes a target that is down from one that loses some requests or hangs on one endpoint. */
export interface Liveness {
  /** Records a complete response. */
  responded(request: Request, exchange: Exchange): void;
  /** Records a request without a complete response. In a burst, a time-out is not counted against its endpoint. */
  failed(request: Request, error: TransportError, isBurst?: boolean): void;
  /** Records a rate limit that cannot be waited for within this run. */
  limited(finding: Finding): void;
  /** Why no more requests are sent to the target, once that is certain. */
  gone(): Finding | undefined;
  /** Why no more requests are sent to this endpoint. */
  stopped(request: Request): Finding | undefined;
  /** A control request to send now, which shows whether the target is down; at most two in a series of failures. */
  doubt(): Request | undefined;
  /** A control request to send before the run ends, when its last request failed. */
  lastDoubt(): Request | undefined;
  confirm(): void;
}

const failuresInARow = 3;
const refusalsInARow = 8;
// During a deployment a service may return 503 for a moment, and concurrent checks see it at the same time.
const leastRefusedMilliseconds = 3000;
// Each time-out takes its full time, so a run does not wait for a hanging endpoint forever.
const silencesInARow = 4;

// A target that loses 1 request in 50 also loses a control request now and then.
const controlsThatDecide = 2;

/** A series of failures of one kind without a success in between. */
interface FailureRow {
  count: number;
  readonly since: number;
  readonly endpoints: Set<Request["endpoint"]>;
  control?: Request;
  /** Control requests that were sent because of it. */
  controls: number;
  failedControls: number;
}

/** Watches the outcomes of a run's requests. `now` in milliseconds since 1970. */
export function watchLiveness(now: () => number): Liveness {
  let failures: FailureRow | undefined;
  let refusals: FailureRow | undefined;
  const silences = new Map<Request["endpoint"], number>();
  let refusal: Finding | undefined;
  let failure: Finding | undefined;
  let known: Finding | undefined;

  function extended(row: FailureRow | undefined, { endpoint }: Request): FailureRow {
    const longer = row ?? { count: 0, since: now(), endpoints: new Set(), controls: 0, failedControls: 0 };
    longer.count++;
    longer.endpoints.add(endpoint);
    return longer;
  }

  return {
    responded(request, exchange) {
      const { status } = exchange.response;
      failures = undefined;
      silences.delete(request.endpoint);
      // A gateway may reject a request without a key even while everything behind it is down.
      if (request.caller === "nobody") return;
      // A 5xx may be caused by one malformed request alone: the control request decides.
      if (status < 500 && status !== 408) {
        refusals = undefined;
        return;
      }
      refusals = extended(refusals, request);
      const { count, since } = refusals;
      const from = fromOf(exchange);
      refusal = {
        code: "target-unavailable",
        actual: status,
        seen: { count, of: "requests" },
        details: { since: new Date(since).toISOString() },
        from,
      };
      if (controls.includes(request) && count > refusalsInARow) known ??= refusal;
    },
    failed(request, error, isBurst = false) {
      failures = extended(failures, request);
      if (error.failure === "silent" && !isBurst)
        silences.set(request.endpoint, (silences.get(request.endpoint) ?? 0) + 1);
      failure = { code: "no-answer", subject: error.failure, details: { url: error.url } };
      if (failures.count < failuresInARow) return;
      if (controls.includes(request)) failures.failedControls++;
      if (failures.failedControls >= controlsThatDecide || concernsHost(error)) known ??= failure;
    },
    limited(finding) {
      known ??= finding;
    },
    gone: () => known,
    stopped({ endpoint }) {
      const count = silences.get(endpoint) ?? 0;
      if (count < silencesInARow) return undefined;
      return { code: "endpoint-silent", endpoint, seen: { count, of: "requests" } };
    },
    doubt() {
      const isDue =
        isDoubtful(failures, failuresInARow, controlsThatDecide) ||
        (isDoubtful(refusals, refusalsInARow, 1) && now() - refusals.since >= leastRefusedMilliseconds);
      if (known !== undefined || !isDue) return undefined;
      const row = isDoubtful(failures, failuresInARow, controlsThatDecide) ? failures : refusals;
      if (row === undefined) return undefined;
      row.controls++;
      return controlFor(row);
    },
    lastDoubt() {
      const row = failures ?? refusals;
      return known === undefined && row !== undefined ? controlFor(row) : undefined;
    },
    confirm() {
      known ??= failures === undefined ? refusal : failure;
    },
  };
}

/** The same for each doubt of a series: what failed before the first one decides. */
function controlFor(row: FailureRow): Request {
  const { endpoints } = row;
  row.control ??= endpoints.has("retailers") && endpoints.size === 1 ? anyProduct : anyRetailers;
  return row.control;
}

function isDoubtful(row: FailureRow | undefined, least: number, controls: number): row is FailureRow {
  return row !== undefined && row.controls < controls && row.count >= least;
}

const anyRetailers = retailers();
// Any response will do, also one that says that the retailer does not exist.
export const anyProduct = byId("no-such-retailer", "0");
const controls: readonly Request[] = [anyRetailers, anyProduct];

/** Whether a failure concerns the host as a whole and will not go away by retrying. */
export function concernsHost({ failure }: TransportError): boolean {
  switch (failure) {
    case "refused":
    case "unknown host":
    case "unreachable":
    case "no free port":
    case "TLS":
    case "not TLS":
    case "needs TLS":
    case "certificate expired":
    case "certificate not yet valid":
    case "certificate for another name":
    case "certificate self-signed":
    case "certificate of an unknown authority":
    case "client certificate":
    case "closed after TLS":
    case "proxy":
      return true;
    case "open files":
    case "silent":
    case "reset":
    case "too big":
    case "headers too big":
    case "not HTTP":
    case "body length":
    case "chunks":
    case "undecodable":
      return false;
    default:
      return failure satisfies never;
  }
}
