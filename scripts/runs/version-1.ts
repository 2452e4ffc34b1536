import { type JudgedLimit, thresholdOf } from "../../scenarios/lib/thresholds.ts";
import { type EndpointId, endpoints } from "../../schemas/api.ts";
import type { Threshold } from "../../schemas/types.ts";
import { UsageError } from "../errors.ts";

// Converts results and baselines of schema version 1 to version 2. Sentences become findings with the code `recorded`. The
// input is only known to be JSON, so the output must be validated.

/** The version of results and baselines that this shelfcheck writes. */
export const schemaVersion = 2;

/** The schema version that a file states; 0 when it states none. */
export function schemaVersionOf(file: unknown): number {
  const { schemaVersion: version } = object(file);
  return typeof version === "number" ? version : 0;
}

/** The error that a file comes from a newer shelfcheck. `what` is the beginning of the sentence, with its verb. */
export function newerVersion(what: string, version: number, where: string): UsageError {
  return new UsageError({
    what: `${what} from a newer shelfcheck (schemaVersion ${version}; this version reads 1 to ${schemaVersion})`,
    where,
    fix: "Update shelfcheck, or use the version that wrote the file.",
  });
}

type Json = Readonly<Record<string, unknown>>;

/** Metrics of load runs that had another name in earlier results, baselines and waivers. */
const renamedMetrics: ReadonlyMap<string, string> = new Map([
  ["answers_invalid", "invalid_responses"],
  ["checks_begun", "checking_users"],
  ["unanswered", "requests_without_response"],
  ["withheld", "abandoned_iterations"],
  ["target_answered_after", "target_responded_after"],
]);

/** The current name of a metric of an earlier run, with its tags. */
export function currentMetric(metric: string): string {
  const [name = ""] = metric.split("{", 1);
  return (renamedMetrics.get(name) ?? name) + metric.slice(name.length);
}

/** Results of any version with the current names of the metrics of their load runs. */
export function withCurrentMetrics(results: unknown): unknown {
  const { load, ...rest } = object(results);
  if (!Array.isArray(load)) return results;
  return { ...rest, load: load.map(loadWithCurrentMetrics) };
}

function loadWithCurrentMetrics(load: unknown): unknown {
  const { metrics, thresholds, ...rest } = object(load);
  return {
    ...rest,
    metrics: Object.fromEntries(
      Object.entries(object(metrics)).map(([name, values]) => [currentMetric(name), values]),
    ),
    thresholds: list(thresholds).map((threshold) => {
      const { metric, ...others } = object(threshold);
      return { ...others, metric: currentMetric(String(metric)) };
    }),
  };
}

/** Converts results of schema version 1. */
export function resultsFromVersion1(results: unknown): unknown {
  const { requests, requirements, discovered, load, waivers, drift, target, problem, ...rest } = object(
    withCurrentMetrics(results),
  );
  return {
    ...rest,
    schemaVersion: 2,
    target: targetFrom(object(target)),
    ...(problem === undefined ? {} : { problem: problemFrom(object(problem)) }),
    requests: { ...object(requests), byEndpoint: byEndpointId(object(requests).byEndpoint) },
    requirements: list(requirements).map(requirementFrom),
    discovered: discoveredFrom(object(discovered)),
    load: list(load).map(loadFrom),
    ...(waivers === undefined ? {} : { waivers: list(waivers).map(waiverFrom) }),
    ...(drift === undefined
      ? {}
      : { drift: { ...object(drift), changes: list(object(drift).changes).map(driftFrom) } }),
  };
}

/** Converts a baseline of schema version 1. */
export function baselineFromVersion1(baseline: unknown): unknown {
  const { contract, load, ...rest } = object(baseline);
  const { letIn, statuses, ...others } = object(contract);
  return {
    ...rest,
    schemaVersion: 2,
    contract: {
      ...others,
      statuses: byEndpointId(statuses),
      ...(letIn === undefined ? {} : { accepted: letIn }),
    },
    ...(load === undefined ? {} : { load: { runs: list(object(load).runs).map(recordedRunFrom) } }),
  };
}

function targetFrom(target: Json): Json {
  // Version 1 reserved the name for the built-in service.
  return target.name === "embedded" ? { ...target, builtIn: true } : target;
}

function problemFrom({ mend, ...problem }: Json): Json {
  return { ...problem, fix: mend };
}

function requirementFrom(requirement: unknown): Json {
  const { checks, reason: _reason, ...rest } = object(requirement);
  return { ...rest, checks: list(checks).map((check) => checkFrom(object(check))) };
}

