import { expect, test } from "vitest";
import { piecesOf } from "./key-pieces.ts";
import { canaryKey } from "./place.ts";
import { mistakesIn } from "./row.ts";

const outcome = {
  ...{ exit: 3, seconds: 1, megabytes: 100, orphans: [], leaks: [], stdout: "503\n", stderr: "" },
  codes: ["failed-requests"],
} as const;
const expected = { exit: [3], says: /503/, finds: ["failed-requests"], spares: ["no-samples"] } as const;

test.each([
  ["with another exit code", { exit: 0 }],
  ["without an end", { exit: "no end" }],
  ["when it takes too long", { seconds: 61 }],
  ["with too much memory", { megabytes: 801 }],
  ["with a process left behind", { orphans: ["k6"] }],
  ["with a key somewhere", { leaks: ["stdout"] }],
  ["when it does not say what it must", { stdout: "fine" }],
  ["without any of the findings", { codes: ["no-products-to-load"] as const }],
  ["with a finding that must not be there", { codes: ["failed-requests", "no-samples"] as const }],
  ["when it blames shelfcheck itself", { stderr: "503: This is a bug in shelfcheck" }],
  ["with a stack trace", { stderr: "503\n    at setup (file:///lookup.js:1:2)" }],
  ["with a problem of its own", { wrong: ["the redirect was followed"] }],
])("a row is wrong %s", (_name, change) => {
  expect(mistakesIn(outcome, expected)).toEqual([]);
  expect(mistakesIn({ ...outcome, ...change }, expected)).toHaveLength(1);
});

test("a piece of a key is found in every spelling, and in no other text", async () => {
  const [primary, sameOrg] = [canaryKey(48), canaryKey(8)];
  const pieces = piecesOf([primary, sameOrg, canaryKey(64)]);
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  for (const text of [
    primary.slice(5, 20),
    primary.toUpperCase(),
    sameOrg,
    base64(primary),
    base64(`x:${primary}`),
    base64(`xy:${primary}`),
    Buffer.from(`xyz:${primary}`).toString("base64url"),
    Buffer.from(primary).toString("hex"),
  ])
    expect(await pieces.find(`before ${text} after`), text).toBe(true);
  expect(await pieces.find(`${canaryKey(4000)} ${primary.slice(0, 8)}`)).toBe(false);
});
