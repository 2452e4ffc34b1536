import { expect, test } from "vitest";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Threshold } from "../../schemas/contracts/threshold.ts";
import { defaultWords } from "../../schemas/words/finding-words.ts";
import { findingFix, findingText } from "../../schemas/words/index.ts";
import { type ComparisonCode, comparisonWords } from "./comparison-words.ts";

const limits = {
  before: { perSecond: 40, low: 38, high: 42 },
  after: { perSecond: 20, low: 19, high: 21 },
};
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
  "name-changed": [
    { subject: "gtin", expected: "gtin", actual: "ean" },
    "Place of the GTIN on a product: `gtin` before, `ean` now.",
  ],
  "retailer-gone": [{ subject: "acme", details: {} }, "The key may no longer use the retailer `acme`."],
  "retailer-new": [{ subject: "acme" }, "The key may now use the retailer `acme`."],
  "field-gone": [
    { subject: "title", details: { before: { count: 40, total: 40 }, now: 38, retailers: ["acme"] } },
    "Field `title`: gone. 40 of 40 products had it, now none of 38 (retailer `acme`).",
  ],
  "field-type": [
    { subject: "images", expected: "array", actual: "string" },
    "Field `images`: array before, string now.",
  ],
  "field-new": [
    { subject: "products", actual: ["a", "b"], details: { count: 5 } },
    "New on products: `a`, `b`, and 3 more fields.",
  ],
  "limit-halved": [
    { subject: "rate", details: limits },
    "Rate limit: about 40 requests a second (38 to 42) before, about 20 requests a second (19 to 21) now.",
  ],
  "limit-changed": [
    { subject: "rate", details: limits },
    "Rate limit: about 40 requests a second (38 to 42) before, about 20 requests a second (19 to 21) now.",
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
