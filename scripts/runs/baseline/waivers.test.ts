import { describe, expect, test } from "vitest";
import type { Waiver } from "../../../schemas/contracts/waivers.ts";
import { addWaivers, parseWaivers } from "./waivers.ts";

const known = { targets: ["embedded", "staging"] };
const parse = (text: string) => parseWaivers(text, "waivers.yaml", known);
/** Waivers with these lines, each with everything that it does not state itself. */
const entries = (...lines: readonly string[]) => {
  const usual = { reason: "r", owner: "o", ticket: "T-1", expires: "2026-12-31" };
  const missing = (line: string) =>
    Object.entries(usual).flatMap(([key, value]) => (line.includes(`${key}:`) ? [] : `${key}: ${value}`));
  return `waivers:\n${lines.map((line) => `  - { ${[line, ...missing(line)].join(", ")} }\n`).join("")}`;
};

describe("parsing", () => {
  test("each entry with its line; comments are ignored", () => {
    const text = `# ours
waivers:
  # until the import is fixed
  - id: batch.partial
    reason: the import
    owner: amy
    ticket: T-1
    expires: 2026-12-31 # a day, not a moment

  - id: errors.shape/every-response
    reason: r
    owner: o
    ticket: "12"
    expires: "2028-02-29"
    targets: [staging]
    flaky: true
`;
    expect(parse(text)).toEqual([
      {
        waiver: {
          id: "batch.partial",
          reason: "the import",
          owner: "amy",
          ticket: "T-1",
          expires: "2026-12-31",
        },
        where: "waivers.yaml, line 4",
      },
      {
        waiver: {
          id: "errors.shape/every-response",
          reason: "r",
          owner: "o",
          ticket: "12",
          expires: "2028-02-29",
          targets: ["staging"],
          flaky: true,
        },
        where: "waivers.yaml, line 10",
      },
    ]);
  });

  test.each([
    "",
    "# nothing any more\n",
    "waivers:\n",
    "waivers: []\n",
    "waivers:\n  # - id: errors.shape\n",
  ])("no entries: %j", (text) => expect(parse(text)).toEqual([]));

  test("the same id for different targets", () => {
    const two = entries(
      "id: errors.shape, targets: [staging]",
      `id: errors.shape, targets: [embedded, "127.0.0.1:8080"]`,
    );
    expect(parse(two)).toHaveLength(2);
  });
});

describe("mistakes are reported with line, key and fix", () => {
  test.each<[string, text: string, expected: string]>([
    [
      "an unknown id",
      entries("id: errors.shap"),
      'No requirement or check has the id "errors.shap": waivers.yaml, line 2, id. Did you mean errors.shape?',
    ],
    [
      "an unknown check",
      entries("id: errors.shape/every-anser"),
      "Did you mean errors.shape/every-response?",
    ],
    ["an id similar to none", entries("id: zzz"), "To list all: npx shelfcheck conformance --plan"],
    ["a section", entries("id: errors"), '"errors" is a section of the spec'],
    ["a requirement that nothing judges", entries("id: retailers.live"), "there is nothing to waive"],
    [
      "a date that does not exist",
      entries("id: errors.shape, expires: 2026-02-30"),
      'The date 2026-02-30 does not exist: waivers.yaml, line 2, expires. Expected a date such as "2026-12-31"',
    ],
    [
      "the 29th of February of a common year",
      entries("id: errors.shape, expires: 2027-02-29"),
      "The date 2027-02-29 does not exist",
    ],
    [
      "a moment",
      entries(`id: errors.shape, expires: "2026-12-31T00:00:00Z"`),
      "line 2, expires. Expected a date such as",
    ],
    [
      "what narrowed a waiver in earlier versions",
      entries("id: errors.shape, only: { status: 404 }"),
      "This was removed: waivers.yaml, waivers.0.only. Remove it, and name a check as id",
    ],
    ["a short day", entries("id: errors.shape, expires: 2026-1-1"), "Expected a date such as"],
    [
      "a missing key",
      "waivers:\n  - id: errors.shape\n    reason: r\n    owner: o\n    expires: 2026-12-31\n",
      "The key ticket is missing: waivers.yaml, line 2. Add it. Description: Where the fix is tracked.",
    ],
    [
      "an unknown key",
      "waivers:\n  - id: errors.shape\n    expires: 2026-12-31\n    reason: r\n    owner: o\n    ticket: t\n    tagets: [staging]\n",
      'Unknown key "tagets": waivers.yaml, line 7, tagets. Did you mean targets?',
    ],
    ["an unknown key at the top", "waiver:\n  - id: errors.shape\n", 'Unknown key "waiver"'],
    ["a number", entries("id: errors.shape, ticket: 12"), "Put it in quotes."],
    [
      "an empty text",
      entries(`id: errors.shape, reason: ""`),
      "The string is empty: waivers.yaml, line 2, reason. Enter a value.",
    ],
    [
      "no target at all",
      entries("id: errors.shape, targets: []"),
      "The list is empty: waivers.yaml, line 2, targets. Enter a value. Description: Targets that it holds for.",
    ],
    [
      "an unknown target",
      entries("id: errors.shape, targets: [stagin]"),
      'There is no target "stagin": waivers.yaml, line 2, targets. Did you mean staging?',
    ],
    [
      "one id twice",
      entries("id: errors.shape", "id: errors.shape, expires: 2027-12-31"),
      "errors.shape is waived twice: waivers.yaml, line 3, id. Keep one",
    ],
    [
      "a check beside its requirement",
      entries("id: errors.shape, targets: [staging]", "id: errors.shape/every-response"),
      "errors.shape/every-response is waived twice: an entry above waives errors.shape",
    ],
    [
      "a threshold of no scenario",
      entries(`id: "load.lokup/invalid_responses"`),
      "is not a limit on load that can be waived",
    ],
    [
      "one threshold twice",
      entries("id: load.batch/refusals_malformed", "id: load.batch/refusals_malformed"),
      "load.batch/refusals_malformed is waived twice",
    ],
    ["not YAML", "waivers:\n  - id: [errors.shape\n", "The waivers are not valid YAML: waivers.yaml, line 3"],
    [
      "a key twice",
      "waivers:\n  - id: a\n    id: b\n",
      "The waivers are not valid YAML: waivers.yaml, line 3",
    ],
    [
      "a blank owner",
      entries(`id: errors.shape, owner: " "`),
      "The owner is blank: waivers.yaml, line 2, owner.",
    ],
    [
      "an alias of nothing",
      "waivers: *known\n",
      "The waivers are not valid YAML: waivers.yaml. Unresolved alias",
    ],
    ["a list at the top", "- id: errors.shape\n", "Expected an object"],
  ])("%s", (_name, text, expected) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringContaining(expected) }),
    );
  });

  test("several mistakes at once", () => {
    const text = entries("id: erors.shape, expires: 2026-02-30", "id: zzz, expires: 2026-13-01");
    expect(() => parse(text)).toThrow(
      /^4 mistakes in the waivers: waivers\.yaml(.*line 2, ){2}(.*line 3, ){2}/s,
    );
  });
});

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
])("%s: the added entry can be parsed again", (_name, text) => {
  const added = addWaivers(text, [waiver]);
  expect(read(added)).toEqual([waiver]);
  if (text?.includes("ours")) expect(added).toContain("# ours");
});

test("a new file starts with an explanation", () => {
  expect(addWaivers(undefined, [waiver])).toMatch(/^# Known failures .*\n# load\), reason, /);
});

test("the existing text stays unchanged, and new entries come last", () => {
  const before = `# ours
waivers:
# until the import is fixed
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
