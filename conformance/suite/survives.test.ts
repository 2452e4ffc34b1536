import { expect, test } from "vitest";
import type { HostileKind } from "../../schemas/contracts/vocabulary.ts";
import { type StubFault, stubContext } from "../../test/support/stub-context.ts";
import { errorOf } from "../../test/support/stub-exchange.ts";
import { query, type Request } from "../client/requests.ts";
import { TransportError } from "../client/transport-error.ts";
import { NotJudged } from "../requirements/outcome.ts";
import type { HostileInput } from "./hostile-input.ts";
import { survives } from "./survives.ts";

const input = (kind: HostileKind): HostileInput => ({
  endpoint: "lookup-by-gtin",
  parameter: "gtin",
  kind,
  request: query("other", { gtin: kind }),
});

const isHostile = ({ endpoint }: Request) => endpoint === "other";
const internalError = errorOf(500, "internal_error", { endpoint: "other" });
const broken = (failure: "reset" | "too big") =>
  new TransportError(failure, "http://stub.example/v1/products");

/** The outcome for these inputs, whose requests have this fault; other requests succeed. */
async function outcomeOf(fault: StubFault, kinds: readonly HostileKind[] = ["long"]) {
  const context = await stubContext((request, correct, respond) =>
    isHostile(request) ? fault(request, correct, respond) : correct,
  );
  return { ...(await survives(context, kinds.map(input))), sent: context.sent.filter(isHostile).length };
}

test.each([200, 400, 404, 413, 414, 415, 431])(
  "a target that returns %i handles the input",
  async (status) => {
    const outcome = await outcomeOf((_request, { response, ...exchange }) => ({
      ...exchange,
      response: { ...response, status },
    }));
    expect(outcome).toMatchObject({ kind: "pass", findings: [{ seen: { count: 1, of: "requests" } }] });
  },
);

test("an error of the service fails, with the input that causes it", async () => {
  const outcome = await outcomeOf(() => internalError);
  expect(outcome).toMatchObject({
    kind: "fail",
    findings: [
      { code: "wrong-status", subject: "gtin", actual: 500, details: { kind: "long" }, exchange: 0 },
    ],
    evidence: [{ response: { status: 500 } }],
  });
});

test("a closed connection fails", async () => {
  expect(await outcomeOf(() => broken("reset"))).toMatchObject({
    kind: "fail",
    findings: [{ code: "closed-on-input", details: { failure: "reset", kind: "long" } }],
  });
});

test("a response that is too big to read does not depend on the input", async () => {
  expect((await outcomeOf(() => broken("too big"))).kind).toBe("pass");
});

test("a target that fails on well-formed requests too is not judged", async () => {
  const context = await stubContext(() => internalError);
  await expect(survives(context, [input("long")])).rejects.toThrow(NotJudged);
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
