import type { Evidence } from "../../../schemas/contracts/evidence.ts";
import type { LoadResult } from "../../../schemas/contracts/load-result.ts";
import type { CheckResult, Results } from "../../../schemas/contracts/results.ts";
import type { Waiver } from "../../../schemas/contracts/waivers.ts";
import { excerptOf } from "../../../schemas/excerpt.ts";
import type { TwinDifference, TwinResult } from "../../../scripts/twin/twin-result.ts";
import {
  exampleCheck,
  exampleDifference,
  exampleDroppedIterations,
  exampleRequirement,
  exampleResults,
  exampleThreshold,
  exampleWaiver,
} from "./example.ts";
import { sampleExchange } from "./sample.ts";

/**
 * Results in which everything happens at least once. Every text that comes from a target, a config or a waiver ends in
 * `marker`.
 */
export function eventfulResults(marker = ""): Results {
  const verdicts = ["pass", "fail", "warn", "inconclusive", "notApplicable", "error"] as const;
  const requirements = verdicts.map((verdict) =>
    exampleRequirement({
      id: `errors.${verdict}`,
      verdict,
      checks: [check(verdict, marker)],
    }),
  );
  return exampleResults({
    target: {
      name: `staging${marker}`,
      baseUrl: `https://catalog.example/v1${marker}`,
      keyFingerprint: "none",
    },
    requirements: [
      ...requirements,
      exampleRequirement({
        id: "limits.not-judged",
        section: "Limits",
        verdict: "inconclusive",
        checks: [
          exampleCheck({ id: "limits.not-judged/one", verdict: "inconclusive", says: `no key${marker}` }),
        ],
      }),
      exampleRequirement({
        id: "limits.waived",
        section: "Limits",
        verdict: "warn",
        checks: [{ ...check("warn", marker), id: "limits.waived/one", waiver: waiver(marker) }],
      }),
    ],
    load: [load(marker)],
    waivers: (["active", "unused", "stale", "expired"] as const).map((state) => ({
      waiver: { ...waiver(marker), id: `limits.${state}` },
      state,
      where: `shelfcheck.config.ts, waivers[1]${marker}`,
    })),
    parts: {
      twin: twin(marker),
      earlier: {
        startedAt: "2026-11-01T00:00:00.000Z",
        differences: [
          exampleDifference(`title${marker}`),
          { ...exampleDifference(`brand${marker}`), breaking: false },
          { ...exampleDifference(`price${marker}`), waiver: waiver(marker) },
        ],
        verdicts: [{ id: `a${marker}`, kind: "newly-failing" }],
      },
    },
  });
}

/** An exchange with `body` in each part that comes from a target. */
export function exampleEvidence(body: string): Evidence {
  const url = `https://catalog.example/v1/products/acme/${body}`;
  return {
    request: { method: "GET", url, headers: { accept: body } },
    response: sampleExchange({ headers: { "content-type": body }, body }).response,
    curl: `curl -H "X-Api-Key: $SHELFCHECK_API_KEY" '${url}'`,
  };
}

/** An exchange with an excerpt. */
function excerpted(marker: string): Evidence {
  const { response, ...exchange } = exampleEvidence(marker);
  const excerpt = excerptOf({ error: { code: `gone${marker}`, [marker]: 1 } }, "/error/code", (text) => text);
  return { ...exchange, response: { ...response, excerpts: [excerpt] } };
}

function check(verdict: CheckResult["verdict"], marker: string): CheckResult {
  return {
    id: `errors.${verdict}/one`,
    title: `title of ${verdict}`,
    verdict,
    findings: [{ code: "recorded", subject: `reason of ${verdict}${marker}` }],
    evidence: [exampleEvidence(`{"error":"gone"}${marker}`), excerpted(marker)],
  };
}

function waiver(marker: string): Waiver {
  return exampleWaiver({
    id: "limits.waived",
    reason: `known${marker}`,
    owner: `team${marker}`,
    ticket: `CAT-1${marker}`,
  });
}

/** Everything that two deployments can differ in, with texts of the target. */
function differencesOf(changes: readonly TwinDifference["change"][], marker: string): TwinDifference[] {
  return changes.map((change) => ({
    request: "lookup-by-id",
    change,
    path: `/products/*/${change}${marker}`,
    ...(change === "extra" || change === "added" ? {} : { old: `old${marker}` }),
    ...(change === "missing" ? {} : { new: `new${marker}` }),
    count: 3,
    total: 40,
    evidence: [exampleEvidence(marker), exampleEvidence(marker)],
  }));
}

function twin(marker: string): TwinResult {
  const row = { pairs: 120, old: 10, new: 12, change: 0.2, low: 0.15, high: 0.25 };
  const outcomes = ["slower", "same", "faster", "inconclusive"] as const;
  return {
    old: { name: `old${marker}`, baseUrl: "https://old.example/v1" },
    outcome: "different",
    seed: 1,
    longestSeconds: 60,
    seconds: 42,
    requests: { old: 900, new: 800 },
    responses: {
      outcome: "different",
      requests: 200,
      differences: differencesOf(["status", "value", "type", "missing", "extra", "varies"], marker),
      notes: differencesOf(["added", "moved", "unstable", "passing"], marker),
      failures: {
        outcome: "different",
        old: { count: 0, total: 900 },
        new: { count: 20, total: 800 },
      },
    },
    latency: outcomes.map((outcome) => ({
      request: outcome === "slower" ? "lookup-by-id" : outcome === "same" ? "batch" : `${outcome}${marker}`,
      outcome,
      ...row,
      ...(outcome === "inconclusive" ? { low: -0.4, high: 1.3 } : {}),
    })),
  };
}

function load(marker: string): LoadResult {
  return {
    scenario: "lookup",
    profile: `own${marker}`,
    verdict: "fail",
    findings: [{ code: "recorded", subject: `too slow${marker}` }],
    notes: [{ code: "recorded", subject: `the limit was reached${marker}` }],
    thresholds: [
      exampleThreshold(),
      exampleThreshold({
        metric: "http_req_failed{name:lookup-by-id}",
        crossing: "failed-requests",
        statistic: "share",
        limit: 0.01,
        value: 0.02,
        unit: "share",
        met: false,
      }),
      exampleThreshold({
        metric: "http_req_duration{name:batch,status:200}",
        request: "batch",
        statistic: "p99",
        limit: 900,
        value: 1200,
        met: false,
      }),
      exampleDroppedIterations(),
    ],
    metrics: {
      http_reqs: { count: 1240, rate: 10.5 },
      http_req_duration: { "p(95)": 12.34 },
      http_req_failed: { rate: 0.02 },
      "http_req_failed{name:lookup-by-id}": { rate: 0.02 },
    },
    retryAfter: { refused: 7, withRetryAfter: 6, longestSeconds: 2 },
    evidence: [
      {
        finding: { code: "recorded", subject: `size is null${marker}` },
        request: "lookup-by-id",
        exchange: exampleEvidence(marker),
      },
    ],
    validated: { answers: 40, invalid: 1 },
  };
}
