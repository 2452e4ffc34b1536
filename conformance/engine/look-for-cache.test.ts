import { expect, test } from "vitest";
import { stubTarget } from "../../test/support/stub-client.ts";
import { errorOf, exchangeOf } from "../../test/support/stub-exchange.ts";
import type { Exchange } from "../client/exchange.ts";
import { failed } from "../client/outcome.ts";
import type { PoliteClient } from "../client/polite-client.ts";
import { respondersOf } from "../client/responder.ts";
import { cacheSearch } from "./look-for-cache.ts";

const target = stubTarget("http://stub.example/v1");
const { signal } = new AbortController();
const leak = exchangeOf("retailers", { retailers: [] }, { url: `${target.baseUrl}/retailers` });
const wrong = failed({ code: "wrong-status", expected: [401], actual: 200 }, leak);

/** What a search says of the failure, where requests get these responses in turn, and how many it sent. */
async function searched(answers: readonly Exchange[], outcome = wrong) {
  let sent = 0;
  const ask: PoliteClient["ask"] = async () => answers[sent++ % answers.length] ?? leak;
  const responders = respondersOf([]);
  const search = cacheSearch({ ask } as PoliteClient, responders, target);
  await search(outcome, signal);
  return { from: responders.of(leak), sent };
}

const unauthorized = errorOf(401, "unauthorized");

test("a control with another response, twice in turn, shows a cache", async () => {
  expect(await searched([leak, unauthorized])).toEqual({ from: { by: "cache", control: 401 }, sent: 4 });
});

test.each<[string, readonly Exchange[]]>([
  ["the control gets the same", [leak]],
  ["the request itself gets another response now", [unauthorized]],
  ["instances differ", [leak, unauthorized, unauthorized, leak]],
  ["the service rejects the parameter", [leak, errorOf(400, "bad_request")]],
  ["the control is lost", [leak, errorOf(502, "upstream_error")]],
])("no cache is shown when %s", async (_name, answers) => {
  expect((await searched(answers)).from).toBeUndefined();
});

test("other kinds of failures are not looked at", async () => {
  expect(
    await searched([leak, unauthorized], failed({ code: "not-json", details: { status: 200 } }, leak)),
  ).toMatchObject({
    sent: 0,
  });
});
