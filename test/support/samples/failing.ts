import type { Evidence } from "../../../schemas/contracts/evidence.ts";
import type { Finding } from "../../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../../schemas/contracts/load-result.ts";
import type { Results } from "../../../schemas/contracts/results.ts";
import type { Verdict } from "../../../schemas/contracts/verdicts.ts";
import { excerptOf } from "../../../schemas/excerpt.ts";
import {
  exampleCheck,
  exampleDifference,
  exampleExchange,
  exampleLoad,
  exampleRequirement,
  exampleResults,
  exampleThreshold,
  exampleWaiver,
  timed,
} from "./example.ts";

/**
 * A failing gate with everything that reports show in a way of its own: failures of nine kinds, each other verdict, waivers
 * in each state, two loads, changes of the contract. Texts that come from a target, a config or a waiver end in `marker`.
 */
export function failingRun(marker = "", change: Partial<Results<Finding>> = {}): Results {
  const told = { reason: `known${marker}`, owner: `team${marker}`, ticket: `CAT-1${marker}` };
  const waiver = exampleWaiver(told);
  const gone = { code: "recorded", subject: `gone${marker}` } as const;
  const waived = judged(["errors.waived", "Errors", "warn", gone], marker);
  return exampleResults({
    target: {
      name: `staging${marker}`,
      baseUrl: `https://catalog.example/v1${marker}`,
      keyFingerprint: "none",
    },
    requirements: [
      ...rowsOf(marker).map((row) => judged(row, marker)),
      { ...waived, checks: waived.checks.map((check) => ({ ...check, waiver })) },
    ],
    load: [soak(), failedBatch(marker)],
    waivers: (["active", "unused", "stale", "expired"] as const).map((state) => ({
      waiver: { ...waiver, id: state === "active" ? "errors.waived" : `limits.${state}` },
      state,
      where: `shelfcheck.config.ts, waivers[1]${marker}`,
    })),
    parts: {
      earlier: {
        startedAt: "2026-11-01T00:00:00.000Z",
        differences: [
          exampleDifference(`title${marker}`),
          { ...exampleDifference(`brand${marker}`), breaking: false },
          { ...exampleDifference(`price${marker}`), waiver },
        ],
        verdicts: [{ id: `a${marker}`, kind: "newly-failing" }],
      },
    },
    ...change,
  });
}

type Row = readonly [
  id: string,
  section: string,
  verdict: Verdict,
  finding: Finding,
  exchange?: { readonly path: string; readonly body: object; readonly status?: number },
];

const places = { product: { retailer: "acme", productId: "p-1" } } as const;
const seen = { count: 12, total: 258, of: "responses" } as const;

function rowsOf(marker: string): readonly Row[] {
  const product = {
    retailer: "acme",
    product_id: "p-1",
    title: `Lamp${marker}`,
    price: "12.50",
    size: null,
    last_updated: "yesterday",
  };
  const byId = { path: "/acme/p-1", body: product };
  const page = { path: "?category=lamps", body: { products: [product, {}], meta: { count: 2 } } };
  const batch = { path: "/batch-lookup", body: { products: [product], errors: [] } };
  const refusal = {
    path: "/acme/none",
    body: { error: { code: "bad_request", message: `No${marker}` } },
    status: 404,
  };
  const limited = { path: "/acme/p-1", body: { error: { code: "rate_limited", message: "" } }, status: 429 };
  return [
    [
      "by-id.unknown-product",
      "Errors",
      "fail",
      { code: "wrong-status", expected: [404], actual: 410, condition: "unknown-product", ...places },
      { ...refusal, status: 410 },
    ],
    [
      "errors.code",
      "Errors",
      "fail",
      {
        code: "error-code-mismatch",
        path: "/error/code",
        expected: "not_found",
        actual: "bad_request",
        details: { status: 404 },
      },
      refusal,
    ],
    [
      "product.field-types",
      "Product",
      "fail",
      { code: "wrong-type", path: "/price", expected: "number", actual: "12.50" },
      byId,
    ],
    [
      "product.no-null",
      "Product",
      "fail",
      { code: "null-value", path: "/size", seen, byRetailer: [{ retailer: "acme", count: 12, total: 120 }] },
      byId,
    ],
    [
      "page.no-placeholders",
      "Paging",
      "fail",
      { code: "empty-products", path: "/products/1", actual: {}, details: { empty: 2, products: 20 }, seen },
      page,
    ],
    [
      "query.paging",
      "Paging",
      "fail",
      {
        code: "paging-never-ends",
        subject: "lamps",
        seen: { count: 4, of: "pages" },
        details: { repeats: "cursor" },
      },
      page,
    ],
    ["batch.partial", "Batch", "fail", { code: "item-missing", endpoint: "batch", ...places }, batch],
    [
      "product.same-shape",
      "Product",
      "fail",
      {
        code: "differs-between-ways",
        endpoint: "category-page",
        ...places,
        subject: "title",
        path: "/products/0/title",
        comparedPath: "/title",
        expected: "Lamp",
        actual: "Lamp, red",
        comparedWith: 1,
      },
      { ...page, body: { products: [{ title: "Lamp, red" }] } },
    ],
    [
      "limits.retry-after",
      "Limits",
      "fail",
      { code: "missing-header", subject: "Retry-After", details: { status: 429 } },
      limited,
    ],
    ["errors.internal", "Errors", "error", { code: "harness-error", actual: "x is not a function" }],
    ["query.limit", "Paging", "inconclusive", { code: "no-category" }],
    ["auth.other-organization", "Authentication", "inconclusive", { code: "no-other-org-key" }],
    ["product.images", "Product", "warn", { code: "recorded", subject: `Images are links.${marker}` }, byId],
    [
      "retailers.listed",
      "Endpoints: GET /v1/retailers",
      "pass",
      { code: "recorded", subject: `alike${marker}` },
      byId,
    ],
    ["errors.upstream", "Errors", "notApplicable", { code: "recorded", subject: `no 504${marker}` }],
  ];
}

