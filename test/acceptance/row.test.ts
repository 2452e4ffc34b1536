import { describe, expect, test } from "vitest";
import { piecesOf } from "./key-pieces.ts";
import { canaryKey } from "./place.ts";
import { failureOf, mistakesIn } from "./row.ts";

describe("a row is wrong", () => {
  const right = { exit: 3, seconds: 1, megabytes: 100, orphans: [], leaks: [], stdout: "503", stderr: "" };
  const outcome = { ...right, codes: ["failed-requests"] } as const;
  const expected = {
    exit: [3],
    says: /503/,
    finds: ["failed-requests"],
    spares: ["no-products-to-load"],
  } as const;

  test.each([
    ["with another exit code", { exit: 0 }],
    ["without an end", { exit: "no end" }],
    ["when it takes too long", { seconds: 61 }],
    ["with too much memory", { megabytes: 801 }],
    ["with a process left behind", { orphans: ["k6"] }],
    ["with a key somewhere", { leaks: ["stdout"] }],
    ["when it does not say what it must", { stdout: "fine" }],
    ["without any of the findings", { codes: ["no-samples"] as const }],
    ["with a finding that must not be there", { codes: ["failed-requests", "no-products-to-load"] as const }],
    ["when it blames shelfcheck itself", { stderr: "503: This is a bug in shelfcheck" }],
    ["with a stack trace", { stderr: "503\n    at setup (file:///lookup.js:1:2)" }],
  ])("%s", (_name, change) => {
    expect(mistakesIn(outcome, expected)).toEqual([]);
    expect(mistakesIn({ ...outcome, ...change }, expected)).toHaveLength(1);
  });
});

test("a failure names the target, the command, both exit codes and the last line", () => {
  const row = { target: "hangs", command: "load", expect: { exit: [3, 4] } };
  const outcome = {
    exit: 0,
    seconds: 1,
    megabytes: 1,
    orphans: [],
    leaks: [],
    codes: [],
    stderr: "",
  };
  expect(failureOf(row, { ...outcome, stdout: "load: Lookup\nPASSED\n" }).split("\n")).toEqual([
    "target: hangs",
    "command: load",
    "exit: 0, expected 3 or 4",
    "last line: PASSED",
    "wrong: exit 0, not 3 or 4",
  ]);
});

test("a piece of a key is found in every spelling, and in no other text", async () => {
  const keys = { primary: canaryKey(48), sameOrg: canaryKey(8), otherOrg: canaryKey(64) };
  const pieces = piecesOf(Object.values(keys));
  const { primary, sameOrg } = keys;
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
  ]) {
    expect(await pieces.find(`before ${text} after`), text).toBe(true);
  }
  expect(await pieces.find(`${canaryKey(4000)} ${primary.slice(0, 8)}`)).toBe(false);
});
