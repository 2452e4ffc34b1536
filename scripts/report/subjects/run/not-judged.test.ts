import { expect, test } from "vitest";
import type { Finding } from "../../../../schemas/contracts/finding.ts";
import { causeOf } from "../../../../schemas/words/index.ts";
import {
  exampleCheck,
  exampleRequirement,
  exampleResults,
} from "../../../../test/support/samples/example.ts";
import { runReport } from "./run.ts";

const noCategory: Finding = { code: "no-category" };
const noProduct: Finding = { code: "no-product", details: { categories: ["hats"] } };
const unlisted: Finding = { code: "no-product", details: { categories: ["hats"], unlisted: 101 } };
const tooBig: Finding = { code: "no-answer", subject: "too big", details: { url: "http://a.example/v1" } };

/** Causes of each requirement that was not judged, and the expected groups. */
const situations: Readonly<Record<string, readonly [Finding[][], readonly string[]]>> = {
  "retailers that are not listed, with both keys, on any number of products": [
    [[unlisted], [{ code: "no-product", details: { categories: ["hats"], unlisted: 40 } }, unlisted]],
    ["2: GET /retailers does not list the retailers of 101 products"],
  ],
  "no product at all is another cause": [
    [[unlisted], [noProduct]],
    ["1: GET /retailers does not list", "1: Category `hats` returned this key no product"],
  ],
  "everything refused with 429, after more or fewer attempts": [
    [8, 6, 8].map((count) => [{ code: "still-rate-limited", seen: { count, of: "attempts" } }]),
    ["3: Still refused with 429 after 8 waits"],
  ],
  "a target that is abandoned after responses that are too large": [
    [[tooBig], [{ ...tooBig, endpoint: "batch" }]],
    [
      "2: A request such as `http://a.example/v1` got no complete response: the response is larger than shelfcheck reads.",
    ],
  ],
  "no category, and one key": [
    [[noCategory], [noCategory, { code: "no-other-org-key" }], [{ code: "no-other-org-key" }], [noCategory]],
    ["3: No category was given.", "2: No key of another organization is set."],
  ],
  "a status that two checks miss": [
    [400, 404].map((status) => [
      {
        code: "no-response-exercised",
        subject: "status",
        expected: [status],
        details: { provokedBy: `x.${status}` },
      },
    ]),
    ["1: No response with status 400", "1: No response with status 404"],
  ],
  "a limit that two checks never reach": [
    [600, 480].map((count) => [
      { code: "limit-not-reached", seen: { count, of: "requests" }, actual: 300, unit: "requests/s" },
    ]),
    ["2: A burst of 600 requests at 300/s got no 429."],
  ],
};

const reportWith = (all: readonly (readonly Finding[])[]) => {
  const requirements = all.map((causes, at) =>
    exampleRequirement({
      id: `x.${at}`,
      verdict: "inconclusive",
      checks: causes.map((cause, n) => ({
        ...exampleCheck({ id: `x.${at}/${n}`, verdict: "inconclusive" }),
        findings: [cause],
      })),
    }),
  );
  return runReport(exampleResults({ exitCode: 4, cause: "not-judged", requirements }));
};

test.each(Object.entries(situations))("%s", (_name, [causes, groups]) => {
  const suite = reportWith(causes).suites.find(({ id }) => id === "not-judged");
  const lines = suite?.lines.map((line) => line.replace(/ requirements?/, ""));
  expect(lines).toEqual(groups.map((group) => expect.stringContaining(group)));
});

test("a run that passed tells what was not judged, as of a SHOULD, from what is excused", () => {
  const verdict = "inconclusive";
  const checks = [exampleCheck({ verdict, findings: [noCategory] })];
  const open = exampleRequirement({ level: "should", verdict, checks });
  const requirements = [exampleRequirement(), open, { ...open, level: "must", excused: "optional" } as const];
  const repeat = { itemCommands: () => [{ label: "Repeat", command: "again" }] };
  const { headline, suites } = runReport(exampleResults({ requirements }), { added: [repeat] });
  expect(headline.why).toBe("1 requirement passed, 1 not judged, and 1 excused.");
  const items = suites.find(({ id }) => id === "not-judged")?.items ?? [];
  const labels = items.map(({ commands }) => commands.map(({ label }) => label));
  expect(labels, "an excused one cannot be judged another time").toEqual([["Repeat", "Ticket"], ["Ticket"]]);
});

test("the sentence of an incomplete run names its most frequent cause", () => {
  expect(reportWith([[noCategory], [noCategory], [unlisted]]).headline.why).toBe(
    "Nothing failed. 3 of 3 requirements were not judged, 2 of them for one reason: No category was given.",
  );
});

test.each<[Finding, Finding, boolean]>([
  [tooBig, { ...tooBig, subject: "reset" }, false],
  [
    { code: "no-product-with", subject: "gtin", details: { retailer: "a" } },
    { code: "no-product-with", subject: "gtin", details: { retailer: "b" } },
    false,
  ],
  [
    { code: "control-failed", endpoint: "batch", actual: 404 },
    { code: "control-failed", endpoint: "batch", actual: 500 },
    false,
  ],
  [
    { code: "catalog-changed", product: { retailer: "a", productId: "1" } },
    { code: "catalog-changed", product: { retailer: "b", productId: "2" } },
    false,
  ],
  [
    { code: "no-retailer", subject: "primary", actual: 200 },
    { code: "no-retailer", subject: "otherOrg", actual: 200 },
    false,
  ],
])("%j and %j have one root: %s", (one, other, isSame) => {
  expect(causeOf(one) === causeOf(other)).toBe(isSame);
});
