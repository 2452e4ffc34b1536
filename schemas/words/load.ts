import { endpoints, retryAfterHeader } from "../api.ts";
import type { SharedFields } from "../contracts/finding.ts";
import type { FoundRateLimit, RateLimitResult } from "../contracts/load-result.ts";
import { requestLabel } from "../scenarios.ts";
import { allOrError, says } from "./finding-words.ts";
import {
  bytes,
  capitalized,
  counted,
  duration,
  figure,
  grouped,
  inUnit,
  milliseconds,
  often,
  outOf,
  percent,
  perSecond,
} from "./format.ts";
import { besideLimit, thresholdLabel } from "./thresholds.ts";
import { withStatuses } from "./transport.ts";
import { code } from "./values.ts";

/** A `--rate` for a target that refused more than this one: a tenth less, whole if possible. */
function acceptedRate(perSecondAccepted: number): number {
  const rate = 0.9 * perSecondAccepted;
  return rate >= 1 ? Math.floor(rate) : Number(rate.toPrecision(1));
}

/** Up to which rate a search found no limit, and that requests were refused meanwhile. */
function heldText({ actual, seen }: Measured & SharedFields): string {
  const refused = seen && counted(seen.count, "request was refused", "requests were refused");
  return `within limits up to ${perSecond(actual)}${refused === undefined ? "" : `, but ${refused} with 429`}`;
}

/** A measured value and its limit; the subject is the kind of request, where the limit is for one. */
interface MeasuredLimit {
  subject?: string | undefined;
  expected?: number | undefined;
  actual?: number | undefined;
  details?:
    | {
        statistic?: Statistic | undefined;
        virtualUsers?: number | undefined;
        /** By how much this machine was late, which may be the reason. */
        lateMilliseconds?: number | undefined;
      }
    | undefined;
}
type Statistic = "p95" | "p99" | "share" | "count";
interface Figures {
  expected: number;
  actual: number;
}
interface Measured {
  actual: number;
}
type ExpectedLimit = NonNullable<RateLimitResult["expected"]>[number];
/** The limit above which a search ended. */
interface SearchedLimit {
  limit: number;
  limitUnit: "ms" | "share";
}
interface ForeignContent {
  /** Kind of request. */
  subject: string;
  actual: unknown;
  details: { what: "retailer" | "product" };
}
/** What a sentence is about: the path of a request, the segment of a pod, the id of a run, a signal. */
interface Named {
  subject: string;
}

