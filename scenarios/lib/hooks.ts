import { sleep } from "k6";
import encoding from "k6/encoding";
import exec from "k6/execution";
import http, { type RefinedParams, type RefinedResponse } from "k6/http";
import type { Gauge } from "k6/metrics";
import { endpoints, readRetryAfter, retryAfterHeader } from "../../schemas/api.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { ScenarioId } from "../../schemas/scenarios.ts";
import type { Environment } from "./environment.ts";
import { failureOf, isUndecodable, lostAt, strangerIn } from "./failures.ts";
import { findingLine, log } from "./log.ts";
import { optionsFor, type ScenarioOptions } from "./options.ts";
import { framesOf } from "./pod-result.ts";
import { plannedOf } from "./schedule.ts";
import { type ConnectionOptions, headersWith, type LoadSettings, requireTarget } from "./settings.ts";
import { type RunSummary, renderSummary, type SummaryData, summarize, trendStatistics } from "./summary.ts";
import { limitsFor, thresholdOptions } from "./thresholds.ts";

/** What k6 calls before and after the iterations. */
interface Hooks {
  options(): ScenarioOptions & ConnectionOptions;
  setup(): void;
  teardown(respondedAfter: Gauge): void;
  handleSummary(data: SummaryData): Record<string, string>;
}

/** What k6 calls outside the iterations of a scenario: options, setup, teardown and summary. */
export function hooksOf(scenario: ScenarioId, environment: Environment): Hooks {
  const { settings, profile, catalog } = environment;
  const limits = () => limitsFor(scenario, profile, catalog, settings.seed);
  return {
    options: () => ({
      ...optionsFor(scenario, profile, {
        thresholds: thresholdOptions(limits()),
        summaryTrendStats: trendStatistics(),
      }),
      ...withFiles(settings.connectionOptions),
    }),
    setup: () => preflight(environment),
    teardown: (respondedAfter) => checkAfterRun(settings, respondedAfter),
    handleSummary(data) {
      const summary = summarize(data, limits(), {
        scenario,
        profile: settings.profileName,
        seed: settings.seed,
        plannedIterations: plannedOf(profile, scenario),
      });
      const files =
        settings.summaryPath === undefined ? {} : { [settings.summaryPath]: JSON.stringify(summary) };
      const frames = settings.runId === "" ? [] : podFrames(environment, summary);
      return { ...files, stdout: [renderSummary(summary), ...frames, ""].join("\n") };
    },
  };
}

/** The result of this pod as lines of standard output, the only output that a cluster keeps. */
function podFrames({ settings, profile }: Environment, summary: RunSummary): string[] {
  const { executionSegment, executionSegmentSequence } = exec.test.options;
  const pod = {
    run: settings.runId,
    process: Math.floor(Math.random() * 2 ** 32).toString(16),
    segment: executionSegment ?? "0:1",
  };
  const sequence = executionSegmentSequence ?? "0,1";
  const result = { sequence, baseUrl: settings.baseUrl, profile, finishedAt: Date.now(), summary };
  return framesOf(pod, result, (text) => {
    // Loaded only here: its tables would cost each virtual user 0.1 MB.
    const { gzipSync, strToU8 } = require("fflate");
    return encoding.b64encode(gzipSync(strToU8(text), { level: 9 }).slice().buffer);
  });
}

/** The options with the contents of the files that they name. */
function withFiles({ tlsAuth, ...options }: ConnectionOptions): ConnectionOptions {
  if (tlsAuth === undefined) return options;
  const read = (text: string) => (text.startsWith("-----BEGIN") ? text : open(text));
  const [{ cert, key }] = tlsAuth;
  return { ...options, tlsAuth: [{ cert: read(cert), key: read(key) }] };
}

const tries = 5;
/** Fewer, since each may take its whole time-out. */
const triesWithoutResponse = 3;
/** k6 allows a minute each for setup and teardown, and does not name the cause when it has expired. */
const longestAskSeconds = 40;

/**
 * Sends a request before the run and throws if there is nothing to measure: k6 would continue and exit with 0. It returns
 * nothing, because k6 writes the value that setup returns into the summary.
 */
function preflight({ settings, redaction }: Environment): void {
  requireTarget(settings);
  const { redact } = redaction();
  const response = ask(settings);
  const { status } = response;
  const subject = `${settings.baseUrl}${endpoints.retailers.path}`;
  const at = { endpoint: "retailers", subject } as const;
  if (isUndecodable(response)) throw ended({ code: "undecodable-body", ...at });
  if (status === 0)
    throw ended({ code: "no-answer-before-load", ...at, details: { error: redact(response.error) } });
  if (status === 401 || status === 403)
    throw ended({ code: "key-rejected-before-load", ...at, actual: status });
  if (status === 429 || status >= 500)
    throw ended({ code: "status-before-load", ...at, actual: status, from: strangerIn(response) });
  if (status !== 200 || !isRetailers(response)) {
    const location = response.headers.Location;
    const details = location === undefined ? undefined : { location: redact(location) };
    throw ended({ code: "not-the-service", ...at, actual: status, details });
  }
}

/** Logs why the run ends, for the runner, and returns the error to throw, which plain k6 shows. */
function ended(finding: Finding): Error {
  log.error(findingLine(finding));
  const { code, actual = "", subject = "" } = finding;
  return new Error(`${code} ${actual} ${subject}`);
}

/** Sends a request after the run, to distinguish a target that stopped responding from a slow one. */
function checkAfterRun(settings: LoadSettings, respondedAfter: Gauge): void {
  const response = ask(settings);
  // A request that did not reach the target says nothing about it.
  if (response.status === 0 && lostAt(response) !== undefined) return;
  const hasResponded = response.status !== 0 || isUndecodable(response) || failureOf(response) === "not HTTP";
  respondedAfter.add(hasResponded ? 1 : 0);
}

/** Asks for the retailers, again after a lost, refused or failed request: a single one, as in any run, shows nothing. */
function ask(settings: LoadSettings): RefinedResponse<"text"> {
  const params: RefinedParams<"text"> = {
    responseType: "text",
    headers: headersWith(settings.key, settings),
    tags: { name: "preflight" },
    redirects: 0,
    timeout: 10_000,
    responseCallback: http.expectedStatuses({ min: 200, max: 599 }),
  };
  const until = Date.now() + longestAskSeconds * 1000;
  for (let done = 1; ; done += 1) {
    const response = http.get(`${settings.baseUrl}${endpoints.retailers.path}`, params);
    const { status, headers } = response;
    const isLost = status === 0 && !isUndecodable(response);
    const isRefused = status === 429 || status >= 500;
    if (isLost ? done >= triesWithoutResponse : !isRefused || done >= tries) return response;
    const wait = readRetryAfter(headers[retryAfterHeader]);
    const seconds = wait.kind === "seconds" ? wait.seconds : 1;
    if (Date.now() + seconds * 1000 > until) return response;
    sleep(seconds);
  }
}

/** Whether the response is a list of retailers. What is wrong in the list is for the conformance suite to say. */
function isRetailers(response: { json(): unknown }): boolean {
  try {
    return Array.isArray((response.json() as { retailers?: unknown } | null)?.retailers);
  } catch {
    return false;
  }
}
