import { expect, test } from "vitest";
import type { Waiver } from "../../../schemas/types.ts";
import { addWaivers } from "./add-waivers.ts";
import { parseWaivers } from "./waivers.ts";

const waiver: Waiver = {
  id: "errors.shape",
  reason: 'a "quoted" text: with # and a very long line that goes on and on and on and on and on and on',
  owner: "amy",
  ticket: "12",
  expires: "2026-12-31",
  targets: ["127.0.0.1:8080"],
};
const read = (text: string) => parseWaivers(text, "waivers.yaml", { targets: [] }).map((one) => one.waiver);

test.each([
  ["no file", undefined],
  ["an empty file", ""],
  ["a file with comments alone", "# ours\n"],
  ["no entries any more", "waivers:\n"],
  ["an empty list", "waivers: [] # none\n"],
])("%s: the entry reads as it was meant", (_name, text) => {
  const added = addWaivers(text, [waiver]);
  expect(read(added)).toEqual([waiver]);
  if (text?.includes("ours")) expect(added).toContain("# ours");
});

test("a new file says what it is", () => {
  expect(addWaivers(undefined, [waiver])).toMatch(/^# Known failures .*\n# ticket, /);
});

test("what stands there stays to the letter, and new entries come last", () => {
  const before = `# ours
waivers:
# until the import is mended
- id: batch.partial
  reason: >-
    folded
    text
  owner: "bob" # on leave
  ticket: T-1
  expires: 2026-12-31
`;
  const after = "\n# the end\n";
  const added = addWaivers(before + after, [waiver]);
  expect(added.startsWith(before)).toBe(true);
  expect(added.endsWith(after)).toBe(true);
  expect(read(added).map(({ id }) => id)).toEqual(["batch.partial", "errors.shape"]);
});

test.each([
  ["line ends of another system", "waivers:\r\n  - IN_SHORT\r\n"],
  ["no line end at the end", "waivers:\n  - IN_SHORT"],
  ["entries in brackets", "# ours\nwaivers: [IN_SHORT]\n"],
])("%s", (_name, text) => {
  const short = "{ id: batch.partial, reason: r, owner: o, ticket: t, expires: 2026-12-31 }";
  const added = addWaivers(text.replace("IN_SHORT", short), [waiver]);
  expect(read(added).map(({ id }) => id)).toEqual(["batch.partial", "errors.shape"]);
  expect(added.includes("\r\n")).toBe(text.includes("\r\n"));
  expect(added.replaceAll("\r\n", "")).toMatch(text.includes("\r\n") ? /^[^\n]*$/ : /\n/);
});
