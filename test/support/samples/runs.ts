import type { Finding } from "../../../schemas/contracts/finding.ts";
import type { Results } from "../../../schemas/contracts/results.ts";
import {
  exampleCheck,
  exampleEnvironment,
  exampleExchange,
  exampleLoad,
  exampleRequirement,
  exampleResults,
  exampleThreshold,
  timed,
} from "./example.ts";
import { soak } from "./failing.ts";

/** A gate of the built-in service in which everything passed, with a smoke load and what was discovered. */
export function conformantRun(): Results {
  return exampleResults({
    target: {
      name: "embedded",
      baseUrl: "http://127.0.0.1:4010/v1",
      keyFingerprint: "0123456789ab",
      builtIn: true,
    },
    environment: exampleEnvironment({
      commit: "4b8d02c771aa",
      branch: "main",
      commandLine: "shelfcheck gate --target embedded",
      jobUrl: "https://ci.example/jobs/17",
    }),
    discovered: {
      retailers: ["acme", "bolt"],
      dialect: { batchRequestField: "products", batchFoundField: "" },
      fields: { title: 200, price: 198 },
      fieldsByRetailer: { acme: { products: 200, fields: { title: 200, price: 198 } } },
      statuses: { retailers: { 200: 3 }, "lookup-by-id": { 200: 40, 404: 2 } },
      rateLimit: { refused: 2, accepted: 60, longestRetryAfterSeconds: 3 },
      fixtures: [
        { name: "own product", present: true, value: "acme/p-1" },
        { name: "product of another organization", present: false, missing: { code: "no-other-org-key" } },
      ],
    },
    load: [
      exampleLoad({
        thresholds: [exampleThreshold()],
        metrics: {
          http_reqs: { count: 40, rate: 10 },
          http_req_duration: { med: 4, "p(95)": 12.3 },
          ...timed({ "lookup-by-id": [40, 4, 12.3] }),
        },
        validated: { answers: 40, invalid: 0, undetectedShareBound: 0.075 },
        conditions: { scenario: "lookup", k6: "1.8.1", seed: "7" },
        seconds: 12,
      }),
    ],
    parts: { earlier: { startedAt: "2026-11-14T08:00:00.000Z", differences: [], verdicts: [] } },
  });
}

/** A selection that could not judge some requirements, for different reasons, and was interrupted by a problem. */
export function interruptedRun(): Results {
  const notJudged = (id: string, ...findings: Finding[]) =>
    exampleRequirement({
      id,
      section: "Authentication",
      verdict: "inconclusive",
      checks: findings.map((finding, place) =>
        exampleCheck({ id: `${id}/${place}`, verdict: "inconclusive", findings: [finding] }),
      ),
    });
  const seen = { count: 600, of: "requests" } as const;
  return exampleResults({
    command: "conformance",
    exitCode: 130,
    scope: { requirements: 6, of: 74, checks: 7, ofChecks: 190 },
    requirements: [
      exampleRequirement({ checks: [exampleCheck({ evidence: [exampleExchange()] })] }),
      notJudged("auth.other-organization", { code: "no-other-org-key" }),
      notJudged("auth.same-organization", { code: "no-other-org-key" }),
      notJudged("browse.category", { code: "no-category" }),
      notJudged("batch.too-many", { code: "limit-not-reached", seen, actual: 321, unit: "requests/s" }),
      notJudged("errors.no-key"),
    ],
    notices: [{ code: "no-category" }],
    requests: {
      total: 112,
      byEndpoint: { retailers: 12 },
      lost: {
        code: "requests-lost",
        seen: { count: 3, total: 115, of: "requests" },
        details: { "too big": 3 },
      },
    },
    problem: {
      what: "The target did not respond",
      where: "https://catalog.example/v1",
      fix: "Start the service.\nThen run again.",
    },
  });
}

/** Load alone: a run with invalid responses and crossed limits, one whose load was not generated, one with a found limit. */
export function loadRun(): Results {
  const failed = exampleThreshold({ limit: 10, value: 12.3, met: false });
  const invalid = exampleThreshold({
    metric: "invalid_responses{name:lookup-by-id}",
    crossing: "invalid-responses",
    statistic: "share",
    unit: "share",
    limit: 0,
    value: 0.05,
    met: false,
  });
  const slow: Finding = {
    code: "latency-over-limit",
    endpoint: "lookup-by-id",
    subject: "lookup-by-id",
    expected: 10,
    actual: 12.3,
    unit: "ms",
    details: { statistic: "p95" },
  };
  return exampleResults({
    command: "load",
    requirements: [],
    requests: { total: 0, byEndpoint: {} },
    environment: exampleEnvironment({
      commandLine: "shelfcheck load --scenario lookup --profile average",
    }),
    load: [
      {
        ...soak(),
        profile: "average",
        verdict: "fail",
        seconds: 120,
        thresholds: [failed, invalid],
        metrics: {
          http_reqs: { count: 1200, rate: 10 },
          http_req_duration: { med: 4.1, "p(95)": 12.3, "p(99)": 31 },
          ...timed({ "lookup-by-id": [120_000, 10, 12.3, 76] }),
          http_req_failed: { rate: 0.01, passes: 12, fails: 1188 },
          "http_req_failed{name:lookup-by-id}": { passes: 12, fails: 388 },
          "invalid_responses{name:lookup-by-id}": { passes: 20, fails: 380 },
        },
        findings: [
          slow,
          {
            code: "invalid-responses",
            subject: "lookup-by-id",
            expected: 0,
            actual: 0.05,
            details: { statistic: "share" },
          },
        ],
      },
      exampleLoad({
        scenario: "batch",
        profile: "average",
        verdict: "invalid",
        findings: [{ code: "recorded", subject: "The generator dropped 2 iterations." }],
        metrics: { http_reqs: { count: 40, rate: 10 } },
      }),
      exampleLoad({
        scenario: "rate-limit",
        profile: "probe",
        metrics: { http_reqs: { count: 900, rate: 30 } },
        retryAfter: { refused: 120, withRetryAfter: 120, longestSeconds: 2 },
        rateLimit: {
          mode: "probe",
          limit: { perSecond: 30, low: 28, high: 32, burst: 60 },
          highestRate: 60,
          refusedShare: 0.13,
          retryAfter: { tried: 3, accepted: 3, refused: 0 },
          otherOrganization: { requests: 12, refused: 0 },
        },
      }),
    ],
  });
}
