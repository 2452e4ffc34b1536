import { expect, test } from "vitest";
import type { Finding, LoadCode } from "../contracts/finding.ts";
import { defaultWords } from "./finding-words.ts";
import { findingFix, findingText } from "./index.ts";
import { loadWords } from "./load.ts";
import { limitFigures, thresholdFigures, thresholdLabel } from "./thresholds.ts";

const slow: Finding = {
  code: "latency-over-limit",
  endpoint: "batch",
  subject: "batch",
  expected: 5,
  actual: 115.2,
  unit: "ms",
  seen: { count: 240, of: "samples" },
  details: { statistic: "p95" },
};

test.each<[Finding, string]>([
  [slow, "Batch lookup, p95: 115 ms, limit 5 ms."],
  [{ ...slow, seen: { count: 8, of: "samples" } }, "Batch lookup, p95: 115 ms, limit 5 ms. Only 8 samples."],
  [
    {
      code: "failed-requests",
      endpoint: "lookup-by-id",
      subject: "lookup-unknown-product",
      expected: 0.01,
      actual: 0.25,
      unit: "share",
      seen: { count: 1, total: 4, of: "requests" },
    },
    "Lookup of an unknown product, failed requests: 25 % (1 of 4), limit 1 %.",
  ],
  [
    {
      code: "share-not-judged",
      endpoint: "lookup-by-id",
      subject: "lookup-unknown-product",
      expected: 0.01,
      actual: 0.25,
      unit: "share",
      seen: { count: 1, total: 4, of: "requests" },
      details: { crossing: "failed-requests", needed: 300 },
    },
    "Lookup of an unknown product, failed requests: 25 % (1 of 4), limit 1 %. Not judged: 4 requests are too few to measure 1 % (300 needed).",
  ],
  [{ code: "threshold-waived", details: { waived: slow } }, "Waived: Batch lookup, p95: 115 ms, limit 5 ms."],
  [
    { code: "rate-limit-reached", actual: 200, expected: 400, unit: "requests/s" },
    "Rate limit reached at 200/s: the rate of the profile is 400/s.",
  ],
  [
    {
      code: "rate-limit-reached",
      expected: 30,
      actual: 50,
      seen: { count: 12, total: 225, of: "responses" },
    },
    "The target accepted 50/s and refused 12 further requests with 429. The rate of the profile is 30/s, but late and repeated requests are added to it.",
  ],
  [
    {
      code: "too-few-virtual-users",
      actual: 2,
      expected: 4,
      details: { rate: 50, milliseconds: 80 },
    },
    "2 virtual users are too few for 50/s at 80 ms: at least 4 (--vus).",
  ],
  ...(
    [
      [1, "the only request"],
      [2, "both requests"],
      [3, "all 3 requests"],
    ] as const
  ).map(([total, which]): [Finding, string] => [
    { code: "no-samples", subject: "batch", seen: { count: 0, total, of: "requests" } },
    `Batch lookup: ${which} failed, so there is no latency to judge.`,
  ]),
  [{ code: "target-gone-under-load", actual: 41, unit: "s" }, "The target stopped responding after 41 s."],
  [
    {
      code: "gave-way",
      actual: 430,
      subject: "p99",
      unit: "requests/s",
      details: { limit: 3000, limitUnit: "ms" },
    },
    "Limits exceeded at 430/s: p99 above 3 s.",
  ],
  [
    { code: "k6-memory", actual: 1.3e9, expected: 1.2e9, unit: "bytes", details: { seconds: 12 } },
    "k6's memory passed 1.2 GB after 12 s, so k6 was stopped: most likely the target sent an endless body, or a compressed one that expands to a very large size.",
  ],
  [
    { code: "k6-killed", subject: "SIGKILL", actual: 5.9e9, expected: 8e9, unit: "bytes" },
    "k6 was killed by SIGKILL from outside, while using 5.9 GB of 8 GB: most likely the system ran out of memory.",
  ],
  [{ code: "k6-silent", actual: 62, unit: "s" }, "k6 wrote nothing for 1 min 2 s and was stopped."],
  [
    { code: "k6-overdue", actual: 190, expected: 186, unit: "s" },
    "k6 still ran after 3 min 10 s and was stopped: the profile takes at most 3 min 6 s.",
  ],
  [
    { code: "rate-bounded", expected: 50, actual: 5, unit: "requests/s" },
    "Sent at most 5/s, the maxRequestsPerSecond of the target: the rate of the profile is 50/s.",
  ],
  [
    { code: "users-bounded", expected: 50, actual: 4 },
    "Sent by at most 4 virtual users, the maxConcurrency of the target: the profile would use 50.",
  ],
  [
    { code: "not-the-service", actual: 200, subject: "https://h/v1/retailers" },
    "GET https://h/v1/retailers returned 200 without a list of retailers before the load began.",
  ],
  [
    {
      code: "not-the-service",
      actual: 302,
      subject: "https://h/v1/retailers",
      details: { location: "https://login.example/" },
    },
    "GET https://h/v1/retailers was redirected (302) to https://login.example/ before the load began.",
  ],
  [{ code: "no-products-to-load" }, "No load was sent: no products were found."],
  [
    { code: "no-products-to-load", details: { categories: ["hats, caps", "shoes"] } },
    'No load was sent: no products were found in "hats, caps" and "shoes".',
  ],
  [
    { code: "no-products-to-load", details: { explained: true } },
    "No load was sent: no products were found.",
  ],
  [
    { code: "response-too-big", subject: "GET /products/a/1", actual: 8e6, unit: "bytes" },
    "The response to GET /products/a/1 is larger than 8 MB. It was requested again after k6's memory had passed its limit.",
  ],
  [{ code: "held-up-to", actual: 600, unit: "requests/s" }, "Within limits up to 600/s."],
  [
    { code: "status-before-load", actual: 503, subject: "https://h/v1/retailers" },
    "GET https://h/v1/retailers returned 503 before the load began.",
  ],
  [
    {
      code: "status-before-load",
      actual: 502,
      subject: "https://h/v1/retailers",
      details: { gateway: "nginx/1.22" },
    },
    "A gateway (nginx/1.22) responded with 502 to GET https://h/v1/retailers before the load began.",
  ],
  [
    {
      code: "failed-by-status",
      seen: { count: 5, total: 600, of: "requests" },
      details: { 500: 1, 502: 4 },
    },
    "The service itself failed 5 of 600 requests (0.833 %): 1 with 500, 4 with 502.",
  ],
  [
    {
      code: "lost-on-the-way",
      seen: { count: 94, total: 127, of: "requests" },
      details: { proxy: 94 },
    },
    "On the way: 94 of 127 requests were not forwarded by the proxy.",
  ],
  [
    {
      code: "lost-on-the-way",
      subject: "nginx/1.22",
      seen: { count: 5, total: 1600, of: "requests" },
      details: { 502: 4, proxy: 1 },
    },
    "On the way: a gateway (`nginx/1.22`) responded to 5 of 1,600 requests in place of the service: 4 with 502; 1 not forwarded by the proxy.",
  ],
  [
    {
      code: "lost-on-the-way",
      seen: { count: 7, total: 1600, of: "requests" },
      details: { "unknown host": 4, "open files": 3 },
    },
    "On the way: 7 of 1,600 requests did not reach the service: 4 not sent, because the host name did not resolve; 3 not sent, because this machine had too many open files.",
  ],
  [
    {
      code: "lost-on-the-way",
      seen: { count: 4, total: 1600, of: "requests" },
      details: { unreachable: 4 },
    },
    "On the way: 4 of 1,600 requests were not sent, because there was no route to the host.",
  ],
  [
    {
      code: "lost-on-the-way",
      subject: "nginx",
      seen: { count: 41, total: 60, of: "requests" },
      details: { 413: 40, other: 1 },
    },
    "On the way: a gateway (`nginx`) responded to 41 of 60 requests in place of the service: 40 with 413, 1 with another status.",
  ],
  [
    {
      code: "requests-without-response",
      seen: { count: 12, total: 1600, of: "requests" },
      details: { silent: 9, reset: 3 },
    },
    "12 of 1,600 requests (0.75 %) got no response: no response came in time (9), the connection was closed before the response was complete (3).",
  ],
])("%j", (finding, text) => {
  expect(findingText(finding, defaultWords)).toBe(text);
});

test.each(Object.keys(loadWords) as LoadCode[])("%s is a sentence, and so is its fix", (code) => {
  const finding: Finding = { ...slow, code, details: { ...slow.details, waived: slow } };
  expect(findingText(finding, defaultWords)).toMatch(/^([A-Z0-9]|k6).*\.$/);
  expect(findingFix(finding, defaultWords) ?? "Fix.").toMatch(/^[A-Z].*[.]$/);
});

test("a threshold is shown in words, not as a k6 expression", () => {
  const threshold = {
    metric: "invalid_responses{name:lookup-by-id}",
    crossing: "invalid-responses",
    request: "lookup-by-id",
    statistic: "share",
    bound: "most",
    limit: 0,
    value: 0.02,
    unit: "share",
    met: false,
    guards: "target",
  } as const;
  expect(thresholdLabel(threshold)).toBe("Lookup by id, invalid responses");
  expect(thresholdFigures(threshold)).toBe("2 %, limit 0 %");
  expect(limitFigures(threshold)).toBe("at most 0 %");
  expect(thresholdLabel({ ...threshold, crossing: "latency-over-limit", statistic: "p99" })).toBe(
    "Lookup by id, p99",
  );
});
