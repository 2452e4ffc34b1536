import type { Finding } from "../../schemas/types.ts";
import type { Exchange } from "./exchange.ts";
import { byId, type Request, retailers } from "./requests.ts";
import type { TransportError } from "./transport-error.ts";

/** Tells a target that is down from one that loses some requests, or hangs on one endpoint. */
export interface Liveness {
  /** A whole response came. */
  answered(request: Request, exchange: Pick<Exchange, "response">): void;
  /** None came. */
  failed(request: Request, error: TransportError): void;
  /** A limit that cannot be waited for within this run. */
  limited(finding: Finding): void;
  /** Why nothing more is to be asked, once that is certain. */
  gone(): Finding | undefined;
  /** Why nothing more is to be asked of this endpoint. */
  stopped(request: Request): Finding | undefined;
  /** A request that shows whether the target is down or only the endpoint that failed; once for each row of failures. */
  doubt(): Request | undefined;
}

const failuresInARow = 3;
const refusalsInARow = 8;
// A deployment answers 503 for a moment, and checks that run side by side meet it together.
const leastRefusedMilliseconds = 3000;
// Each silence costs the whole timeout, so not all of a run is spent on an endpoint that hangs.
const silencesInARow = 4;

/** Failures of one kind without a sign of life in between. */
interface Row {
  count: number;
  readonly since: number;
  readonly endpoints: Set<Request["endpoint"]>;
  doubted: boolean;
}

/** Watches what becomes of the requests of a run. `now` in milliseconds since 1970. */
export function watchLiveness(now: () => number): Liveness {
  let failures: Row | undefined;
  let refusals: Row | undefined;
  const silences = new Map<Request["endpoint"], number>();
  let known: Finding | undefined;

  function extended(row: Row | undefined, { endpoint }: Request): Row {
    const longer = row ?? { count: 0, since: now(), endpoints: new Set(), doubted: false };
    longer.count++;
    longer.endpoints.add(endpoint);
    return longer;
  }

  return {
    answered(request, { response: { status } }) {
      failures = undefined;
      silences.delete(request.endpoint);
      // A gateway may reject what carries no key while all behind it is down.
      if (request.caller === "nobody") return;
      if (!isUnavailable(status)) {
        refusals = undefined;
        return;
      }
      refusals = extended(refusals, request);
      const { count, since, endpoints } = refusals;
      if (count < refusalsInARow || endpoints.size < 2 || now() - since < leastRefusedMilliseconds) return;
      known ??= {
        code: "target-unavailable",
        actual: status,
        seen: { count, of: "requests" },
        details: { since: new Date(since).toISOString() },
      };
    },
    failed(request, error) {
      failures = extended(failures, request);
      if (error.failure === "silent")
        silences.set(request.endpoint, (silences.get(request.endpoint) ?? 0) + 1);
      if (failures.count < failuresInARow) return;
      if (failures.endpoints.size < 2 && !concernsHost(error)) return;
      known ??= { code: "target-stopped", subject: error.failure, details: { url: error.url } };
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
      if (known !== undefined) return undefined;
      for (const [row, least] of [
        [failures, failuresInARow],
        [refusals, refusalsInARow],
      ] as const) {
        if (row === undefined || row.doubted || row.count < least || row.endpoints.size > 1) continue;
        row.doubted = true;
        return row.endpoints.has("retailers") ? anyProduct : retailers();
      }
      return undefined;
    },
  };
}

// Any answer to it is one, also that there is no such retailer.
const anyProduct = byId("no-such-retailer", "0");

/** 500 is an answer of the service itself, which checks and rules judge. */
function isUnavailable(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}

/** Failures in which no endpoint has a part. */
function concernsHost({ failure }: TransportError): boolean {
  switch (failure) {
    case "refused":
    case "unknown host":
    case "unreachable":
    case "TLS":
    case "proxy":
      return true;
    case "silent":
    case "reset":
    case "too big":
    case "headers too big":
    case "not HTTP":
    case "undecodable":
      return false;
    default:
      return failure satisfies never;
  }
}
