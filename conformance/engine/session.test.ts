import { describe, expect, test } from "vitest";
import { sendJson } from "../../test/support/server.ts";
import { retailerList, startSession } from "../../test/support/stub-session.ts";
import { byCategory, byId, retailers } from "../client/requests.ts";
import { NotJudged } from "../requirements/outcome.ts";

describe("a request of a check", () => {
  test("becomes evidence, also as a control or shared request, in order", async () => {
    await using stub = await startSession();
    const exchanges: Parameters<typeof stub.session.context>[0] = [];
    const { ask, control, shared } = stub.session.context(exchanges);
    await control(retailers());
    await ask(byId("acme", "1"));
    await shared(byId("acme", "2"));
    await shared(byId("acme", "2"));
    expect(exchanges.map(({ request }) => new URL(request.url).pathname)).toEqual([
      "/v1/retailers",
      "/v1/products/acme/1",
      "/v1/products/acme/2",
      "/v1/products/acme/2",
    ]);
    expect(stub.sent()).toBe(3);
  });

  test("as a control must succeed, or the check is not judged", async () => {
    await using stub = await startSession((_count, response) =>
      sendJson(response, 404, { error: { code: "not_found", message: "No." } }),
    );
    const error: unknown = await stub.session
      .context([])
      .control(retailers())
      .catch((reason) => reason);
    if (!(error instanceof NotJudged)) throw error;
    expect(error.outcome()).toMatchObject({
      kind: "inconclusive",
      findings: [{ code: "control-failed", actual: 404, details: { errorCode: "not_found" } }],
      evidence: [{ endpoint: "retailers", response: { status: 404 } }],
    });
  });

  test("that is shared is sent once per run, and once again for a fresh attempt", async () => {
    await using stub = await startSession();
    const { session, sent } = stub;
    for (let checks = 0; checks < 2; checks++) {
      const { control } = session.context([]);
      await control(retailers());
      await control(retailers());
    }
    expect(sent()).toBe(1);
    const fresh = session.context([], "fresh");
    await fresh.control(retailers());
    await fresh.control(retailers());
    expect(sent()).toBe(2);
    await session.context([]).control(retailers());
    expect(sent()).toBe(2);
  });

  test("that discovery sent is not sent again if it found products, except for a fresh attempt", async () => {
    const product = { product_id: "1" };
    await using stub = await startSession(undefined, [
      [byId("acme", "1"), 200, product],
      [byId("acme", "2"), 404, {}],
      [retailers(), 200, retailerList],
      [byCategory("lamps"), 200, { products: [] }],
    ]);
    const { session, sent } = stub;
    const seen: Parameters<typeof session.context>[0] = [];
    const { control, shared } = session.context(seen);
    const known = await control(byId("acme", "1"));
    expect(known.response.json).toEqual(product);
    expect([seen, sent()]).toEqual([[known], 0]);
    // A missing product may be there by now, a list may change, and a cursor may expire.
    for (const request of [byId("acme", "2"), retailers(), byCategory("lamps")]) await shared(request);
    expect(sent()).toBe(3);
    expect(await session.context([], "fresh").control(byId("acme", "1"))).not.toBe(known);
    expect(sent()).toBe(4);
  });

  test("with another header, caller or path is sent separately", async () => {
    await using stub = await startSession();
    const { shared } = stub.session.context([]);
    await shared(retailers());
    await shared({ ...retailers(), keyHeader: "X-Api-Key" });
    await shared({ ...retailers(), caller: "sameOrg" });
    await shared({ ...retailers(), path: "/retailers?" });
    await shared(retailers());
    expect(stub.sent()).toBe(4);
  });
});

test("work that is done once is done again, once, for a fresh attempt; later callers get the newer result", async () => {
  await using stub = await startSession();
  let done = 0;
  const work = async () => ++done;
  const [first, again] = [stub.session.context([]), stub.session.context([], "fresh")];
  const results: number[] = [];
  for (const context of [first, again, again, first]) results.push(await context.once("a", work));
  expect(results).toEqual([1, 2, 2, 2]);
});

describe("the traffic of a session", () => {
  test("includes discovery and all requests so far", async () => {
    await using stub = await startSession((count, response) =>
      count === 1
        ? sendJson(response, 429, {}, { "retry-after": "0" })
        : sendJson(response, 200, retailerList),
    );
    const before = stub.traffic();
    await stub.session.context([]).ask(byId("acme", "1"));
    const { requests, rateLimit, gone } = stub.traffic();
    expect(before.rateLimit).toEqual({ refused: 0 });
    expect([rateLimit, gone]).toEqual([{ refused: 1, longestRetryAfterSeconds: 0 }, undefined]);
    expect(requests.total).toBe(before.requests.total + 2);
  });

  test("has the accepted requests of a burst before its first 429", async () => {
    await using stub = await startSession((count, response) =>
      count > 2 ? sendJson(response, 429, {}, { "retry-after": "0" }) : sendJson(response, 200, retailerList),
    );
    expect(stub.traffic().rateLimit).not.toHaveProperty("accepted");
    const { sendAtOnce } = stub.session.context([]);
    for (let count = 0; count < 4; count++) await sendAtOnce(retailers());
    await sendAtOnce({ ...retailers(), caller: "otherOrg" });
    expect(stub.traffic().rateLimit.accepted).toBe(2);
  });
});
