import type { ServerResponse } from "node:http";
import { createPoliteClient } from "../../conformance/client/polite-client.ts";
import type { Request } from "../../conformance/client/requests.ts";
import { discover } from "../../conformance/discovery/discover.ts";
import { openSession, trafficOf } from "../../conformance/engine/session.ts";
import { sendJson, serve } from "./server.ts";
import { stubClient, stubTarget } from "./stub-client.ts";

/** A list of one retailer. */
export const retailerList = { retailers: [{ slug: "acme", name: "Acme", domains: [] }] };

/**
 * A session with a target that returns these responses. Discovery sees one retailer and nothing else.
 * @param before Requests that discovery sent as well, and their responses
 */
export async function startSession(
  respond: (count: number, response: ServerResponse) => void = (_count, response) =>
    sendJson(response, 200, retailerList),
  before: readonly [Request, status: number, body: unknown][] = [],
  signal?: AbortSignal,
) {
  let discovering = true;
  let next: [number, unknown] = [200, retailerList];
  let count = 0;
  const stub = await serve((_request, response) =>
    discovering ? sendJson(response, ...next) : respond(++count, response),
  );
  const target = stubTarget(stub.baseUrl);
  const http = stubClient(target, { ...(signal && { signal }) });
  const client = createPoliteClient(http);
  const discovery = await discover(http, target, client);
  for (const [request, status, body] of before) {
    next = [status, body];
    await http.send(request);
  }
  const session = openSession({ target, http, client, discovery });
  discovering = false;
  return {
    session,
    traffic: () => trafficOf(http, discovery, client),
    /** Number of requests of the session, without those of discovery. */
    sent: () => count,
    async [Symbol.asyncDispose]() {
      await http[Symbol.asyncDispose]();
      await stub[Symbol.asyncDispose]();
    },
  };
}
