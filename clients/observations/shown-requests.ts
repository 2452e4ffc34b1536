import { evidenceOf } from "../../conformance/client/evidence.ts";
import type { Redaction } from "../../conformance/client/redaction.ts";
import type { Evidence } from "../../schemas/contracts/evidence.ts";
import { given } from "../../schemas/json.ts";
import { clip } from "../../schemas/words/format.ts";
import type { WireRequest } from "../../service/wire.ts";
import type { ClientRequest } from "../contract/client-results.ts";
import type { ClientFinding, ClientRun } from "./observation.ts";

// What is written of a client's requests. Keys are replaced everywhere; it may send other secrets too, so
// values that the spec does not name are left out.

/** Number of requests of which a run keeps an entry. */
const mostEntries = 2000;
/** Number of requests of a finding that are shown with headers and body. */
const mostShown = 3;
const longestTarget = 300;
const baseVariable = "$SHELFCHECK_BASE_URL";

/** The requests that show a finding, with headers and body. */
export function evidenceFrom(
  { details }: ClientFinding,
  { exchanges, key }: ClientRun,
  redaction: Redaction,
): Evidence[] {
  const places: readonly number[] = "requests" in details ? details.requests.slice(0, mostShown) : [];
  const placeholders = [...redaction.placeholders, baseVariable];
  return exchanges
    .filter(({ index }) => places.includes(index))
    .map(({ request, response, at, end }) => {
      const { method } = request;
      const url = `${baseVariable}${shownTarget(request, redaction).replace(/^\/v1/, "")}`;
      const body = request.body.length === 0 ? undefined : request.body.toString();
      return evidenceOf(
        {
          request: {
            method,
            url,
            headers: shownHeaders(request.headers, key, redaction),
            ...given({ body }),
          },
          response: { ...response, text: response.body.toString(), milliseconds: end - at },
        },
        { ...redaction, placeholders },
      );
    });
}

const knownParameters = ["url", "gtin", "retailer", "category", "limit", "cursor"];

/** Path and query as sent. Of parameters that the spec does not name, only a key is shown: as its variable. */
function shownTarget({ path, query }: WireRequest, { redact }: Redaction): string {
  const parts = query.split("&").map((part) => {
    const [name = ""] = part.split("=", 1);
    const isShown = knownParameters.includes(name) || redact(part) !== part;
    return isShown ? part : part.replace(/=.*/s, "=…");
  });
  return clip(redact(query === "" ? path : `${path}?${parts.join("&")}`), longestTarget);
}

/** Headers whose values are no secrets. The others are shown by name: any of them may have one. */
const openHeaders = /^(?:accept(?:-encoding|-language)?|content-(?:type|encoding)|origin|sec-fetch-\w+)$/;

/** The headers without a value that may be a secret, but for the key of this run and its scheme. */
function shownHeaders(
  headers: WireRequest["headers"],
  key: string,
  { redact }: Redaction,
): Record<string, string> {
  // curl sends its own User-Agent.
  const { "user-agent": _userAgent, ...own } = headers;
  const shown = Object.entries(own).map(([name, value]) => {
    const parts = value.split(key).map((part) => (/^(?:Bearer +)?$/i.test(part) ? part : "…"));
    return [name, clip(redact(openHeaders.test(name) ? value : parts.join(key)), longestTarget)];
  });
  return Object.fromEntries(shown);
}

/** The requests of a run in the order in which they arrived, without anything that may be a secret. */
export function timelineOf({ exchanges }: ClientRun, redaction: Redaction): ClientRequest[] {
  return exchanges.slice(0, mostEntries).map(({ request, response, kind, situations, wait, at, end }) => ({
    at: Math.round(at),
    end: Math.round(end),
    method: clip(redaction.redact(request.method), 20),
    target: shownTarget(request, redaction),
    endpoint: kind,
    status: response.status,
    ...given({
      retryAfter: wait,
      situations: situations.length === 0 ? undefined : situations,
    }),
  }));
}
