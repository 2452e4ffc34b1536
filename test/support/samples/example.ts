import "./recorded.ts";
import type { Waiver } from "../../../schemas/contracts/config.ts";
import type { Evidence } from "../../../schemas/contracts/evidence.ts";
import type { Finding, SaidFinding } from "../../../schemas/contracts/finding.ts";
import type { LoadResult, Threshold } from "../../../schemas/contracts/load-result.ts";
import {
  type CheckResult,
  type RequirementResult,
  type Results,
  schemaVersion,
} from "../../../schemas/contracts/results.ts";
import { countByVerdict, judge } from "../../../schemas/contracts/verdicts.ts";
import { walkName } from "../../../schemas/scenarios.ts";
import { added } from "../../../scripts/core/added.ts";
import { saidCheck, saidLoad, saidRequirement, saidResults } from "../../../scripts/runs/said.ts";

/** Results of a run in which everything passed, for tests to modify. What follows from the change is judged, unless given. */
export function exampleResults(change: Partial<Results<Finding>> = {}): Results {
  return judgedResults({
    schemaVersion,
    tool: { name: "shelfcheck", version: "0.0.0" },
    command: "gate",
    target: { name: "staging", baseUrl: "https://catalog.example/v1", keyFingerprint: "0123456789ab" },
    startedAt: "2026-11-21T08:00:00.000Z",
    finishedAt: "2026-11-21T08:00:05.000Z",
    requests: { total: 12 },
    requirements: [exampleRequirement()],
    discovered: { retailers: ["acme"], dialect: {}, fields: {}, rateLimit: { refused: 0 }, fixtures: [] },
    load: [],
    ...change,
  });
}

type FromJudgement = "verdict" | "exitCode" | "cause" | "summary";

/** Results with what the judgement of such a run says, where they do not state it. */
export function judgedResults(
  results: Omit<Results<Finding>, FromJudgement> & Partial<Pick<Results, FromJudgement>>,
): Results {
  const causes = added.map((one) => one.causes);
  const judged = judge({ ...results, interrupted: results.exitCode === 130 }, causes);
  return saidResults({ ...judged, summary: countByVerdict(results.requirements), ...results });
}

/** A requirement that passed, for tests to modify. */
export function exampleRequirement(change: Partial<RequirementResult> = {}): RequirementResult<SaidFinding> {
  return saidRequirement({
    id: "errors.unknown-product",
    section: "Errors",
    level: "must",
    statement: "An unknown product gives 404 with the code not_found.",
    verdict: "pass",
    checks: [],
    ...change,
  });
}

/** A check that passed, for tests to modify. `says` is the text of its only finding. */
export function exampleCheck({
  says,
  ...change
}: Partial<CheckResult> & { readonly says?: string } = {}): CheckResult<SaidFinding> {
  return saidCheck({
    id: "errors.unknown-product/by-id",
    title: "by id",
    verdict: "pass",
    findings: says === undefined ? [] : [{ code: "recorded", subject: says }],
    evidence: [],
    ...change,
  });
}

/** An exchange, for tests to modify. */
export function exampleExchange(change: Partial<Evidence["response"]> = {}, path = "/acme/none"): Evidence {
  const url = `https://catalog.example/v1/products${path}`;
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

/** A load run that passed without measurements, for tests to modify. */
export function exampleLoad(change: Partial<LoadResult> = {}): LoadResult<SaidFinding> {
  return saidLoad({
    scenario: "lookup",
    profile: "smoke",
    verdict: "pass",
    findings: [],
    notes: [],
    thresholds: [],
    metrics: {},
    retryAfter: { refused: 0, withRetryAfter: 0 },
    validated: { answers: 0, invalid: 0 },
    ...change,
  });
}

/** The metrics of a load run with these latencies by kind of request: number of responses, then p50, p95 and p99. */
export function timed(
  latencies: Readonly<Record<string, readonly [count: number, p50: number, p95: number, p99?: number]>>,
): LoadResult["metrics"] {
  return Object.fromEntries(
    Object.entries(latencies).map(([kind, [count, med, p95, p99 = p95]]) => [
      kind === walkName ? "chain_duration" : `http_req_duration{name:${kind},status:200}`,
      { count, med, "p(95)": p95, "p(99)": p99 },
    ]),
  );
}

/** A latency threshold that was met, for tests to modify. */
export function exampleThreshold(change: Partial<Threshold> = {}): Threshold {
  return {
    metric: "http_req_duration{name:lookup-by-id,status:200}",
    crossing: "latency-over-limit",
    request: "lookup-by-id",
    statistic: "p95",
    bound: "most",
    limit: 500,
    value: 12.3,
    unit: "ms",
    met: true,
    guards: "target",
    ...change,
  };
}

/** A waiver, for tests to modify. */
export function exampleWaiver(change: Partial<Waiver> = {}): Waiver {
  return {
    id: "errors.waived",
    reason: "The old gateway answers 410; it goes in spring.",
    owner: "catalog-team",
    ticket: "https://tickets.example/CAT-17",
    expires: "2027-01-31",
    ...change,
  };
}
