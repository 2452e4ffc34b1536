import { expect, test } from "vitest";
import type { Finding, FindingOf } from "../contracts/finding.ts";
import { defaultWords } from "./finding-words.ts";
import { findingFix, findingText } from "./index.ts";
import type { loadWords } from "./load.ts";

const latency = {
  endpoint: "batch",
  subject: "batch",
  expected: 5,
  actual: 115.2,
  unit: "ms",
  seen: { count: 240, of: "samples" },
  details: { statistic: "p95" },
} as const;

type LoadCode = keyof typeof loadWords;
type Example<Code extends Finding["code"]> = Omit<FindingOf<Code>, "code">;

/** Findings of each code, as a load run makes them; several if the words depend on the finding's fields. */
const examples: { readonly [Code in LoadCode]: readonly [Example<Code>, ...Example<Code>[]] } = {
  "latency-over-limit": [
    latency,
    { ...latency, seen: { count: 8, of: "samples" } },
    { ...latency, expected: 100, details: { statistic: "p95", lateMilliseconds: 60 } },
  ],
  "failed-requests": [
    {
      endpoint: "lookup-by-id",
      subject: "lookup-unknown-product",
      expected: 0.01,
      actual: 0.25,
      unit: "share",
      seen: { count: 1, total: 4, of: "requests" },
    },
  ],
  "share-not-judged": [
    {
      expected: 0.01,
      actual: 6 / 474,
      unit: "share",
      seen: { count: 6, total: 474, of: "requests" },
      details: { crossing: "failed-requests" },
    },
    {
      endpoint: "lookup-by-gtin",
      subject: "lookup-by-gtin",
      expected: 1000,
      actual: 1200,
      unit: "ms",
      seen: { count: 15, of: "samples" },
      details: { crossing: "latency-over-limit", statistic: "p95" },
    },
  ],
  "foreign-responses": [
    { actual: 3, expected: 0, unit: "count", seen: { count: 3, total: 4200, of: "responses" } },
  ],
  "foreign-response": [
    { subject: "category-page", actual: "northmart", details: { what: "retailer" } },
    { subject: "batch", actual: "b/2", details: { what: "product" } },
  ],
  "tenants-kept-apart": [{ seen: { count: 4200, of: "responses" } }],
  "no-tenants-to-load": [{}],
  "rate-limit-reached": [
    { actual: 200, expected: 400, unit: "requests/s" },
    { expected: 30, actual: 50, seen: { count: 12, total: 225, of: "responses" } },
    { expected: 30, actual: 0, unit: "requests/s" },
    { expected: 30, unit: "requests/s", seen: { count: 12, total: 225, of: "responses" } },
    { expected: 30, actual: 20, unit: "requests/s", seen: { count: 1, total: 90, of: "responses" } },
  ],
  "no-samples": [{ subject: "batch", seen: { count: 0, total: 3, of: "requests" } }, { subject: "batch" }],
  "target-gone-under-load": [{ actual: 41, unit: "s" }, {}],
  "capacity-reached": [
    { actual: 430, subject: "p99", unit: "requests/s", details: { limit: 3000, limitUnit: "ms" } },
    { actual: 430, unit: "requests/s" },
    { actual: 430, subject: "failed requests", details: { limit: 0.01, limitUnit: "share" } },
  ],
  "k6-memory": [{ actual: 1300000000, expected: 1200000000, unit: "bytes", details: { seconds: 12 } }],
  "k6-killed": [{ subject: "SIGTERM" }, { subject: "SIGKILL", details: { seconds: 75 } }],
  "k6-overdue": [{ actual: 190, expected: 186, unit: "s" }],
  "load-bounded": [
    { expected: 50, actual: 5, unit: "requests/s" },
    { expected: 50, actual: 4 },
  ],
  "not-the-service": [
    { actual: 200, subject: "https://h/v1/retailers" },
    { actual: 302, subject: "https://h/v1/retailers", details: { location: "https://login.example/" } },
  ],
  "no-products-to-load": [{}],
  "items-lost": [{ path: "/errors", expected: 16, actual: 11 }],
  "category-emptied": [{ path: "/products", expected: 17 }],
  "response-too-big": [{ subject: "GET /products/a/1", actual: 8000000, unit: "bytes" }],
  "capacity-not-reached": [
    { actual: 600, unit: "requests/s" },
    { actual: 76, unit: "requests/s", seen: { count: 85, of: "requests" } },
  ],
  "status-before-load": [
    { actual: 503, subject: "https://h/v1/retailers" },
    { actual: 502, subject: "https://h/v1/retailers", from: { by: "unclear", name: "nginx" } },
  ],
  "failed-by-status": [{ seen: { count: 5, total: 600, of: "requests" }, details: { "500": 1, "502": 4 } }],
  "invalid-responses": [
    {
      subject: "batch",
      endpoint: "batch",
      expected: 0,
      actual: 0.02,
      unit: "share",
      seen: { count: 3, total: 150, of: "responses" },
    },
  ],
  "retry-after-malformed": [
    { expected: 0, actual: 3, unit: "count", seen: { count: 3, total: 7, of: "responses" } },
  ],
  "cursor-repeated": [{ expected: 0, actual: 1, unit: "count", seen: { count: 1, of: "iterations" } }],
  "other-organization-refused": [
    { expected: 0, actual: 2, unit: "count", seen: { count: 2, total: 40, of: "requests" } },
  ],
  "iterations-dropped": [
    { seen: { count: 12, total: 600, of: "iterations" }, details: { virtualUsers: 20 } },
  ],
  "iterations-late": [{ expected: 500, actual: 812.4, unit: "ms" }],
  "script-exceptions": [{ seen: { count: 2, of: "iterations" } }],
  "nothing-checked": [{ subject: "batch" }],
  "undecodable-body": [{}, { subject: "https://h/v1/retailers" }],
  "slower-than-planned": [
    { expected: 500, actual: 2300, unit: "ms", seen: { count: 4, total: 60, of: "iterations" } },
    { expected: 2000, actual: 10_000, seen: { count: 4, of: "iterations" }, details: { silent: 400 } },
  ],
  "load-interrupted": [{}],
  "generator-starved": [{ actual: 0.62, unit: "share" }],
  "search-seen": [{ details: { held: 387 } }, { details: { held: 0 } }],
  "machine-busy": [{ actual: 0.96, unit: "share" }],
  "search-on-busy-machine": [{ actual: 0.98, unit: "share" }],
  "search-figures-lost": [{}, { seen: { count: 12, total: 60, of: "samples" } }],
  "no-answer-before-load": [{ subject: "https://h/v1/retailers", details: { error: "dial: i/o timeout" } }],
  "key-rejected-before-load": [{ subject: "https://h/v1/retailers", actual: 401 }],
  "k6-exit": [{ actual: 108 }],
  "no-summary": [{ actual: 104 }, {}],
  "no-batch-field": [{}],
  "probe-starved": [{ seen: { count: 10, total: 400, of: "requests" } }],
  "refused-after-waits": [{ seen: { count: 3, total: 8, of: "attempts" } }],
  "iterations-withheld": [{ seen: { count: 2, of: "iterations" } }],
  "no-walk-ended": [{}],
  "responses-unchecked": [{ seen: { count: 10, total: 859, of: "requests" } }],
  "repeats-uncounted": [{}],
  "batches-unserved": [{ seen: { count: 3, of: "requests" } }],
  "polite-result": [{ actual: 19.6, unit: "requests/s", seen: { count: 1, total: 12, of: "attempts" } }],
  "rate-limit-found": [
    {
      actual: 20,
      unit: "requests/s",
      details: { perSecond: 20, low: 18.5, high: 21.4, burst: 60, burstLow: 55.2, burstHigh: 62 },
    },
  ],
  "expected-rate-limit": [
    { expected: 50, details: { of: "perSecond", low: 58.2, high: 61, outcome: "excluded" } },
    { expected: 50, details: { of: "perSecond", low: 2287, outcome: "excluded" } },
    { expected: 100, details: { of: "burst", low: 150, outcome: "excluded" } },
    { expected: 50, details: { of: "perSecond", low: 49.9, high: 50.5, outcome: "met" } },
    { expected: 100, details: { of: "burst", outcome: "open" } },
    { expected: 99, details: { of: "burst", low: 60, high: 62, outcome: "excluded" } },
  ],
  "rate-limit-not-found": [
    { actual: 400, unit: "requests/s" },
    { actual: 400, unit: "requests/s", details: { refusedShare: 0.4 } },
  ],
  "other-organization-asked": [{ seen: { count: 0, total: 16, of: "requests" } }],
  "waits-kept": [{ seen: { count: 3, total: 3, of: "attempts" } }],
};

const findings = Object.entries(examples).flatMap(([code, all]) =>
  all.map((example) => ({ ...example, code }) as Finding),
);
const words = (finding: Finding) => [findingText(finding, defaultWords), findingFix(finding, defaultWords)];

// After an intended change: npx vitest run schemas/words -u
test("every finding has its words", async () => {
  const lines = findings.map((finding) => {
    const [text, fix] = words(finding);
    return `${finding.code}: ${text}${fix === undefined ? "" : `\n  fix: ${fix}`}`;
  });
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("load.snapshot.txt");
});

test("words are sentences: a capital first, a full stop last, no undefined value", () => {
  for (const sentence of findings.flatMap(words)) {
    if (sentence === undefined) continue;
    expect(sentence).toMatch(/^([A-Z0-9]|k6|shelfcheck).*\.$/);
    expect(sentence).not.toMatch(/undefined|NaN|\[object| {2}/);
  }
});
