import type { Finding } from "../../../schemas/contracts/finding.ts";
import type { RequirementResult, Results } from "../../../schemas/contracts/results.ts";
import { compareRuns, type RunsToCompare } from "../../../scripts/earlier/comparison.ts";
import { comparisonReport } from "../../../scripts/earlier/comparison-report.ts";
import type { Report } from "../../../scripts/report/model.ts";
import {
  exampleCheck,
  exampleEnvironment,
  exampleLoad,
  exampleRequirement,
  exampleResults,
  exampleThreshold,
  timed,
} from "./example.ts";

/**
 * A comparison of two runs in which everything changed: slower, a requirement that newly fails, one fixed, one no longer
 * judged, a crossed threshold, a missing field. Texts of a target end in `marker`.
 */
export function sampleComparison(marker = ""): Report {
  const run = (side: Position) => ({
    name: side,
    path: `/reports/${side}`,
    results: resultsOf(side, marker),
  });
  const runs: RunsToCompare = { before: run("before"), after: run("after") };
  return comparisonReport(compareRuns(runs), runs);
}

type Position = "before" | "after";

function resultsOf(side: Position, marker: string): Results {
  const later = side === "after";
  const minute = later ? "01" : "00";
  const requirements = requirementsOf(later, marker);
  return exampleResults({
    target: {
      name: `staging${marker}`,
      baseUrl: "https://catalog.example/v1",
      keyFingerprint: "0123456789ab",
    },
    startedAt: `2026-11-21T08:${minute}:00.000Z`,
    finishedAt: `2026-11-21T08:${minute}:40.000Z`,
    environment: exampleEnvironment({
      commit: later ? "9f3c1de5b7a2" : "4b8d02c771aa",
      branch: later ? `faster-search${marker}` : "main",
    }),
    requirements,
    discovered: {
      ...exampleResults().discovered,
      fieldsByRetailer: {
        acme: { products: 200, fields: { title: 200, price: 198, ...(later ? {} : { gtin: 196 }) } },
      },
      fields: { title: 200, price: 198 },
      statuses: {},
      categories: [],
    },
    load: [
      exampleLoad({
        profile: "average",
        verdict: later ? "fail" : "pass",
        metrics: {
          http_reqs: { count: 4800, rate: 40 },
          ...timed({
            "lookup-by-id": later ? [3000, 12, 26, 36] : [3000, 10, 20, 24],
            // Too few for p99.
            "lookup-by-url": [60, 18, 30, 31],
          }),
        },
        thresholds: [
          exampleThreshold({ limit: 25, value: later ? 27.8 : 21.9, met: !later }),
          exampleThreshold({
            metric: "http_req_failed{name:lookup-by-id}",
            crossing: "failed-requests",
            statistic: "share",
            unit: "share",
            limit: 0.01,
            value: 0.0004,
          }),
        ],
        conditions: { scenario: "lookup", k6: "1.8.1" },
      }),
    ],
  });
}

function requirementsOf(later: boolean, marker: string): RequirementResult[] {
  const of = (
    id: string,
    statement: string,
    verdict: RequirementResult["verdict"],
    findings: Finding[] = [],
  ): RequirementResult =>
    exampleRequirement({
      id,
      statement,
      verdict,
      checks: [{ ...exampleCheck({ id: `${id}/one`, verdict }), findings }],
    });
  const gone: Finding = { code: "recorded", subject: `\`products[9]\`: \`mpn\` is null${marker}` };
  return [
    of(
      "product.no-null",
      "A field that a retailer did not provide is omitted, never null.",
      later ? "fail" : "pass",
      later ? [gone] : [],
    ),
    of(
      "errors.unknown-product",
      "An unknown product gives 404 with the code `not_found`.",
      later ? "pass" : "fail",
    ),
    of(
      "auth.other-organization",
      "A key sees only what its organization may use.",
      later ? "inconclusive" : "pass",
      later ? [{ code: "no-other-org-key" }] : [],
    ),
    of("paging.follow-cursor", "An empty next_cursor ends the paging.", "pass"),
  ];
}
