import { curlOf } from "../conformance/client/evidence.ts";
import type { Redaction } from "../conformance/client/redaction.ts";
import { keyHeaders } from "../schemas/api.ts";
import type { Evidence } from "../schemas/contracts/evidence.ts";
import { clip } from "../schemas/counts.ts";
import { given } from "../schemas/json.ts";
import type { WireRequest } from "../service/wire.ts";
import type { ClientRequest } from "./contract/client-results.ts";
import { bodyOf, type ClientExchange, itemsOf, kindOf, waitOf } from "./lab/exchange.ts";
import type { ClientFinding, ClientRun } from "./observations/observation.ts";

// What is written of the requests of a client. Keys are replaced everywhere; what a client sends may contain other secrets as
// well, so values that the spec does not name are left out.

/** Number of requests of which a run keeps an entry. */
export const mostEntries = 2000;
/** Number of requests of a finding that are shown with headers and body. */
const mostShown = 3;
const longestTarget = 300;
const longestBody = 1000;

/** The requests that show the findings, with headers and body. */
export function evidenceFrom(
  findings: readonly ClientFinding[],
  { exchanges }: ClientRun,
  redaction: Redaction,
): Evidence[] {
  const places = findings.flatMap(({ details }) =>
    "requests" in details ? details.requests.slice(0, mostShown) : [],
  );
  return [...new Set(places)].flatMap((place) => {
    const exchange = exchanges.find(({ index }) => index === place);
    return exchange === undefined ? [] : [evidenceOf(exchange, redaction)];
  });
}

/** Headers of which curl sends its own. */
const ofConnection = ["host", "connection", "content-length", "user-agent"];

function evidenceOf({ request, response, at, end }: ClientExchange, redaction: Redaction): Evidence {
  const body = request.body.toString();
  const shown = {
    method: redaction.redact(request.method),
    url: shownTarget(request, redaction),
    headers: shownHeaders(request.headers, redaction),
    ...(body === "" ? {} : { body: redaction.excerpt(body, longestBody) }),
  };
  return {
    request: shown,
    response: {
      status: response.status,
      headers: redaction.redactHeaders(response.headers),
      body: redaction.excerpt(response.body.toString(), longestBody),
      milliseconds: Math.round((end - at) * 10) / 10,
    },
    // With the whole body: a part of it is not the same request.
    curl: curlOf(
      {
        ...shown,
        headers: Object.fromEntries(
          Object.entries(shown.headers).filter(([name]) => !ofConnection.includes(name.toLowerCase())),
        ),
        body: body === "" ? undefined : redaction.redact(body),
        url: `$SHELFCHECK_BASE_URL${shown.url.replace(/^\/v1/, "")}`,
      },
      [...redaction.placeholders, "$SHELFCHECK_BASE_URL"],
    ),
  };
}

const knownParameters = ["url", "gtin", "retailer", "category", "limit", "cursor"];

/** Path and query as they were sent, without the values of parameters that the spec does not name. */
function shownTarget({ path, query }: WireRequest, { redact }: Redaction): string {
  const shown = query
    .split("&")
    .map((part) =>
      knownParameters.includes(part.split("=", 1)[0] ?? "") ? part : part.replace(/=.*/s, "=…"),
    )
    .join("&");
  return clip(redact(query === "" ? path : `${path}?${shown}`), longestTarget);
}

const secretHeaders = [
  ...Object.values(keyHeaders).map((name) => name.toLowerCase()),
  "cookie",
  "proxy-authorization",
];

/** The headers without a value that may be a secret of another kind than the keys of this run. */
function shownHeaders(headers: WireRequest["headers"], redaction: Redaction): Record<string, string> {
  return Object.fromEntries(
    Object.entries(redaction.redactHeaders(headers)).map(([name, value]) => {
      const isKnown = redaction.placeholders.some((shown) => value.includes(shown));
      const isSecret = secretHeaders.includes(name) || /key|token|secret|auth/i.test(name);
      return [name, isSecret && !isKnown ? "…" : clip(value, longestTarget)];
    }),
  );
}

/** The requests of a run in the order in which they arrived, without anything that may be a secret. */
export function timelineOf(exchanges: readonly ClientExchange[], redaction: Redaction): ClientRequest[] {
  return exchanges.slice(0, mostEntries).map((exchange) => {
    const { request, response, at, end, situations } = exchange;
    const retryAfter = waitOf(exchange);
    const kind = kindOf(exchange);
    const items = kind === "batch" ? itemsOf(request)?.length : undefined;
    const body = kind === "category-page" && response.status === 200 ? bodyOf(exchange) : undefined;
    return {
      at: Math.round(at),
      end: Math.round(end),
      method: clip(redaction.redact(request.method), 20),
      target: shownTarget(request, redaction),
      endpoint: kind,
      key: keyIn(request.headers),
      status: response.status,
      ...given({ connection: request.connection?.id }),
      ...given({ items, retryAfter }),
      ...(Array.isArray(body?.products) ? { products: body.products.length } : {}),
      ...(situations.length === 0 ? {} : { situations: [...situations] }),
    };
  });
}

function keyIn(headers: WireRequest["headers"]): ClientRequest["key"] {
  const has = (name: string) => (headers[name.toLowerCase()] ?? "") !== "";
  const [bearer, plain] = [has(keyHeaders.bearer), has(keyHeaders.plain)];
  if (bearer) return plain ? "both" : "bearer";
  return plain ? "plain" : "none";
}
