import { sleep } from "k6";
import encoding from "k6/encoding";
import exec from "k6/execution";
import http, { type RefinedParams, type RefinedResponse } from "k6/http";
import { Gauge } from "k6/metrics";
import { endpoints, retryAfterHeader, retryAfterSeconds } from "../schemas/api.ts";
import type { Finding } from "../schemas/contracts/finding.ts";
import type { LoadFixtures } from "../schemas/contracts/load-fixtures.ts";
import type { Profile } from "../schemas/contracts/profile.ts";
import { isObject, jsonIn } from "../schemas/json.ts";
import type { ScenarioId } from "../schemas/scenarios.ts";
import { catalogFrom, listNames } from "./lib/catalog.ts";
import { failureOf, isUndecodable, lostAt, strangerIn } from "./lib/failures.ts";
import { findingLine, log } from "./lib/log.ts";
import { optionsFor } from "./lib/options.ts";
import { framesOf } from "./lib/pod-result.ts";
import { plannedOf } from "./lib/schedule.ts";
import type { Environment, Prepared } from "./lib/script.ts";
import {
  type ConnectionOptions,
  headersWith,
  type LoadSettings,
  readSettings,
  requireTarget,
} from "./lib/settings.ts";
import { type RunSummary, renderSummary, type SummaryData, summarize } from "./lib/summary.ts";
import { judgedLimits, limitsFor, thresholdOptions } from "./lib/thresholds.ts";
import { profiles as builtIn } from "./profiles.ts";

// No virtual user calls this code, not even one that loads the rest on demand.

const profiles: Readonly<Record<string, Profile>> = builtIn;

/**
 * What all virtual users share. The first text is JSON of `Prepared`; those of the lists follow, list after
 * list. Must be called in the init context, where k6 allows `open`.
 */
export function prepare(env: Readonly<Record<string, string | undefined>>): string[] {
  const settings = readSettings(env);
  const fixtures = JSON.parse(open(settings.fixturesPath)) as LoadFixtures;
  const { byId, byUrl, byGtin, batchItems, categoryPaths, ...rest } = catalogFrom(fixtures);
  const lists = { byId, byUrl, byGtin, batchItems, categoryPaths };
  const { profile, profileName } = openProfile(env.SHELFCHECK_PROFILE);
  const prepared: Prepared = {
    settings,
    profile,
    profileName: env.SHELFCHECK_PROFILE_NAME || profileName,
    lengths: Object.fromEntries(listNames.map((list) => [list, lists[list].length])) as Prepared["lengths"],
    rest,
  };
  const texts = listNames.flatMap((list) =>
    Array.from({ length: lists[list].length }, (_, place) => lists[list].at(place) ?? ""),
  );
  return [JSON.stringify(prepared), ...texts];
}

/** By its name or file. Default: the profile beside the script, as in the folder of a run, or else `smoke`. */
function openProfile(named: string | undefined): Pick<Prepared, "profile" | "profileName"> {
  if (!named) return openProfile(isThere("profile.json") ? "profile.json" : "smoke");
  if (named.endsWith(".json")) return { profile: JSON.parse(open(named)) as Profile, profileName: named };
  const profile = profiles[named];
  if (profile !== undefined) return { profile, profileName: named };
  throw new Error(
    `SHELFCHECK_PROFILE: ${named} is neither the path of a .json file nor one of ${Object.keys(profiles).join(", ")}`,
  );
}

function isThere(file: string): boolean {
  try {
    open(file);
    return true;
  } catch {
    return false;
  }
}

/** What k6 reads and calls outside the iterations of a scenario: options, setup, teardown and summary. */
export function hooksOf(scenario: ScenarioId, environment: Environment) {
  const { settings, profile, profileName, catalog } = environment;
  const limits = limitsFor(scenario, profile, catalog, settings.seed);
  /** 1 if the target still responded after the run, otherwise 0. */
  const respondedAfter = new Gauge("target_responded_after");
  /** When the setup ended, and when the teardown began: Unix milliseconds. */
  const [began, ended] = [new Gauge("load_began"), new Gauge("load_ended")];
  return {
    options: {
      ...optionsFor(scenario, profile),
      thresholds: thresholdOptions(limits),
      ...withFiles(settings.connectionOptions),
    },
    setup: () => preflight(environment, began),
    teardown: () => checkAfterRun(settings, ended, respondedAfter),
    handleSummary(data: SummaryData): Record<string, string> {
      const measured = summarize(data, {
        scenario,
        profile: profileName,
        seed: settings.seed,
        plannedIterations: plannedOf(profile, scenario),
      });
      const summary = { ...measured, thresholds: judgedLimits(limits, measured.metrics) };
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
 * Sends a request first and throws if there is nothing to measure: k6 would continue and exit with 0. Returns
 * nothing, because k6 writes what setup returns into the summary.
 */
function preflight({ settings, redaction }: Environment, began: Gauge): void {
  requireTarget(settings);
  const at = { endpoint: "retailers", subject: `${settings.baseUrl}${endpoints.retailers.path}` } as const;
  const unready = unreadyFinding(ask(settings), at, redaction().redact);
  began.add(Date.now());
  if (unready === undefined) return;
  // For the runner; plain k6 shows the error.
  log.error(findingLine(unready));
  throw new Error(`${unready.code} ${unready.actual ?? ""} ${at.subject}`);
}

/** Why there is nothing to measure. */
function unreadyFinding(
  response: RefinedResponse<"text">,
  at: { readonly endpoint: "retailers"; readonly subject: string },
  redact: (text: string) => string,
): Finding | undefined {
  const { status: actual, headers } = response;
  if (isUndecodable(response)) return { code: "undecodable-body", ...at };
  if (actual === 0)
    return { code: "no-answer-before-load", ...at, details: { error: redact(response.error) } };
  if (actual === 401 || actual === 403) return { code: "key-rejected-before-load", ...at, actual };
  if (actual === 429 || actual >= 500)
    return { code: "status-before-load", ...at, actual, from: strangerIn(response) };
  if (actual === 200 && isRetailers(response)) return undefined;
  const location = headers.Location;
  const details = location === undefined ? undefined : { location: redact(location) };
  return { code: "not-the-service", ...at, actual, details };
}

/** Sends a request after the run, to distinguish a target that stopped responding from a slow one. */
function checkAfterRun(settings: LoadSettings, ended: Gauge, respondedAfter: Gauge): void {
  ended.add(Date.now());
  const response = ask(settings);
  // A request that did not reach the target says nothing about it.
  if (response.status === 0 && lostAt(response) !== undefined) return;
  const hasResponded = response.status !== 0 || isUndecodable(response) || failureOf(response) === "not HTTP";
  respondedAfter.add(hasResponded ? 1 : 0);
}

/** Asks for the retailers, again after a lost, refused or failed request: a single one shows nothing. */
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
    const seconds = retryAfterSeconds(headers[retryAfterHeader]) ?? 1;
    if (Date.now() + seconds * 1000 > until) return response;
    sleep(seconds);
  }
}

/** Whether it is a list of retailers. What is wrong in the list is for the conformance suite to say. */
function isRetailers({ body }: { readonly body: string | null }): boolean {
  const list = jsonIn(body ?? "");
  return isObject(list) && Array.isArray(list.retailers);
}