function checkFrom({ reason, occurrences: _occurrences, flaky, ...check }: Json): Json {
  // Version 1 had the rate of an intermittent failure only in the sentence.
  const [suffix = "", failed, total] = / \(flaky: (\d+) of (\d+) attempts\)$/.exec(String(reason)) ?? [];
  const text = String(reason).slice(0, String(reason).length - suffix.length);
  return {
    ...check,
    findings: text === "" ? [] : [recorded(text)],
    ...(flaky === true ? { attempts: { failed: Number(failed ?? 1), total: Number(total ?? 2) } } : {}),
  };
}

function fixtureFrom(fixture: unknown): Json {
  const { reason, mend, ...rest } = object(fixture);
  if (reason === undefined && mend === undefined) return rest;
  return { ...rest, missing: recorded([reason, mend].filter((text) => text !== undefined).join(" ")) };
}

function discoveredFrom({ rateLimit, statuses, fixtures, ...discovered }: Json): Json {
  const { letIn, ...limit } = object(rateLimit);
  return {
    ...discovered,
    fixtures: list(fixtures).map(fixtureFrom),
    rateLimit: { ...limit, ...(letIn === undefined ? {} : { accepted: letIn }) },
    ...(statuses === undefined ? {} : { statuses: byEndpointId(statuses) }),
  };
}

function recordedRunFrom(run: unknown): Json {
  const { verdict, ...rest } = object(run);
  return { ...rest, verdict: loadVerdict(verdict) };
}

function loadFrom(load: unknown): Json {
  const { verdict, reasons, notes, thresholds, evidence, comparison, ...rest } = object(load);
  const metrics = object(rest.metrics);
  return {
    ...rest,
    verdict: loadVerdict(verdict),
    findings: list(reasons).map(recorded),
    notes: list(notes).map(recorded),
    thresholds: list(thresholds).map((threshold) => thresholdFrom(object(threshold), metrics)),
    ...(evidence === undefined ? {} : { evidence: list(evidence).map(loadEvidenceFrom) }),
    ...(comparison === undefined ? {} : { comparison: comparisonFrom(object(comparison)) }),
  };
}

function loadVerdict(verdict: unknown): unknown {
  return verdict === "broken" ? "fail" : verdict;
}

// Version 1 stored thresholds as k6 expressions, such as `p(95)<=500` on `http_req_duration{name:batch,status:200}`.
function thresholdFrom({ metric, expression, held, waiver }: Json, metrics: Json): Json {
  const [, value = "", comparison = "", number] =
    /^([a-z]+(?:\(\d+\))?)(<=|<|>=|>)([\d.]+)$/.exec(String(expression)) ?? [];
  const [, measure = "", request] = /^(\w+)(?:\{name:([\w-]+))?/.exec(String(metric)) ?? [];
  const limit = {
    metric,
    measure,
    ...(request === undefined ? {} : { request }),
    statistic: statistics[value],
    bound: comparison.startsWith("<") ? "most" : "least",
    // Only counts had limits that are exclusive: `count<1`, `count>0`.
    limit: Number(number) + ({ "<": -1, ">": 1 }[comparison] ?? 0),
    held,
  };
  const measured = object(metrics[String(metric)])[value];
  return {
    ...thresholdOf(limit as JudgedLimit, typeof measured === "number" ? measured : undefined),
    ...(waiver === undefined ? {} : { waiver }),
  };
}

const statistics: Readonly<Record<string, Threshold["statistic"]>> = {
  "p(95)": "p95",
  "p(99)": "p99",
  rate: "share",
  count: "count",
};

function loadEvidenceFrom(evidence: unknown): Json {
  const { endpoint, flaw, exchange } = object(evidence);
  const known = Object.hasOwn(endpoints, String(endpoint)) ? { endpoint } : {};
  return { request: endpoint, finding: { ...recorded(flaw), ...known }, exchange };
}

function comparisonFrom({ reason, ...comparison }: Json): Json {
  return { ...comparison, findings: [recorded(reason)] };
}

function waiverFrom(result: unknown): Json {
  const { mend, ...rest } = object(result);
  // Version 1 had the place of the waiver only in the sentence.
  const where = /\(([^()]+, line \d+)\)\.$/.exec(String(mend))?.[1];
  return { ...rest, ...(where === undefined ? {} : { where }) };
}

function driftFrom(change: unknown): Json {
  const { rank, rule, subject, statement } = object(change);
  return { kind: "recorded", rank, rule, subject, text: statement };
}

function recorded(text: unknown): Json {
  return { code: "recorded", subject: text };
}

const ids = new Map(
  (Object.keys(endpoints) as EndpointId[]).map((id) => [`${endpoints[id].method} ${endpoints[id].path}`, id]),
);

// Version 1 identified an endpoint by method and path.
function byEndpointId(counts: unknown): Json {
  return Object.fromEntries(
    Object.entries(object(counts)).map(([name, count]) => [ids.get(name) ?? name, count]),
  );
}

function object(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
