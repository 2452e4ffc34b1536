import { expect, test } from "vitest";
import { type StubFault, stubContext } from "../../test/support/stub-context.ts";
import { errorOf } from "../../test/support/stub-exchange.ts";
import type { Request } from "../client/requests.ts";
import { NotJudged } from "../requirements/outcome.ts";
import type { Fuzz } from "./check/check.ts";
import { survivesDrawn } from "./hostile-input.check.ts";

/** Sends generated inputs to a target with this fault. Other requests succeed. */
async function outcomeOf(fault: StubFault, fuzz: Fuzz) {
  const context = await stubContext((request, correct, respond) =>
    request.endpoint === "other" ? fault(request, correct, respond) : correct,
  );
  const outcome = await survivesDrawn(context, fuzz);
  const sent = context.sent.filter(({ endpoint }) => endpoint === "other");
  return { outcome, sent: sent.map(({ path, body = "" }) => `${path} ${body}`) };
}

const refused = () => errorOf(400, "bad_request", { endpoint: "other" });
const failingOn = (pattern: RegExp) => (request: Request) =>
  pattern.test(request.path) ? errorOf(500, "internal_error", { endpoint: "other" }) : refused();

test("sends as many inputs as configured, of different kinds, and the same for the same seed", async () => {
  const one = await outcomeOf(refused, { runs: 200, seed: 1 });
  expect(one.outcome).toMatchObject({ kind: "pass", findings: [{ seen: { count: 200 } }] });
  expect(one.sent).toHaveLength(200);
  expect((await outcomeOf(refused, { runs: 200, seed: 1 })).sent).toEqual(one.sent);
  expect((await outcomeOf(refused, { runs: 200, seed: 2 })).sent).not.toEqual(one.sent);
  for (const path of one.sent.filter((text) => text.startsWith("/products")))
    expect(path.split(" ")[0]?.length).toBeLessThan(8000);
  for (const kind of [/url=/, /\{"items":\[\[/, /gtin=/, /cursor=-?\d+ /, /%FF|%80/])
    expect(one.sent).toContainEqual(expect.stringMatching(kind));
});

test("a failing input is shrunk, and reported with the seed that reproduces it", async () => {
  const { outcome } = await outcomeOf(failingOn(/cursor=.*%0/), { runs: 2000, seed: 3 });
  expect(outcome.kind).toBe("fail");
  const [finding] = outcome.findings;
  expect(finding).toMatchObject({ code: "wrong-status", subject: "cursor", actual: 500 });
  expect(finding?.details).toMatchObject({
    runs: 2000,
    seed: 3,
    value: expect.stringMatching(/^%0[0-9A-F]$/),
  });
});

test("a spent budget is not a failure of the target", async () => {
  const spent = new NotJudged({ code: "budget-spent", subject: "requests", expected: 9 });
  const stopping = () => {
    throw spent;
  };
  await expect(outcomeOf(stopping, { runs: 5, seed: 1 })).rejects.toBe(spent);
});
