import { keyHeaders, mostBatchItems } from "../../schemas/api.ts";
import type { FindingOf } from "../../schemas/contracts/finding.ts";
import { given } from "../../schemas/json.ts";
import type { ClientCode } from "../contract/client-words.ts";
import { type ClientExchange, itemsOf, kindOf, modesOf } from "../lab/exchange.ts";
import { type ClientObservation, type ClientRun, observed } from "./observation.ts";

// What every single request shows.

/** Looks at each of some requests: its details, if it has the flaw. */
function each<Code extends ClientCode>(
  code: Code,
  isOne: (exchange: ClientExchange) => boolean,
  flawOf: (
    exchange: ClientExchange,
    run: ClientRun,
  ) => Omit<FindingOf<Code>["details"], "requests"> | undefined,
): ClientObservation["look"] {
  return (run) => {
    const all = run.exchanges.filter(isOne);
    const flaws = all.flatMap((exchange) => {
      const details = flawOf(exchange, run);
      return details === undefined ? [] : [{ shows: [exchange], details }];
    });
    return observed(code, flaws, { chances: all.length });
  };
}

const isQuery = ({ request: { path, query } }: ClientExchange) => path === "/v1/products" && query !== "";
const isBatch = (exchange: ClientExchange) => kindOf(exchange) === "batch";
// Whether a server is there at all may be tried without a key.
const isOfApi = ({ request: { path } }: ClientExchange) => path.startsWith("/v1/");
const any = () => true;

/** Exactly one of url, gtin and category. */
export const otherThanOneIdentifier = each("several-identifiers", isQuery, (exchange) => {
  const names = modesOf(exchange);
  return names.length === 1 ? undefined : { names };
});

export const largeBatches = each("batch-too-large", isBatch, ({ request }) => {
  const items = itemsOf(request)?.length ?? 0;
  return items > mostBatchItems ? { items } : undefined;
});

export const requestsWithoutKey = each("no-key", isOfApi, ({ request: { headers } }, { key }) => {
  const [scheme, bearer] = (headers[keyHeaders.bearer.toLowerCase()] ?? "").split(/ +/);
  const isBearer = scheme?.toLowerCase() === "bearer" && bearer === key;
  return isBearer || headers[keyHeaders.plain.toLowerCase()] === key ? undefined : {};
});

export const keysOutsideHeaders = each("key-outside-headers", any, ({ request }, { key }) => {
  const { path, query, body } = request;
  const places = { path, query, body: body.toString() };
  const where = (["path", "query", "body"] as const).find((place) => places[place].includes(key));
  return where === undefined ? undefined : { where };
});

/** Headers that only a page in a browser has. Node's fetch sends `sec-fetch-mode` too, so that one says nothing. */
const browserHeaders = ["origin", "sec-fetch-site", "sec-fetch-dest", "sec-fetch-user"];

export const browserRequests = each("browser-headers", any, ({ request: { headers } }) => {
  const names = browserHeaders.filter((name) => headers[name] !== undefined);
  return names.length === 0 ? undefined : { names };
});

export const bodiesThatAreNotJson = each("body-not-json", isBatch, ({ request }) => {
  try {
    JSON.parse(request.body.toString());
    return undefined;
  } catch {
    return {};
  }
});

export const typesThatAreNotJson = each("type-not-json", isBatch, ({ request: { headers } }) => {
  const contentType = headers["content-type"];
  return /^application\/json *(?:;|$)/i.test(contentType ?? "") ? undefined : given({ contentType });
});
