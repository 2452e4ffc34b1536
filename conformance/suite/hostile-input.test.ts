import { expect, test } from "vitest";
import type { HostileKind } from "../../schemas/contracts/vocabulary.ts";
import { type StubFault, stubContext } from "../../test/support/stub-context.ts";
import { errorOf, exchangeOf } from "../../test/support/stub-exchange.ts";
import type { Exchange } from "../client/exchange.ts";
import { TransportError } from "../client/no-response.ts";
import { query, type Request } from "../client/requests.ts";
import { NotJudged } from "../requirements/outcome.ts";
import { type HostileInput, survives } from "./hostile-input.ts";

const input = (kind: HostileKind): HostileInput => ({
  endpoint: "lookup-by-gtin",
  parameter: "gtin",
  kind,
  request: query("other", { gtin: kind }),
});

const isHostile = ({ endpoint }: Request) => endpoint === "other";
const internalError = errorOf(500, "internal_error", { endpoint: "other" });
const products = { method: "GET", url: "http://stub.example/v1/products", headers: {} };
const tooBig = new TransportError("too big", products);

/** The outcome for these inputs, whose requests have this fault; other requests succeed. */
async function outcomeOf(fault: StubFault, kinds: readonly HostileKind[] = ["long"]) {
  const context = await stubContext((request, correct, respond) =>
    isHostile(request) ? fault(request, correct, respond) : correct,
  );
  return { ...(await survives(context, kinds.map(input))), sent: context.sent.filter(isHostile).length };
}

test.each<[string, Exchange | TransportError]>([
  ["a status for what is too long", exchangeOf("other", {}, { status: 414 })],
  ["more than can be read, which is not for the input", tooBig],
])("a target may have %s", async (_name, response) => {
  expect((await outcomeOf(() => response)).kind).toBe("pass");
});

test("a target that fails on well-formed requests too is not judged", async () => {
  const context = await stubContext(() => internalError);
  await expect(survives(context, [input("long")])).rejects.toThrow(NotJudged);
});

test("the time of the control is not that of a request without a response", async () => {
  const broken = new TransportError("reset", products);
  const context = await stubContext((request, correct) =>
    isHostile(request) ? broken : { ...correct, sentAt: 7 },
  );
  const { evidence } = await survives(context, [input("long")]);
  expect([evidence[0]?.request, evidence[0]?.sentAt]).toEqual([products, undefined]);
});

test("ends after three failures, each with its own exchange", async () => {
  const outcome = await outcomeOf(() => internalError, ["nul", "long", "empty", "blank"]);
  expect(outcome.findings).toMatchObject([
    { details: { kind: "nul" }, exchange: 0 },
    { details: { kind: "long" }, exchange: 1 },
    { details: { kind: "empty" }, exchange: 2 },
  ]);
  expect(outcome.sent).toBe(3);
});