/** The words of findings that a crossed threshold makes. */
export const crossingWords = {
  "latency-over-limit": says<MeasuredLimit>({
    text: (finding) => {
      const { seen, details: { statistic, lateMilliseconds: late } = {} } = finding;
      return [
        limited(finding, `${requestOf(finding)}, ${statistic}`),
        seen !== undefined && seen.count < fewSamples && `Only ${counted(seen.count, "sample")}.`,
        late !== undefined &&
          `Iterations started late, p95 ${milliseconds(late)}: the delay may be that of this machine.`,
      ]
        .filter(Boolean)
        .join(" ");
    },
    fix: ({ details }) =>
      details?.lateMilliseconds === undefined
        ? undefined
        : "Run the load from a machine that is otherwise idle.",
  }),
  "failed-requests": says<MeasuredLimit>({
    text: (finding) => limited(finding, shareLabel("failed-requests", finding)),
  }),
  "invalid-responses": says<MeasuredLimit>({
    text: (finding) => limited(finding, shareLabel("invalid-responses", finding)),
  }),
  "retry-after-malformed": says<MeasuredLimit>({
    text: ({ seen }) =>
      `${often(seen, "429 response", "429 responses")} had no ${retryAfterHeader} in whole seconds, in at most nine digits.`,
  }),
  "cursor-repeated": says<MeasuredLimit>({
    text: ({ seen }) =>
      `${often(seen, "walk")} through a category went round and round: paging would never end.`,
  }),
  "other-organization-refused": says<MeasuredLimit>({
    text: ({ seen }) =>
      `While the first organization was above its rate limit, ${often(seen, "request of the other organization", "requests of the other organization")} were refused with 429.`,
  }),
  "foreign-responses": says<MeasuredLimit>({
    text: ({ seen }) =>
      `${often(seen, "response", "responses")} to requests of different organizations at the same time showed a retailer that only the other organization may see, or a product that only that one requested.`,
    fix: "Look for state that requests share: a buffer, a cache without the organization in its key, a connection with the key of its last user. Or for a filter that is not always applied.",
  }),
  "iterations-dropped": says<MeasuredLimit>({
    text: ({ seen, details }) =>
      `For ${often(seen)}, no virtual user was free (${grouped(details?.virtualUsers ?? 0)} in all).`,
    fix: "If --vus or the target's maxConcurrency sets the number of virtual users, raise it, or lower --rate. Otherwise run the load while the machine is idle, or use more machines.",
  }),
  "iterations-late": says<MeasuredLimit>({
    text: ({ actual, expected }) =>
      `Iterations started late, p95 ${milliseconds(actual ?? 0)}, limit ${milliseconds(expected ?? 0)}: this machine cannot generate the load.`,
    fix: "Use a larger machine, or split the run across several (--manifests).",
  }),
  "script-exceptions": says<MeasuredLimit>({
    text: ({ seen }) => `${often(seen)} threw an exception: see the k6 log.`,
  }),
  "no-samples": says<MeasuredLimit>({
    text: (finding) =>
      finding.seen?.total === undefined
        ? `${requestOf(finding)}: no successful response was measured.`
        : `${requestOf(finding)}: ${counted(finding.seen.total, "request")} failed and none succeeded, so there is no latency to judge.`,
  }),
  "nothing-checked": says<MeasuredLimit>({
    text: (finding) =>
      finding.subject === undefined
        ? "No response could be compared with those to the other organization."
        : `${requestOf(finding)}: no response was checked.`,
  }),
};
export type CrossingCode = keyof typeof crossingWords;

