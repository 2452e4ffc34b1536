import type { ServerResponse } from "node:http";
import { discover } from "../../conformance/discovery/discover.ts";
import { openSession, type Session, type SessionOptions } from "../../conformance/engine/session.ts";
import { sendJson, serve } from "./server.ts";
import { stubClient, stubTarget } from "./stub-client.ts";

/** A list of one retailer. */
export const retailerList = { retailers: [{ slug: "acme", name: "Acme", domains: [] }] };

/** A session at a stub. */
export interface StubSession extends AsyncDisposable {
  readonly session: Session;
  /** Number of requests of the session, without those of discovery. */
  readonly sent: () => number;
}

/**
 * A session with a target that returns these responses. Discovery sees one retailer and nothing else.
 * @param known See SessionOptions.
 */
export async function startSession(
  respond: (count: number, response: ServerResponse) => void = (_count, response) =>
    sendJson(response, 200, retailerList),
  known: SessionOptions["known"] = [],
): Promise<StubSession> {
  let discovering = true;
  let count = 0;
  const stub = await serve((_request, response) =>
    discovering ? sendJson(response, 200, retailerList) : respond(++count, response),
  );
  const target = stubTarget(stub.baseUrl);
  const http = stubClient(target);
  const discovery = await discover(http, target);
  const session = openSession({ target, http, discovery, known });
  discovering = false;
  return {
    session,
    sent: () => count,
    async [Symbol.asyncDispose]() {
      await http[Symbol.asyncDispose]();
      await stub[Symbol.asyncDispose]();
    },
  };
}
