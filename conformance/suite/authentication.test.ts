import { expect, test } from "vitest";
import { type StubFault, stubContext, withBody } from "../../test/support/stub-context.ts";
import section from "./authentication.check.ts";

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