export const loadWords = {
  ...crossingWords,
  "undecodable-body": says<Partial<Named>>({
    text: ({ subject }) =>
      `${subject === undefined ? "The body" : `Before the load began, the body of GET ${subject}`} does not match its Content-Encoding: it could not be decompressed.`,
    fix: "Check what compresses the responses: the service, or a proxy in between.",
  }),
  "rate-limit-reached": says<Omit<Figures, "actual"> & Partial<Measured>>({
    found: ({ actual }) =>
      actual === 0
        ? "hardly any request accepted after a 429"
        : `rate limit reached${actual === undefined ? "" : `, about ${perSecond(actual)} accepted`}`,
    text: ({ expected, actual, seen }) => {
      if (actual === 0)
        return `Once refused with 429, hardly any request was accepted: at most ${perSecond(expected)} is planned.`;
      const accepted = actual && `: about ${perSecond(actual)} accepted while requests were refused`;
      return `Rate limit reached${accepted ?? ""}; at most ${perSecond(expected)} planned${seen === undefined ? "" : ` (${counted(seen.count, "response")} with 429)`}.`;
    },
    fix: ({ expected, actual }) => {
      if (actual === 0)
        return "Wait until the rate limit of the key has reset, or have it raised for the test.";
      const rate = actual && `at most ${perSecond(acceptedRate(Math.min(actual, expected)))}`;
      return `Send ${rate ?? "less"} (--rate of load, maxRequestsPerSecond of the target), or have the organization's limit raised.`;
    },
  }),
  "refused-after-waits": says({
    text: ({ seen }) =>
      `${retryAfterHeader} is too short: ${seen?.count ?? 0} of ${counted(seen?.total ?? 0, "wait")} ended in another 429, although nothing else was sent.`,
    fix: `Announce in ${retryAfterHeader} when the service accepts requests again. If other clients use the same key, repeat the run without them.`,
  }),
  "foreign-response": says<ForeignContent>({
    text: ({ actual, details }) => {
      const foreign = typeof actual === "string" ? actual : JSON.stringify(actual);
      return details.what === "retailer"
        ? `The response shows the retailer ${foreign}, which only another organization may see.`
        : `The response has the product ${foreign}, which only another organization requested at the same time.`;
    },
  }),
  "tenants-kept-apart": says({
    text: ({ seen }) => {
      const none = `None of ${counted(seen?.count ?? 0, "response")} to requests of different organizations at the same time`;
      return `${none} showed a retailer that GET /retailers lists for the other one only, or a product that only that one requested.`;
    },
  }),
  "tenants-alike": says({
    text: () =>
      "GET /retailers returned the same retailers to the keys of both organizations: no retailer can show a mix-up.",
    fix: (_, { keyVariables }) =>
      `Set ${keyVariables.otherOrg} to a key of an organization that has other retailers. If it is one, look for what gives both keys one list, such as a cache.`,
  }),
  "no-tenants-to-load": says({
    text: () => "No load was sent: the scenario tenants needs keys of two organizations that see products.",
    fix: (_, { keyVariables }) =>
      `Check ${keyVariables.otherOrg} with \`npx shelfcheck doctor\`: each key must see products of the categories.`,
  }),
  "slower-than-planned": says<Figures & { details?: { /** Requests without a response. */ silent: number } }>(
    {
      text: ({ actual, expected, seen, details }) => {
        const what =
          details === undefined
            ? `Responses took ${time(actual)} here (mean p99 of the slowest traffic) and`
            : `${counted(details.silent, "request")} without a response in ${time(actual)}`;
        return `${what} kept virtual users busy: k6 dropped ${often(seen)}. The profile plans for ${time(expected)}.`;
      },
      fix: ({ details }) =>
        details === undefined
          ? "If responses this slow are acceptable, raise maxResponseSeconds and the limits of the profile."
          : undefined,
    },
  ),
  "capacity-reached": says<Partial<Named> & Measured & { details?: SearchedLimit | undefined }>({
    found: ({ actual, subject }) =>
      subject === undefined
        ? `slower than planned, ${perSecond(actual)} held`
        : `exceeded its limits when about ${perSecond(actual)} were completed`,
    text: ({ actual, subject, details: { limit, limitUnit } = { limit: 0, limitUnit: "ms" } }) => {
      if (subject === undefined) return `Slower than planned: ${perSecond(actual)} was held.`;
      const above = limitUnit === "share" ? percent(limit) : time(limit);
      return `Limits exceeded when about ${perSecond(actual)} were completed: ${subject} above ${above}.`;
    },
  }),
  "capacity-not-reached": says<Measured>({
    found: (finding) => heldText(finding),
    text: (finding) => {
      const longer = "with a longer --duration, the rate limit may be the result";
      return `${capitalized(heldText(finding))}${finding.seen === undefined ? "" : `: ${longer}`}.`;
    },
  }),
  "target-gone-under-load": says<Partial<Measured>>({
    text: ({ actual }) =>
      `GET ${endpoints.retailers.path} got no response after the run${actual === undefined ? "" : `; the last successful response came within ${duration(actual)} of the start of the load`}.`,
  }),
  "response-too-big": says<Partial<Named> & Measured>({
    text: ({ subject, actual }) =>
      `${subject === undefined ? "The body" : `The response to ${subject}`} is larger than ${bytes(actual)}, and shelfcheck reads no more.`,
    fix: "Check what the service sends: no lookup, page or batch should be that large.",
  }),
  "category-emptied": says<{ expected: number }>({
    text: ({ expected }) =>
      `The category has no products and no further page; an earlier walk found ${counted(expected, "product")}.`,
    fix: allOrError,
  }),
  "items-lost": says<{ expected: number; actual: number }>({
    text: ({ expected, actual }) =>
      `Of ${counted(expected, "item")} that the batch did not find, ${actual} were found when sent again at once.`,
    fix: allOrError,
  }),
  "load-interrupted": says({ text: () => "Interrupted before it finished." }),
  "generator-starved": says<Measured>({
    text: ({ actual }) =>
      `The generator ran out of CPU: it used over 90 % of this machine for ${percent(actual)} of the run.`,
    fix: "Use fewer virtual users, a larger machine, or more of them.",
  }),
  "search-seen": says<{ details: { /** The highest rate within all limits. */ held: number } }>({
    text: ({ details: { held } }) =>
      held === 0
        ? "No rate was held."
        : `At least ${perSecond(held)} was completed in each of two periods in a row, before a limit was exceeded in two.`,
  }),
  "machine-busy": says<Measured>({
    text: ({ actual }) =>
      `${percent(actual)} of this machine's CPU was in use, so its own delays may be in the times.`,
  }),
  "search-on-busy-machine": says<Measured>({
    text: ({ actual }) =>
      `At the end, ${percent(actual)} of this machine's CPU was in use, which may have delayed requests: there is no capacity to report.`,
    fix: "Run the search from a machine that is otherwise idle, and not on that of the target.",
  }),
  "search-figures-lost": says({
    text: ({ seen }) =>
      `k6 recorded no figures${seen === undefined ? " over time" : ` in ${outOf(seen.count, seen.total ?? 0, "period")}`}: there is no capacity to report.`,
    fix: "Run the search while the machine is otherwise idle.",
  }),
  "no-answer-before-load": says<Named & { details: { error: string } }>({
    text: ({ subject, details }) =>
      `The target did not respond before the load began: GET ${subject} (${details.error}).`,
    fix: "Check the base URL, and that the target is up: `npx shelfcheck doctor`.",
  }),
  "status-before-load": says<Named & Measured>({
    text: ({ actual, subject }) => `GET ${subject} returned ${actual} before the load began.`,
    fix: ({ actual }) =>
      `Wait until ${actual === 429 ? "its rate limit has reset" : "the target is up"}, then run the load again: \`npx shelfcheck doctor\`.`,
  }),
  "key-rejected-before-load": says<Named & Measured>({
    text: ({ actual, subject }) =>
      `The key was rejected with ${actual} before the load began, by GET ${subject}.`,
    fix: (_, { keyVariables }) =>
      `Check ${keyVariables.primary}. If \`npx shelfcheck doctor\` says that the key is not rejected in X-Api-Key, something removes or ignores Authorization, in which load sends it.`,
  }),
  "not-the-service": says<Named & Measured & { details?: { location: string } | undefined }>({
    text: ({ actual, subject, details }) =>
      details?.location === undefined
        ? `GET ${subject} returned ${actual} without a list of retailers before the load began.`
        : `GET ${subject} was redirected (${actual}) to ${details.location} before the load began.`,
    fix: ({ details }) =>
      details?.location === undefined
        ? "Check the base URL and its /v1 with `npx shelfcheck doctor`. If it finds the list, the target does not always return it: `npx shelfcheck conformance`."
        : "shelfcheck does not follow redirects with a key: set the base URL to the service's own address.",
  }),
  "k6-exit": says<{ actual?: number | undefined }>({
    text: ({ actual }) =>
      `k6 ended ${actual === undefined ? "by a signal" : `with exit code ${actual}`}, which no limit explains.`,
    fix: "See the k6 log in the run's folder.",
  }),
  "k6-killed": says<Named & { details?: { /** After which shelfcheck did it. */ seconds: number } }>({
    text: ({ subject, details }) =>
      details === undefined
        ? `k6 was ended by ${subject}.`
        : `k6 was still running ${duration(details.seconds)} after SIGINT from shelfcheck, and was killed: no limit was judged.`,
    fix: ({ details }) =>
      details !== undefined
        ? "See the k6 log in the run's folder."
        : "Look in the system log for what ended it. If it was the out-of-memory killer, use fewer virtual users or more memory.",
  }),
  "k6-memory": says<{ expected: number; actual: number; details: { seconds: number } }>({
    text: ({ expected, details }) =>
      `k6's memory passed ${bytes(expected)} after ${duration(details.seconds)}, so k6 was stopped.`,
    fix: "Check the size of the target's responses. If they are meant to be this large, use fewer virtual users (--vus).",
  }),
  "k6-overdue": says<Figures>({
    text: ({ actual, expected }) =>
      `k6 still ran after ${duration(actual)} and was stopped: the profile takes at most ${duration(expected)}.`,
    fix: "See the k6 log in the run's folder; check --k6-arg.",
  }),
  "no-summary": says<{ actual?: number | undefined }>({
    text: ({ actual }) =>
      `k6 ended${actual === undefined ? "" : ` with exit code ${actual}`} without a whole summary: no limit was judged.`,
    fix: "See the k6 log in the run's folder; check --k6-arg, and that the disk is not full.",
  }),
  "no-products-to-load": says({
    isOfDiscovery: true,
    text: () => "No load was sent: no usable products were found.",
    fix: "Run `npx shelfcheck doctor`: it shows what was found, and why nothing was.",
  }),
  "no-batch-field": says({
    text: () => "No load with batches was sent: the request field of batch lookup was not discovered.",
    fix: "See the other findings, or name the request field in the config: targets.<name>.dialect.batchRequestField.",
  }),
  "probe-starved": says({
    text: ({ seen: { count = 0, total = 0 } = {} }) =>
      `The limit was not found: ${outOf(count, total, "request")} of the probe got a response that tells.`,
    fix: "Run it while the machine is otherwise idle. If requests wait or fail at this rate, see the other findings and the log of the service.",
  }),
  "load-bounded": says<Figures>({
    text: ({ expected, actual, unit }) =>
      unit === "requests/s"
        ? `Limited to ${perSecond(actual)} by the target's maxRequestsPerSecond, in place of ${perSecond(expected)}.`
        : `Limited to ${counted(actual, "request")} at the same time by the target's maxConcurrency, in place of ${grouped(expected)}.`,
  }),
  "share-not-judged": says<
    Omit<MeasuredLimit, "details"> & {
      details: { crossing: CrossingCode; statistic?: Statistic | undefined };
    }
  >({
    text: (finding) => {
      const { seen: { count = 0, total = count, of } = {}, details } = finding;
      const { crossing, statistic = "share" } = details;
      const what = thresholdLabel({ crossing, request: finding.subject, statistic });
      const samples = counted(total, of?.slice(0, -1) ?? "sample");
      return `${limited(finding, what)} Not judged: with ${samples} this may be chance.`;
    },
    fix: ({ details }) =>
      details.crossing === "iterations-late"
        ? "Use a longer run, or a machine that is less busy."
        : "Use a longer run or a higher rate (--duration, --rate, or another --profile).",
  }),
  "iterations-withheld": says({
    text: ({ seen }) => `${often(seen, "iteration")} stayed incomplete after 429 responses.`,
  }),
  "failed-by-status": says<{ details: Record<string, number> }>({
    text: ({ seen, details }) =>
      `The target responded to ${often(seen)} with a status that was not expected: ${withStatuses(Object.entries(details))}.`,
  }),
  "no-walk-ended": says({
    text: () => "No walk through a category came to an empty cursor, so none was timed.",
  }),
  "responses-unchecked": says({
    text: ({ seen }) =>
      `Not checked: ${often(seen)}, because the run ended. Those without a response then count as failed.`,
  }),
  "repeats-uncounted": says({
    text: () =>
      "A GET on a connection that was kept, and is closed, is sent again by k6 itself: such failures are not counted.",
    fix: `To count all, set ${code("newConnections: true")} in the profile.`,
  }),
  "batches-unserved": says({
    text: ({ seen }) =>
      `${counted(seen?.count ?? 0, "batch", "batches")} found no item: all items were counted as \`other_errors\`.`,
  }),
  "polite-result": says<Measured>({
    text: ({ actual, seen }) =>
      `Polite: ${perSecond(actual)} accepted, waits included; ${counted(seen?.total ?? 0, "wait")}, ${seen?.count ?? 0} of them followed by another 429.`,
  }),
  "rate-limit-found": says<Measured & { details: FoundRateLimit }>({
    text: ({ actual, details }) =>
      `While the rate limit was exceeded, about ${perSecond(actual)} were accepted (${figure(details.low)} to ${figure(details.high)}); burst ${details.burst === 0 ? "not measured" : burstText(details)}.`,
  }),
  "rate-limit-not-found": says<{ actual: number; details?: { refusedShare: number } | undefined }>({
    text: ({ actual, details }) =>
      details === undefined
        ? `No rate limit was found up to ${perSecond(actual)}, the highest rate that was reached.`
        : `The rate limit was not measured: ${percent(details.refusedShare)} of the requests were refused with 429, at up to ${perSecond(actual)}.`,
  }),
  "expected-rate-limit": says<{ expected: number; details: Omit<ExpectedLimit, "expected"> }>({
    text: ({ expected, details: { of, low, high, outcome } }) => {
      const what = of === "perSecond" ? `rate limit ${perSecond(expected)}` : `burst ${grouped(expected)}`;
      const when = of === "perSecond" ? " while it was exceeded" : "";
      let measured = `the probe measured ${intervalText({ low, high })}${when}`;
      if (low === undefined) measured = "the probe did not measure it";
      // No limit was found: such a second would have taken the whole burst.
      else if (of === "perSecond" && high === undefined)
        measured = `nothing was refused in a second with ${grouped(Math.round(low))} requests more than the expected burst`;
      return `Expected ${what}: ${{ excluded: "not met", met: "met", open: "not judged" }[outcome]}, ${measured}.`;
    },
    fix: ({ expected, details: { outcome, high = expected } }) => {
      if (outcome !== "excluded") return undefined;
      const correct =
        "Correct the limit of the service, or expect.rateLimit of the target in the configuration file.";
      return high < expected
        ? `${correct} A service that locks out who exceeds the limit accepts less of a probe.`
        : correct;
    },
  }),
  "other-organization-asked": says({
    text: ({ seen }) =>
      `Besides, ${counted(seen?.total ?? 0, "request")} of the other organization, ${seen?.count ?? 0} of them refused with 429.`,
  }),
  "waits-kept": says({
    text: ({ seen }) => `Accepted after ${retryAfterHeader}: ${seen?.count ?? 0} of ${seen?.total ?? 0}.`,
  }),
};

