import type { Evidence, Excerpt } from "../../../schemas/contracts/evidence.ts";
import type { Finding } from "../../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../../schemas/contracts/load-result.ts";
import type { CheckResult, RequirementResult, Results } from "../../../schemas/contracts/results.ts";
import { excerptOf } from "../../../schemas/excerpt.ts";
import {
  exampleDifference,
  exampleDroppedIterations,
  exampleRequirement,
  exampleResults,
  exampleThreshold,
  exampleWaiver,
  timed,
} from "./example.ts";

const noOtherKey = "There is no key of another organization. Set SHELFCHECK_OTHER_ORG_API_KEY.";

/** An exchange, for tests to modify. */
export function sampleExchange(change: Partial<Evidence["response"]> = {}): Evidence {
  const url = "https://catalog.example/v1/products/acme/none";
  return {
    request: {
      method: "GET",
      url,
      headers: { accept: "application/json", "X-Api-Key": "$SHELFCHECK_API_KEY" },
    },
    response: {
      status: 410,
      headers: { "content-type": "application/json", date: "Sat, 21 Nov 2026 08:00:00 GMT" },
      body: '{"error":{"code":"gone","message":"No more"}}',
      milliseconds: 3.2,
      ...change,
    },
    startedAt: "2026-11-21T08:00:01.500Z",
    curl: `curl -sS -i -H "X-Api-Key: $SHELFCHECK_API_KEY" '${url}'`,
  };
}

/** An excerpt around an error code. */
function sampleExcerpt(): Excerpt {
  return excerptOf({ error: { code: "gone", message: "No more" } }, "/error/code", (text) => text);
}

/** A requirement with one failed check, for tests to modify. */
export function sampleFinding(
  change: Partial<RequirementResult> = {},
  check: Partial<CheckResult> = {},
): RequirementResult {
  const { id, statement, section, verdict } = {
    ...exampleRequirement(),
    verdict: "fail" as const,
    ...change,
  };
  const result: CheckResult = {
    id: `${id}/by-id`,
    title: "An unknown product, requested by its id",
    verdict,
    findings: [{ code: "recorded", subject: "expected status 404, got 410" }],
    startedAt: "2026-11-21T08:00:01.000Z",
    milliseconds: 2000,
    evidence: [sampleExchange()],
    ...check,
  };
  return exampleRequirement({
    checks: [result],
    ...change,
    id,
    statement,
    section,
    verdict,
  });
}

/** Results of a failing gate with something in every part of the page. */
export function sampleResults(change: Partial<Results<Finding>> = {}): Results {
  const waiver = exampleWaiver();
  return exampleResults({
    requirements: [
      sampleFinding(
        { id: "errors.unknown-product" },
        {
          attempts: { failed: 2, total: 5 },
          evidence: [sampleExchange({ excerpts: [sampleExcerpt()] })],
        },
      ),
      exampleRequirement({
        id: "retailers.listed",
        section: "Endpoints: GET /v1/retailers",
        statement: "The list of retailers is the live source of truth.",
        checks: [
          {
            id: "retailers.listed/twice",
            title: "The same list twice",
            verdict: "pass",
            findings: [{ code: "recorded", subject: "alike" }],
            evidence: [sampleExchange()],
          },
        ],
      }),
      sampleFinding(
        {
          id: "entitlement.other",
          section: "Authentication",
          statement: "A key sees only what its organization may use.",
          verdict: "inconclusive",
        },
        { findings: [{ code: "recorded", subject: noOtherKey }], evidence: [] },
      ),
      sampleFinding({
        id: "product.images",
        section: "Product",
        level: "should",
        verdict: "warn",
        statement: "Images are links.",
      }),
      sampleFinding(
        { id: "errors.waived", verdict: "warn", statement: "Status 404 carries the code not_found." },
        { waiver },
      ),
      exampleRequirement({
        id: "errors.upstream",
        verdict: "notApplicable",
        statement: "A timeout upstream gives 504.",
      }),
    ],
    load: [
      sampleLoad(),
      {
        ...sampleLoad(),
        scenario: "batch",
        verdict: "fail",
        findings: [
          {
            code: "latency-over-limit",
            endpoint: "batch",
            subject: "batch",
            expected: 1000,
            actual: 1240,
            unit: "ms",
            details: { statistic: "p95" },
          },
        ],
      },
    ],
    waivers: [
      { waiver, state: "active" },
      {
        waiver: { ...waiver, id: "gone.check", expires: "2026-10-01" },
        state: "expired",
        where: "shelfcheck.config.ts, waivers[1]",
      },
    ],
    parts: {
      earlier: {
        startedAt: "2026-11-14T08:00:00.000Z",
        differences: [exampleDifference("gtin"), { ...exampleDifference("brand"), breaking: false }],
        verdicts: [],
      },
    },
    ...change,
  });
}

/** A load run with all optional parts, of which two minutes were recorded over time. */
export function sampleLoad(): LoadResult {
  const seconds = Array.from({ length: 20 }, (_, index) => (index + 1) * 6);
  const wave = (base: number, swing: number): number[] =>
    seconds.map(
      (second, index) => base + swing * Math.sin(second / 240) + ((index * 7919) % 101) / (400 / swing),
    );
  return {
    scenario: "lookup",
    profile: "soak",
    verdict: "pass",
    findings: [],
    notes: [{ code: "products-repeated", seen: { count: 3, of: "products" } }],
    thresholds: [exampleThreshold({ limit: 1000, value: 31.8 }), exampleDroppedIterations()],
    metrics: {
      http_reqs: { count: 360_000, rate: 100 },
      http_req_duration: { med: 11.2, "p(95)": 31.8, "p(99)": 78.1 },
      http_req_failed: { rate: 0.0004 },
      ...timed({
        "lookup-by-id": [120_000, 10, 31.8, 76],
        "lookup-by-gtin": [120_000, 13.3, 41.3, 101],
        "lookup-by-url": [120_000, 16.7, 51.7, 127],
      }),
    },
    retryAfter: { refused: 310, withRetryAfter: 309, longestSeconds: 4 },
    validated: { answers: 360_000, invalid: 0, complete: 18_400, undetectedShareBound: 0.00000833 },
    evidence: [
      {
        request: "lookup-by-id",
        finding: { code: "null-value", endpoint: "lookup-by-id", path: "/size" },
        exchange: sampleExchange({ status: 200 }),
      },
    ],
    conditions: { scenario: "lookup", k6: "1.8.1" },
    planned: [
      { seconds: 600, rate: 100 },
      { seconds: 3000, rate: 100 },
    ],
    series: {
      periodSeconds: 6,
      seconds,
      requestRate: wave(100, 4),
      failedRate: seconds.map((second) => (second > 1800 && second < 1900 ? 0.5 : 0)),
      refusedRate: seconds.map((second) => (second > 2400 && second < 2600 ? 6 : 0)),
      latency: { p50: wave(11, 2), p95: wave(30, 6), p99: wave(75, 20) },
    },
  };
}
