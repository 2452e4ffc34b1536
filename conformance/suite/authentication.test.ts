import { describe, expect, test } from "vitest";
import { keyHeaders } from "../../schemas/api.ts";
import { stubKeys } from "../../test/support/stub-client.ts";
import { type StubFault, stubContext, withBody } from "../../test/support/stub-context.ts";
import { exchangeOf } from "../../test/support/stub-exchange.ts";
import type { Exchange } from "../client/exchange.ts";
import { keyIn } from "../client/requests.ts";
import section from "./authentication.check.ts";
import keyEachTime from "./statistics/key-each-time.check.ts";

const rejectingBoth =
  (...callers: readonly string[]): StubFault =>
  ({ headers = {}, keyHeader, caller }, correct) => {
    const isInBoth = "X-Api-Key" in headers && ("Authorization" in headers || keyHeader === "Authorization");
    if (!isInBoth || !callers.includes(caller)) return correct;
    const rejected = withBody(correct, { error: { code: "bad_request", message: "Two keys" } });
    return { ...rejected, response: { ...rejected.response, status: 400 } };
  };

test.each<[string, readonly string[], string]>([
  ["whether they are valid or not", ["primary", "nobody"], "pass"],
  ["only if they are invalid", ["nobody"], "fail"],
])("a service that rejects keys in both headers with 400 %s", async (_when, callers, expected) => {
  const context = await stubContext(rejectingBoth(...callers));
  const check = section.checks.find(({ id }) => id === "authentication.invalid-key/both-bad");
  expect((await check?.run(context))?.kind).toBe(expected);
});

test("a key that is too short to be cut is not sent, and not called a pass", async () => {
  const { target, ...context } = await stubContext();
  const keys = { ...target.keys, primary: "8-letter" };
  const check = section.checks.find(({ id }) => id === "authentication.invalid-key/cut-key");
  let sent = 0;
  const ask = async () => {
    sent++;
    throw new Error("sent");
  };
  expect(await check?.run({ ...context, target: { ...target, keys }, ask, control: ask })).toMatchObject({
    kind: "notApplicable",
    findings: [{ code: "key-not-cut" }],
  });
  expect(sent).toBe(0);
});

describe("a valid key in Authorization that another request accepts", () => {
  const withKey = (status: number, url: string, headers = {}) =>
    exchangeOf(
      "lookup-by-id",
      {},
      {
        status,
        url: `http://stub.example/v1/products/acme/${url}`,
        requestHeaders: { ...keyIn(keyHeaders.bearer, stubKeys.primary), ...headers },
      },
    );
  const outcomeWith = async (...exchanges: readonly Exchange[]) => {
    const context = await stubContext(undefined, { exchanges });
    return await keyEachTime.checks.find(({ id }) => id === "authentication.bearer/accepted")?.run(context);
  };

  test("is rejected by one of several instances", async () => {
    const outcome = await outcomeWith(
      withKey(401, "1"),
      withKey(200, "1"),
      withKey(200, "2"),
      withKey(401, "2"),
    );
    expect(outcome).toMatchObject({
      kind: "fail",
      findings: [{ code: "wrong-status", expected: [200], actual: 401 }],
    });
  });

  test.each<[string, readonly Exchange[]]>([
    ["once", [withKey(401, "1"), withKey(200, "1"), withKey(200, "2")]],
    ["for other requests", [withKey(401, "1"), withKey(401, "2"), withKey(200, "3")]],
    [
      "together with another one",
      ["1", "2"].flatMap((id) => [withKey(200, id), withKey(401, id, { "X-Api-Key": "x" })]),
    ],
  ])("may be rejected %s", async (_when, exchanges) => {
    expect((await outcomeWith(...exchanges))?.kind).toBe("pass");
  });
});
