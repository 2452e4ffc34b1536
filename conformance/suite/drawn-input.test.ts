import { expect, test } from "vitest";
import type { Request } from "../client/requests.ts";
import { TransportError } from "../client/transport-error.ts";
import type { CheckContext } from "../engine/check.ts";
import { NotJudged } from "../engine/outcome.ts";
import { discovered } from "../testing/stub-discovery.ts";
import { errorOf, exchangeOf } from "../testing/stub-exchange.ts";
import { survivesDrawn } from "./drawn-input.ts";

const target = { name: "stub", baseUrl: "", keys: {}, categories: [], dialect: {}, timeoutMilliseconds: 1 };
const broken = new TransportError("reset", "http://stub.example/v1/products");

/** A target that answers drawn requests so, and any other with success; what it was asked. */
async function drawnAt(answer: CheckContext["tryOut"], fuzz: NonNullable<CheckContext["fuzz"]>) {
  const { fixtures, dialect } = await discovered();
  const asked: string[] = [];
  const fine = async () => exchangeOf("retailers", { retailers: [] });
  const outcome = await survivesDrawn({
    fixtures,
    dialect,
    target,
    ask: fine,
    shared: fine,
    known: () => undefined,
    control: fine,
    sendAtOnce: fine,
    once: (_, work) => work(),
    sleep: async () => undefined,
    exchanges: [],
    effort: 1,
    fuzz,
    tryOut: async (request) => {
      asked.push(`${request.path} ${request.body ?? ""}`);
      return await answer(request);
    },
  });
  return { outcome, asked };
}

const refused = async () => errorOf(400, "bad_request", { endpoint: "other" });
const failingOn = (pattern: RegExp) => async (request: Request) =>
  pattern.test(request.path) ? errorOf(500, "internal_error", { endpoint: "other" }) : await refused();

test("as many as asked for, the same for the same seed, and others for another", async () => {
  const one = await drawnAt(refused, { runs: 50, seed: 1 });
  expect(one.outcome).toMatchObject({ kind: "pass", findings: [{ seen: { count: 50 } }] });
  expect(one.asked).toHaveLength(50);
  expect((await drawnAt(refused, { runs: 50, seed: 1 })).asked).toEqual(one.asked);
  expect((await drawnAt(refused, { runs: 50, seed: 2 })).asked).not.toEqual(one.asked);
  for (const path of one.asked.filter((text) => text.startsWith("/products")))
    expect(path.split(" ")[0]?.length).toBeLessThan(8000);
});

test("what the target fails on is shrunk to the least, with what draws it again", async () => {
  const { outcome } = await drawnAt(failingOn(/cursor=.*%0/), { runs: 2000, seed: 3 });
  expect(outcome.kind).toBe("fail");
  const [finding] = outcome.findings;
  expect(finding).toMatchObject({ code: "wrong-status", subject: "cursor", actual: 500 });
  expect(finding?.details).toMatchObject({ runs: 2000, seed: 3 });
  expect(String(finding?.details?.value)).toMatch(/^%0[0-9A-F]$/);
});

test("a closed connection is a failure, too", async () => {
  const { outcome } = await drawnAt(async () => broken, { runs: 5, seed: 1 });
  expect(outcome).toMatchObject({ kind: "fail", findings: [{ code: "closed-on-input" }] });
});

test("what keeps it from being judged is no failure of the target", async () => {
  const spent = new NotJudged({ code: "budget-spent", subject: "requests", expected: 9 });
  const stopping = async () => Promise.reject(spent);
  await expect(drawnAt(stopping, { runs: 5, seed: 1 })).rejects.toBe(spent);
});

test("a response that is too big to be read is not held against the input", async () => {
  const tooBig = async () => new TransportError("too big", "http://stub.example/v1/products");
  expect((await drawnAt(tooBig, { runs: 20, seed: 1 })).outcome).toMatchObject({ kind: "pass" });
  expect((await drawnAt(async () => broken, { runs: 20, seed: 1 })).outcome).toMatchObject({ kind: "fail" });
});
