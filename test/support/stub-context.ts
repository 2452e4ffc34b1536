import type { Exchange } from "../../conformance/client/exchange.ts";
import type { TransportError } from "../../conformance/client/no-response.ts";
import { keyIn, type Request } from "../../conformance/client/requests.ts";
import { mustSucceed } from "../../conformance/requirements/outcome.ts";
import type { CheckContext } from "../../conformance/suite/check/check.ts";
import { keyHeaders } from "../../schemas/api.ts";
import { stubCatalog } from "./stub-catalog.ts";
import { stubKeys, stubTarget } from "./stub-client.ts";
import { usual, usualDiscovery } from "./stub-discovery.ts";
import { exchangeOf } from "./stub-exchange.ts";

/** Returns the stub's response to a request, or what a faulty service does in its place. */
export type StubFault = (
  request: Request,
  correct: Exchange,
  respond: (request: Request) => Exchange,
) => Exchange | TransportError;

/** The exchange with another body, as a faulty service may return it. */
export function withBody(exchange: Exchange, json: unknown): Exchange {
  return { ...exchange, response: { ...exchange.response, json, text: JSON.stringify(json) } };
}

const target = stubTarget("http://stub.example/v1");

/**
 * The context of a check at the stub of stub-discovery.ts, without HTTP, and the requests that the check sent. It shares nothing between requests: `shared`,
 * `control` and `once` always do their work again.
 */
export async function stubContext(
  fault: StubFault = (_request, correct) => correct,
  change: Partial<CheckContext> = {},
): Promise<CheckContext & { readonly sent: readonly Request[] }> {
  const catalog = stubCatalog(usual);
  const respond = (request: Request) => exchangeFor(request, catalog);
  const { fixtures, fieldNames } = await usualDiscovery();
  const sent: Request[] = [];
  const exchanges: Exchange[] = [];
  const tryOut = async (request: Request) => {
    sent.push(request);
    const response = fault(request, respond(request), respond);
    if (!(response instanceof Error)) exchanges.push(response);
    return response;
  };
  const send = async (request: Request) => {
    const response = await tryOut(request);
    if (response instanceof Error) throw response;
    return response;
  };
  return {
    fixtures,
    fieldNames,
    target,
    exchanges,
    choices: new Map(),
    ask: send,
    shared: send,
    sendAtOnce: send,
    tryOut,
    control: async (request) => mustSucceed(await send(request)),
    sleep: async () => undefined,
    once: (_name, work) => work(),
    cached: () => undefined,
    ...change,
    sent,
  };
}

function exchangeFor(
  { endpoint, method, path, caller, keyHeader, headers, body }: Request,
  catalog: ReturnType<typeof stubCatalog>,
): Exchange {
  const key = keyIn(
    keyHeader === "either" ? keyHeaders.plain : keyHeader,
    caller === "nobody" ? "" : stubKeys[caller],
  );
  const sent = Object.entries({ ...key, ...headers }).map(([name, value]) => [name.toLowerCase(), value]);
  const request = { method, url: `/v1${path}`, headers: Object.fromEntries(sent), body: body ?? "" };
  const { status, body: json } = catalog(request);
  const url = `${target.baseUrl}${path}`;
  return exchangeOf(endpoint, json, { status, caller, method, url, requestBody: body });
}
