import { describe, expect, test } from "vitest";
import { exchangeOf } from "../../test/support/stub-exchange.ts";
import { chooseClients } from "./client-choice.ts";
import { clientKinds, headersOfClient } from "./client-kinds.ts";
import { batch, byId, retailers } from "./requests.ts";

const many = Array.from({ length: 400 }, (_, index) => byId("acme", `item-${index}`));

describe("the clients of a run", () => {
  test("are all used, the plain one most, and the same for the same requests", () => {
    const first = chooseClients();
    const chosen = many.map((request) => first.next(request).client ?? "plain");
    for (const kind of Object.keys(clientKinds)) expect(chosen).toContain(kind);
    expect(chosen.filter((kind) => kind === "plain").length).toBeGreaterThan(chosen.length / 2);
    const second = chooseClients();
    expect(many.map((request) => second.next(request).client ?? "plain")).toEqual(chosen);
  });

  test("vary for a request that is sent often", () => {
    const clients = chooseClients();
    const chosen = many.map(() => clients.next(retailers()).client ?? "plain");
    expect(new Set(chosen).size).toBeGreaterThan(1);
  });

  test("leave a request alone that says what it accepts, or which client sends it", () => {
    const clients = chooseClients();
    for (const request of [
      { ...retailers(), headers: { Accept: "text/html" } },
      { ...retailers(), client: "any-type" as const },
    ])
      for (let count = 0; count < 20; count++) expect(clients.next(request)).toBe(request);
  });

  test("are not used again after three odd responses", () => {
    const clients = chooseClients();
    const odd = { ...exchangeOf("other", {}, { status: 406 }), client: "any-type" as const };
    const sentBy = () => many.filter((request) => clients.next(request).client === "any-type").length;
    for (let count = 0; count < 3; count++) {
      expect(sentBy()).toBeGreaterThan(0);
      expect(clients.isInDoubt(odd)).toBe(true);
    }
    expect(sentBy()).toBe(0);
  });

  test("are in doubt because of a body that is not JSON, and not because of an error", () => {
    const clients = chooseClients();
    const by = (exchange: ReturnType<typeof exchangeOf>) =>
      clients.isInDoubt({ ...exchange, client: "compressing" });
    expect(by(exchangeOf("other", undefined, { status: 404, text: "<p>" }))).toBe(true);
    expect(by(exchangeOf("other", undefined, { status: 204, text: "" }))).toBe(false);
    expect(by(exchangeOf("other", { error: {} }, { status: 404 }))).toBe(false);
    expect(clients.isInDoubt(exchangeOf("other", undefined, { text: "<p>" }))).toBe(false);
  });
});

test("the headers of a client: the request's own come last, and some name the charset", () => {
  const request = batch([], { batchRequestField: "items" });
  expect(headersOfClient(request, { "x-api-key": "k" })).toEqual({
    accept: "application/json",
    "x-api-key": "k",
    "content-type": "application/json",
  });
  expect(headersOfClient({ ...request, client: "several-types" }, {})["content-type"]).toBe(
    "application/json; charset=utf-8",
  );
  const own = { ...request, client: "several-types" as const, headers: { "content-type": "text/plain" } };
  expect(headersOfClient(own, {})["content-type"]).toBe("text/plain");
  expect(headersOfClient({ client: "without-accept", headers: {} }, {})).toEqual({});
});