/** What failed in some attempts, in a body that is too long to be shown. */
const often = "page.no-placeholders";

/** A requirement with one check, whose finding shows its place in the response, and what that is compared with. */
function judged([id, section, verdict, finding, exchange]: Row, marker: string) {
  const statement = `What the specification asks of ${id}.`;
  const evidence: Evidence[] = [];
  if (exchange !== undefined) {
    const { path, body, status = 200 } = exchange;
    const excerpts = [excerptOf(body, finding.path ?? "", (text) => text)];
    const text = JSON.stringify(body);
    const headers = { "content-type": `application/json${marker}` };
    const cut = id === often ? { shown: 40, of: 9000 } : undefined;
    evidence.push(exampleExchange({ status, headers, body: text, excerpts, cut }, path));
  }
  if ("comparedWith" in finding) {
    const body = { title: "Lamp", price: 12.5 };
    const excerpts = [excerptOf(body, "/title", (text) => text)];
    evidence.push(exampleExchange({ status: 200, body: JSON.stringify(body), excerpts }, "/acme/p-1"));
  }
  const check = exampleCheck({
    id: `${id}/one`,
    title: `one look at ${id}`,
    verdict,
    findings: [evidence.length === 0 ? finding : { exchange: 0, ...finding }],
    evidence,
    startedAt: "2026-11-21T08:00:01.000Z",
    milliseconds: 2000,
    ...(id === often ? { attempts: { failed: 2, total: 5 } } : {}),
  });
  const says = "Another failure of it is waived: `errors.waived`.";
  const again = exampleCheck({ id: `${id}/again`, title: "the same page again", verdict, says });
  const checks = id === often ? [check, again] : [check];
  return exampleRequirement({ id, section, statement, verdict, checks });
}

/** A load run that passed, with all optional parts, of which two minutes were recorded over time. */
export function soak(): LoadResult {
  const seconds = Array.from({ length: 20 }, (_, index) => (index + 1) * 6);
  const wave = (base: number, swing: number) =>
    seconds.map((second, at) => base + swing * Math.sin(second / 240) + ((at * 7919) % 101) / (400 / swing));
  return exampleLoad({
    profile: "soak",
    notes: [{ code: "products-repeated", seen: { count: 3, of: "products" } }],
    thresholds: [exampleThreshold({ limit: 1000, value: 31.8 })],
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
    conditions: { scenario: "lookup", k6: "1.8.1" },
    planned: [{ seconds: 120, rate: 100 }],
    series: {
      periodSeconds: 6,
      seconds,
      requestRate: wave(100, 4),
      failedRate: seconds.map((second) => (second > 60 && second < 80 ? 0.5 : 0)),
      refusedRate: seconds.map((second) => (second > 90 ? 6 : 0)),
      latency: { p50: wave(11, 2), p95: wave(30, 6), p99: wave(75, 20) },
    },
  });
}

/** Limits of each kind that a load run exceeded, and an invalid response. */
function failedBatch(marker: string): LoadResult {
  const exceeded = { met: false, request: "batch" } as const;
  const share = { statistic: "share", unit: "share", limit: 0.01, value: 0.02 } as const;
  return exampleLoad({
    scenario: "batch",
    profile: `own${marker}`,
    verdict: "fail",
    findings: [{ code: "recorded", subject: `too slow${marker}` }],
    notes: [{ code: "recorded", subject: `the limit was reached${marker}` }],
    thresholds: [
      exampleThreshold({ ...exceeded, metric: "http_req_duration{name:batch,status:200}", value: 1240 }),
      exampleThreshold({ ...exceeded, ...share, crossing: "failed-requests" }),
      exampleThreshold({
        ...{ metric: "dropped_iterations", crossing: "iterations-dropped", statistic: "count" },
        ...{ unit: "count", limit: 0, value: 2, met: false, guards: "run" },
      }),
    ],
    metrics: {
      http_reqs: { count: 1240, rate: 10.5 },
      http_req_duration: { "p(95)": 12.34 },
      http_req_failed: { rate: 0.02 },
      "http_req_failed{name:batch}": { rate: 0.02 },
    },
    evidence: [
      {
        finding: { code: "recorded", subject: `size is null${marker}` },
        request: "batch",
        exchange: exampleExchange({ body: marker }),
      },
    ],
    validated: { answers: 40, invalid: 1 },
  });
}
