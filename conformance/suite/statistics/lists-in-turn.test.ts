import { expect, test } from "vitest";
import { isObject } from "../../../schemas/json.ts";
import { type StubFault, stubContext, withBody } from "../../../test/support/stub-context.ts";
import section from "./lists-in-turn.check.ts";

const [check] = section.checks;

/** Of each round of lists, those at these places lack a retailer. */
function shorter(isShorter: (count: number) => boolean): StubFault {
  let count = 0;
  return ({ endpoint }, correct) => {
    const { json } = correct.response;
    if (endpoint !== "retailers" || !isObject(json) || !Array.isArray(json.retailers)) return correct;
    return isShorter(count++) ? withBody(correct, { retailers: json.retailers.slice(1) }) : correct;
  };
}

const outcomeWith = async (isShorter: (count: number) => boolean) => {
  const context = await stubContext(shorter(isShorter));
  return { ...(await check?.run(context)), sent: context.sent.length };
};

test("equal lists pass with the requests of the plan", async () => {
  expect(await outcomeWith(() => false)).toMatchObject({ kind: "pass", sent: check?.requests });
});

test.each([
  ["half", 2],
  ["a fifth", 5],
])("instances of which %s differ fail", async (_name, every) => {
  expect(await outcomeWith((count) => count % every === 1)).toMatchObject({
    kind: "fail",
    findings: [
      {
        code: "instances-differ",
        expected: ["acme"],
        actual: [],
        details: { counts: [expect.any(Number), expect.any(Number)] },
      },
    ],
  });
});

test.each<[string, (count: number) => boolean]>([
  ["a grant", (count) => count > 4],
  ["a retailer that is disabled for a moment", (count) => count > 2 && count < 6],
  [
    "a change that reaches the instances one after the other",
    (count) => count > 12 || (count > 3 && count % 2 === 0),
  ],
])("%s passes", async (_name, isShorter) => {
  expect(await outcomeWith(isShorter)).toMatchObject({ kind: "pass" });
});

test("a list that came back three times, of few, is a warning", async () => {
  expect(await outcomeWith((count) => [2, 40].includes(count))).toMatchObject({ kind: "warn" });
});
