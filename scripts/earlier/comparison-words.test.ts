import { describe, expect, test } from "vitest";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Threshold } from "../../schemas/contracts/threshold.ts";
import { defaultWords } from "../../schemas/words/finding-words.ts";
import { findingFix, findingText } from "../../schemas/words/index.ts";
import { type ComparisonCode, comparisonWords } from "./comparison-words.ts";
import type { Drift } from "./contract-change.ts";
import { driftText } from "./contract-words.ts";

const drift: Drift = { kind: "retailer", rank: "breaking", rule: "retailer.vanished", subject: "acme" };
const threshold: Threshold = {
  metric: "http_req_duration{name:batch,status:200}",
  crossing: "latency-over-limit",
  request: "batch",
  statistic: "p95",
  bound: "most",
  limit: 500,
  unit: "ms",
  met: false,
  guards: "target",
};
const lookup = { subject: "lookup" };

/** One finding of each code, and its sentence. */
const examples: Readonly<Record<ComparisonCode, readonly [Omit<Finding, "code">, string]>> = {
  "newly-failing": [{ actual: ["a", "b"] }, "Newly failing: a, b."],
  "failing-not-judged-before": [{ actual: ["a"] }, "Failing, and not judged before: a."],
  "no-longer-judged": [{ actual: ["a"] }, "No longer judged: a."],
  "breaking-drift": [
    { details: { drift } },
    "Breaking change: The key may no longer use the retailer `acme`.",
  ],
  "threshold-newly-crossed": [
    { ...lookup, details: { threshold } },
    "Lookup: limit newly exceeded: Batch lookup, p95, at most 500 ms.",
  ],
  "threshold-crossed-not-judged-before": [
    { ...lookup, details: { threshold } },
    "Lookup: limit exceeded, and not judged before: Batch lookup, p95, at most 500 ms.",
  ],
  "load-no-longer-measured": [lookup, "Lookup: no longer measured."],
  "nothing-to-compare": [{}, "The runs have neither verdicts nor a load scenario in common."],
  "latency-not-measured": [
    { ...lookup, details: { run: "run-1" } },
    "Lookup: run run-1 measured no latency: its verdict is invalid.",
  ],
  "runs-differ": [
    { ...lookup, details: { parts: [{ part: "host", before: "a machine", after: "another" }] } },
    "Lookup: the runs differ in host (a machine before, another after), so their latency and limits can differ for that reason.",
  ],
  "scenario-not-in-every-run": [lookup, "Lookup: not compared, since only one of the runs has it."],
  "other-target": [
    { expected: "staging", actual: "live" },
    "The runs have different targets: staging before, live after.",
  ],
  "other-key": [{}, "The primary key has changed, so the retailers it may use can differ."],
  "run-not-complete": [
    { details: { run: "run-1" } },
    "Run run-1 did not finish: its contract is not compared.",
  ],
};

test.each(Object.entries(examples))("%s", (code, [finding, sentence]) => {
  const whole = { ...finding, code } as Finding;
  expect(findingText(whole, defaultWords, comparisonWords)).toBe(sentence);
  expect(findingFix(whole, defaultWords, comparisonWords) ?? "Fix.").toMatch(/^[A-Z].*[.…]$/);
});

test("a run that ended with a problem is noted with it", () => {
  const finding: Finding = {
    code: "run-not-complete",
    details: { run: "run-1", problem: "No response: http://a/v1" },
  };
  expect(findingText(finding, defaultWords, comparisonWords)).toBe(
    "Run run-1 did not finish: No response: http://a/v1.",
  );
});

describe("a change of the contract", () => {
  const was = { count: 40, total: 40 };
  const is = { count: 0, total: 38 };
  test.each<[Drift, string]>([
    [
      {
        kind: "field",
        rank: "breaking",
        rule: "field.vanished",
        subject: "title",
        retailers: [{ retailer: "acme", before: was, after: is }],
        more: 3,
      },
      "Field `title`: gone. 40 of 40 products had it, now none of 38 (retailer `acme`). 3 more fields changed in the same way.",
    ],
    [
      {
        kind: "dialect",
        rank: "breaking",
        rule: "dialect.renamed",
        subject: "gtin",
        before: "gtin",
        after: "ean",
      },
      "Place of the GTIN on a product: `gtin` before, `ean` now.",
    ],
    [
      {
        kind: "status",
        rank: "notable",
        rule: "status.server-error",
        subject: "504",
        endpoint: "lookup-by-id",
        before: { count: 0, total: 91 },
        after: { count: 3, total: 93 },
      },
      "Lookup by id, 504 responses: 0 of 91 before, 3 of 93 now.",
    ],
    [
      {
        kind: "limit",
        rank: "notable",
        rule: "limit.lowered",
        subject: "burst",
        before: { accepted: 600, limitReached: false },
        after: { accepted: 60, limitReached: true },
      },
      "Requests accepted in a burst: all 600 before, 60 now.",
    ],
  ])("%j", (change, sentence) => {
    expect(driftText(change)).toBe(sentence);
  });
});
