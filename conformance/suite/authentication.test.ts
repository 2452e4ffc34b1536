import { expect, test } from "vitest";
import { type StubFault, stubContext, withBody } from "../testing/stub-context.ts";
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
