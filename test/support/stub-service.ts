import { endpoints, errorCodes } from "../../schemas/api.ts";
import { sendJson, serve } from "./server.ts";

/** A response of the stub. A string body is sent as HTML, anything else as JSON. */
export interface StubAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface StubRequest {
  readonly method: string;
  /** Path below /v1, with the query. */
  readonly path: string;
  readonly body: string;
  /** Number of earlier requests, without those for /retailers. */
  readonly index: number;
}

/** Decides the response to a request: undefined for the correct one, "hang up" to close the connection. */
export type StubBehaviour = (request: StubRequest) => StubAnswer | "hang up" | undefined;

/** Starts a service for tests of load runs. It responds as the spec requires unless `behaviour` decides otherwise. */
export async function startStubService(behaviour: StubBehaviour = () => undefined) {
  /** Without those for /retailers. */
  const requests: StubRequest[] = [];
  const server = await serve((incoming, response) => {
    const path = incoming.url.replace(/^\/v1/, "");
    const request = { method: incoming.method, path, body: incoming.body, index: requests.length };
    if (path !== endpoints.retailers.path) requests.push(request);
    const answer = behaviour(request) ?? healthy(request);
    if (answer === "hang up") return incoming.socket.destroy();
    const { status = 200, headers = {}, body } = answer;
    if (typeof body !== "string") return sendJson(response, status, body, headers);
    return response.writeHead(status, { "content-type": "text/html", ...headers }).end(body);
  });
  return { baseUrl: server.baseUrl, requests, stop: async () => await server[Symbol.asyncDispose]() };
}

const product = { title: "Bottle", price: 9.5, currency: "EUR", availability: "in_stock" };

function healthy({ method, path, body }: StubRequest): StubAnswer {
  if (path === endpoints.retailers.path)
    return { body: { retailers: [{ slug: "retailer-0", name: "Zero", domains: [] }] } };
  if (method === "POST")
    return batch(JSON.parse(body) as { items: { retailer: string; product_id: string }[] });
  const cursor = /[?&]cursor=page-(\d)/.exec(path)?.[1];
  if (path.startsWith("/products?category=")) return page(Number(cursor ?? 1));
  if (path.startsWith("/products?")) return { body: product };
  const [retailer = "", productId = ""] = path.slice("/products/".length).split("/").map(decodeURIComponent);
  if (retailer === "no-such-retailer") return refusal(400, errorCodes[400]);
  if (retailer === "closed-shop") return refusal(403, errorCodes[403]);
  if (productId === "no-such-product") return refusal(404, errorCodes[404]);
  return { body: { ...product, retailer, product_id: productId } };
}

function page(number: number): StubAnswer {
  const products = [0, 1, 2].map((place) => ({
    ...product,
    retailer: "a",
    product_id: `${number}-${place}`,
  }));
  return { body: { products, meta: { next_cursor: number === 3 ? "" : `page-${number + 1}`, count: 3 } } };
}

function batch({ items }: { items: { retailer: string; product_id: string }[] }): StubAnswer {
  const unknown = items.filter(({ product_id }) => product_id === "no-such-product");
  const found = items.filter((item) => !unknown.includes(item)).map((item) => ({ ...product, ...item }));
  const meta = { total: items.length, found: found.length, not_found: unknown.length, other_errors: 0 };
  return { body: { found, errors: unknown, meta } };
}

/** An error response in the form of the spec. */
export function refusal(status: number, code: string, headers: Record<string, string> = {}): StubAnswer {
  return { status, headers, body: { error: { code, message: code } } };
}
