import { evidenceOf } from "../conformance/client/evidence.ts";
import type { Redaction } from "../conformance/client/redaction.ts";
import type { Evidence } from "../schemas/contracts/evidence.ts";
import { clip } from "../schemas/counts.ts";
import { given } from "../schemas/json.ts";
import type { WireRequest } from "../service/wire.ts";
import type { ClientRequest } from "./contract/client-results.ts";
import type { ClientExchange } from "./lab/exchange.ts";
import type { ClientFinding, ClientRun } from "./observations/observation.ts";

// What is written of the requests of a client. Keys are replaced everywhere; what a client sends may contain other secrets as
// well, so values that the spec does not name are left out.

/** Number of requests of which a run keeps an entry. */
const mostEntries = 2000;
/** Number of requests of a finding that are shown with headers and body. */
const mostShown = 3;
const longestTarget = 300;
const longestBody = 1000;

/** The requests that show a finding, with headers and body. */
export function evidenceFrom(
  { details }: ClientFinding,
  { exchanges }: ClientRun,
  redaction: Redaction,
): Evidence[] {
  const places: readonly number[] = "requests" in details ? details.requests.slice(0, mostShown) : [];
  return exchanges.filter(({ index }) => places.includes(index)).map((one) => shownExchange(one, redaction));
}

const baseVariable = "$SHELFCHECK_BASE_URL";

function shownExchange({ request, response, at, end }: ClientExchange, redaction: Redaction): Evidence {
  const url = shownTarget(request, redaction);
  const body = request.body.toString();
  // The curl line has the whole body: a part of it is not the same request.
  const shown = evidenceOf(
    {
      request: {
        method: request.method,
        url: `${baseVariable}${url.replace(/^\/v1/, "")}`,
        headers: shownHeaders(request.headers, redaction),
        ...(body !== "" && { body }),
      },
      response: { ...response, text: response.body.toString(), milliseconds: end - at },
    },
    { ...redaction, placeholders: [...redaction.placeholders, baseVariable] },
  );
  return {
    ...shown,
    request: { ...shown.request, url, ...(body !== "" && { body: redaction.excerpt(body, longestBody) }) },
  };
}

const knownParameters = ["url", "gtin", "retailer", "category", "limit", "cursor"];

/** Path and query as they were sent, without the values of parameters that the spec does not name. */
function shownTarget({ path, query }: WireRequest, { redact }: Redaction): string {
  const parts = query.split("&").map((part) => {
    const [name = ""] = part.split("=", 1);
    return knownParameters.includes(name) ? part : part.replace(/=.*/s, "=…");
  });
  return clip(redact(query === "" ? path : `${path}?${parts.join("&")}`), longestTarget);
}

/** Headers of which curl sends its own. */
const ofConnection = ["host", "connection", "content-length", "user-agent"];

/** The headers without a value that may be a secret of another kind than the keys of this run. */
function shownHeaders(headers: WireRequest["headers"], redaction: Redaction): Record<string, string> {
  const own = Object.entries(redaction.redactHeaders(headers)).filter(
    ([name]) => !ofConnection.includes(name),
  );
  const shown = own.map(([name, value]) => {
    const isKnown = redaction.placeholders.some((placeholder) => value.includes(placeholder));
    const isSecret = /key|token|secret|auth|cookie/i.test(name);
    return [name, isSecret && !isKnown ? "…" : clip(value, longestTarget)];
  });
  return Object.fromEntries(shown);
}

/** The requests of a run in the order in which they arrived, without anything that may be a secret. */
export function timelineOf(exchanges: readonly ClientExchange[], redaction: Redaction): ClientRequest[] {
  return exchanges.slice(0, mostEntries).map((exchange) => {
    const { request, response, kind, body, items, situations } = exchange;
    const isPage = kind === "category-page" && response.status === 200;
    return {
      at: Math.round(exchange.at),
      end: Math.round(exchange.end),
      method: clip(redaction.redact(request.method), 20),
      target: shownTarget(request, redaction),
      endpoint: kind,
      status: response.status,
      ...given({
        connection: request.connection?.id,
        items: kind === "batch" ? items.length : undefined,
        retryAfter: exchange.wait,
        products: isPage && Array.isArray(body?.products) ? body.products.length : undefined,
        situations: situations.length === 0 ? undefined : situations,
      }),
    };
  });
}