/** The burst with its interval, if it has one; the interval alone where it is wide. */
export function burstText({
  burst,
  burstLow,
  burstHigh,
}: Pick<FoundRateLimit, "burst" | "burstLow" | "burstHigh">): string {
  const about = `about ${grouped(Math.round(burst))}`;
  if (burstLow === undefined) return about;
  const interval = intervalText({ low: burstLow, high: burstHigh });
  return burstLow < burst / 2 ? interval : `${about} (${interval})`;
}

function intervalText({ low = 0, high }: Pick<ExpectedLimit, "low" | "high">): string {
  if (high === undefined) return `at least ${figure(low)}`;
  return figure(low) === figure(high) ? figure(low) : `${figure(low)} to ${figure(high)}`;
}

function requestOf({ subject, endpoint }: SharedFields & { readonly subject?: string | undefined }): string {
  const kind = subject ?? endpoint;
  return kind === undefined ? "All requests" : requestLabel(kind);
}

function shareLabel(crossing: "failed-requests" | "invalid-responses", { subject }: MeasuredLimit): string {
  return thresholdLabel({ crossing, request: subject, statistic: "share" });
}

function limited(
  { actual = 0, expected = 0, unit, seen }: SharedFields & Pick<MeasuredLimit, "expected" | "actual">,
  what: string,
): string {
  const measured = besideLimit(actual, expected, unit);
  const often =
    unit === "share" && seen?.total !== undefined
      ? ` (${grouped(seen.count)} of ${grouped(seen.total)})`
      : "";
  return `${what}: ${measured}${often}, limit ${inUnit(expected, unit)}.`;
}

const fewSamples = 100;

/** Milliseconds; from one second on, seconds. */
function time(value: number): string {
  return value < 1000 ? milliseconds(value) : `${figure(value / 1000)} s`;
}
