import { describe, expect, test } from "vitest";
import { errorOf, exchangeOf } from "../../test/support/stub-exchange.ts";
import { type Liveness, watchLiveness } from "./liveness.ts";
import { batch, byId, type Request, retailers } from "./requests.ts";
import { TransportError } from "./transport-error.ts";

const ok = exchangeOf("retailers", { retailers: [] });
const lookup = byId("acme", "1");
const start = Date.UTC(2026, 10, 22, 6, 30);

interface Watched extends Liveness {
  pass(milliseconds: number): void;
}

function watched(): Watched {
  let at = start;
  return {
    ...watchLiveness(() => at),
    pass(milliseconds) {
      at += milliseconds;
    },
  };
}

/** Records responses with this status to requests some milliseconds apart. */
function refuse(liveness: Watched, status: number, requests: readonly Request[], apart = 1000): void {
  for (const request of requests) {
    liveness.responded(request, errorOf(status, "x"));
    liveness.pass(apart);
  }
}

const fourOf = (request: Request) => Array.from({ length: 4 }, () => request);

describe.each([408, 503])("a target that responds with %i to everything", (status) => {
  test("is down after eight in a row and a failed control, since the first of them", () => {
    const liveness = watched();
    refuse(liveness, status, [...fourOf(retailers()), ...fourOf(lookup).slice(1)]);
    expect(liveness.doubt()).toBeUndefined();
    refuse(liveness, status, [lookup]);
    expect(liveness.gone()).toBeUndefined();
    const control = liveness.doubt();
    expect(control?.endpoint).toBe("retailers");
    expect(liveness.doubt()).toBeUndefined();
    if (control !== undefined) refuse(liveness, status, [control]);
    expect(liveness.gone()).toEqual({
      code: "target-unavailable",
      actual: status,
      seen: { count: 9, of: "requests" },
      details: { since: "2026-11-22T06:30:00.000Z" },
    });
  });

  test("is named with the gateway that responds in its place", () => {
    const liveness = watched();
    const headers = { "content-type": "text/html", server: "nginx/1.22" };
    const page = exchangeOf("other", undefined, { status: 502, text: "<html></html>", headers });
    for (const request of [...fourOf(retailers()), ...fourOf(lookup), retailers()]) {
      liveness.responded(request, page);
      liveness.pass(1000);
    }
    const control = liveness.doubt();
    if (control !== undefined) liveness.responded(control, page);
    expect(liveness.gone()).toMatchObject({ actual: 502, from: { by: "unclear", name: "nginx/1.22" } });
  });

  test("may be in the middle of a deployment for three seconds", () => {
    const liveness = watched();
    refuse(liveness, status, [...fourOf(retailers()), ...fourOf(lookup)], 100);
    expect(liveness.doubt()).toBeUndefined();
    liveness.pass(3000);
    expect(liveness.doubt()).toBeDefined();
  });

  test("is up while another status occurs; a rejected request without a key does not count", () => {
    const liveness = watched();
    refuse(liveness, status, [...fourOf(retailers()), ...fourOf(lookup).slice(1)]);
    liveness.responded(retailers(), ok);
    refuse(liveness, status, [lookup]);
    expect(liveness.doubt()).toBeUndefined();
    refuse(liveness, 401, [{ ...retailers(), caller: "nobody" }]);
    refuse(liveness, status, [...fourOf(lookup), ...fourOf(retailers()).slice(1)]);
    expect(liveness.doubt()).toBeDefined();
  });

  test.each([500, 503])(
    "is not confused with one that returns %i to some requests: the control succeeds",
    (status) => {
      const liveness = watched();
      for (let row = 0; row < 2; row++) {
        refuse(liveness, status, [...fourOf(batch([], {})), ...fourOf(lookup)]);
        const control = liveness.doubt();
        expect(control?.endpoint).toBe("retailers");
        if (control !== undefined) liveness.responded(control, ok);
      }
      expect(liveness.gone()).toBeUndefined();
    },
  );

  test("when only the list of retailers failed, a lookup is the control", () => {
    const liveness = watched();
    refuse(liveness, status, [...fourOf(retailers()), ...fourOf(retailers())]);
    expect(liveness.doubt()?.endpoint).toBe("lookup-by-id");
  });
});

test("three refused connections in a row are certain, on any endpoint", () => {
  const liveness = watched();
  const refused = new TransportError("refused", "http://stub.example/v1/retailers");
  for (let count = 0; count < 2; count++) liveness.failed(retailers(), refused);
  expect(liveness.gone()).toBeUndefined();
  liveness.failed(retailers(), refused);
  expect(liveness.gone()).toMatchObject({ code: "no-answer", subject: "refused" });
  expect(liveness.doubt()).toBeUndefined();
});
