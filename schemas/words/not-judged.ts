import type { Finding, FindingOf, RequestDetails, SharedFields } from "../contracts/finding.ts";
import { endpointName, oneOf, productOf, says, statusSeen, type Tallies, tallies } from "./finding-words.ts";
import { clip, counted, figure, listed, often, perSecond, second } from "./format.ts";
import { responderName } from "./response.ts";
import { transportFailuresText, transportFailureWords, withStatuses } from "./transport.ts";
import { code } from "./values.ts";

const longestUrl = 200;

/** A gateway by its own name for itself, and the status that it gave. */
interface Gateway {
  subject?: string | undefined;
  actual: number;
}
interface BurstDetails {
  refused: number;
  refusedWith?: number | undefined;
  /** Responses of the burst that show a cache. */
  cached?: number | undefined;
  /** The setting `maxRequestsPerSecond`, which holds for the burst, too. */
  bound?: number | undefined;
}

/** The words of why something was not judged, and of notices about a run. */
export const notJudgedWords = {
  "no-response-exercised": says<NotExercised>({
    cause: ({ subject, expected, details }) =>
      JSON.stringify(["no-response-exercised", subject, expected, details?.provokedBy]),
    text: notExercised,
    fix: toExercise,
  }),
  "status-not-seen": says<{ expected: readonly number[] }>({ text: missingStatus }),
  "control-failed": says<{
    actual: number;
    details?: (RequestDetails & { errorCode?: string | undefined }) | undefined;
  }>({
    cause: ({ endpoint, actual }) => `control-failed ${endpoint} ${actual}`,
    text: (finding) =>
      finding.actual < 300
        ? `${endpointName(finding)} returned ${statusSeen(finding)}, and the specification names another status for the request. This check needs that one.`
        : `${endpointName(finding)} returned ${statusSeen(finding)} although the request is valid. This check needs one that works.`,
    fix: "The evidence shows that request. Find out why it got this response.",
  }),
  "target-unavailable": says<{ actual: number; details?: { since: string } | undefined }>({
    saysWho: true,
    isPassing: true,
    cause: ({ endpoint, actual, details }) =>
      details === undefined ? `target-unavailable ${endpoint} ${actual}` : "target-unavailable",
    text: ({ actual, seen, details, from }) =>
      `${responderName(from)} returned ${actual}: ${often(seen, "request")} failed in a row${details === undefined ? "" : `, since ${second(details.since)}`}.`,
    fix: "Check the log of the service, and that of any gateway in front of it. Run again when it has recovered.",
  }),
  "key-rejected-since": says<{ subject: "primary" | "sameOrg" | "otherOrg"; details: { since: string } }>({
    text: ({ subject, seen, details }, { keyVariables }) =>
      `The target has rejected the key in ${code(keyVariables[subject])} with 401 since ${second(details.since)}, after it had accepted it in ${often(seen)}.`,
    fix: ({ subject }, { keyVariables }) =>
      `Find out whether ${code(keyVariables[subject])} was revoked or replaced during the run. If not, the service, or a gateway in front of it, no longer knows it: check their logs.`,
  }),
  "endpoint-silent": says({
    text: (finding) =>
      `${endpointName(finding)}: no response came in time to ${often(finding.seen)} in a row, so no more are sent.`,
    fix: transportFailureWords("silent").fix,
  }),
  "requests-lost": says<{ details: Record<string, number> }>({
    text: ({ seen, details }) =>
      `${often(seen)} got no complete response: ${transportFailuresText(details)}.`,
    fix: ({ details }) => transportFailureWords(mostOf(details)).fix,
  }),
  "no-answer": says<{ subject: string; details?: { url: string } | undefined }>({
    isPassing: true,
    cause: ({ subject }) => `silent ${subject}`,
    // Others of this cause may be of other requests, and so may the exchanges shown.
    text: ({ subject: failure, details }) =>
      `A request${details === undefined ? "" : ` such as ${code(clip(details.url, longestUrl))}`} got no complete response: ${transportFailureWords(failure).text}.`,
    fix: ({ subject: failure }) => transportFailureWords(failure).fix,
  }),
  "still-rate-limited": says({
    isPassing: true,
    cause: "code",
    text: ({ seen }) => `Still refused with 429 after ${often(seen, "wait")}.`,
    fix: "Run when nothing else uses this organization's rate limit, or ask the operator for a higher one. If nothing else uses it, Retry-After is too short.",
  }),
  "wait-too-long": says<{ expected: number; actual: number }>({
    cause: "code",
    text: ({ expected, actual }) =>
      `Retry-After says ${figure(actual)} s; ${figure(expected)} s is the most that is waited.${actual % 1000 === 0 ? " It gives seconds; this looks like milliseconds." : ""}`,
    fix: "Correct it; or if it is right, run again later, or on a target whose limit has a shorter window.",
  }),
  "budget-spent": says<{ subject: "requests" | "seconds" | "megabytes"; expected: number }>({
    text: ({ expected, subject: what }) =>
      `The budget of this run is not enough: ${what === "megabytes" ? `${expected} MB of responses` : counted(expected, what.slice(0, -1))}.`,
    fix: ({ subject: what }) =>
      ({
        megabytes: "Check what the service sends, or judge fewer sections.",
        seconds:
          "Raise maxSeconds (--max-time), or judge fewer sections. A slow service, large responses, a low rate limit and a low maxRequestsPerSecond make a run longer.",
        requests: "Raise maxRequests (--max-requests), or judge fewer sections.",
      })[what],
  }),
  // A product that has gone, or a retailer that was granted or withdrawn.
  "catalog-changed": says<{ subject?: string | undefined }>({
    isPassing: true,
    cause: (finding) => `catalog-changed ${finding.subject} ${productOf(finding)}`,
    text: (finding) =>
      finding.subject === undefined
        ? `${productOf(finding)} was not found any more.`
        : `Whether GET /retailers lists ${code(finding.subject)} changed during the run.`,
    fix: "Run again.",
  }),
  "not-reached": says({
    isPassing: true,
    cause: "code",
    text: () => "The run ended before this check.",
    fix: "Run again.",
  }),
  avoided: says<{ subject: "burst" | "skip" }>({
    text: ({ subject }) =>
      subject === "skip"
        ? "Excused: only responses with 429 show this, and the checks that provoke them are skipped."
        : `Excused: the config excludes this for the target (${code(`avoid: ["${subject}"]`)}).`,
  }),
  "failed-at-times": says<{ details: Record<string, number> }>({
    text: ({ seen, details }) =>
      `${often(seen)} failed with ${listed(Object.keys(details))}. The same requests got other responses at other times.`,
  }),
  // What was seen is Cache-Control.
  "public-response": says<{ actual: string }>({
    text: ({ actual, seen }) =>
      `A cache that several organizations share may keep ${often(seen)} and give one organization what another one requested: ${code(`Cache-Control: ${actual}`)}, and no ${code("Vary")} that names both headers with keys.`,
    fix: `Send ${code("Cache-Control: private")} or ${code("no-store")}, or name both headers with keys in ${code("Vary")}.`,
  }),
  "refused-on-the-way": says<{ details: Record<string, number> }>({
    saysWho: true,
    text: ({ from, seen, details }) =>
      `${responderName(from)} refused ${counted(seen?.count ?? 0, "unusual request")} of this run, which ordinary clients do not send, without an error in the form of the spec: ${withStatuses(Object.entries(details))}.`,
  }),
  "lost-on-the-way": says<LostOnTheWay>({
    text: lostOnTheWay,
    fix: ({ details }) => fixOnTheWay(mostOf(details)),
  }),
  "answered-on-the-way": says<Gateway>({
    saysWho: true,
    text: ({ subject, actual }) =>
      `A response with ${actual}${fromName(subject)} has no error in the form of the spec.`,
    fix: ({ actual }) => fixOnTheWay(`${actual}`),
  }),
  "accepted-in-plain-only": says({
    text: () => `The key was rejected with 401 in ${code("Authorization")}, and not in ${code("X-Api-Key")}.`,
    fix: `Load sends the key in ${code("Authorization")}. Find what removes or ignores that header, in the service or in front of it.`,
  }),
  "certificate-unchecked": says({
    text: () =>
      `The target's certificate was not checked (${code("insecure")}), so any server may have responded.`,
    fix: "Name the authority's certificate as ca in the target's entry instead.",
  }),
  "limit-not-probed": says<{ subject: string }>({
    text: () => "The expected rate limit was not judged: only a probe measures it.",
    fix: ({ subject: command }) => `Run \`${command}\`, or add rate-limit to gate.scenarios.`,
  }),
  "harness-error": says<{ actual: string }>({
    text: ({ actual }) => `The check itself failed: ${actual}.`,
    fix: "This is a bug in shelfcheck, not in the target: please report it.",
  }),
  "limit-not-reached": says<{ actual: number; details?: BurstDetails | undefined }>({
    cause: "code",
    text: ({ seen, actual, details: { refused, refusedWith, cached = 0, bound } = { refused: 0 } }) => {
      const burst = `A burst of ${often(seen)}`;
      if (refusedWith !== undefined) return `${burst} got responses with ${refusedWith}, and none with 429.`;
      const most = bound === undefined ? "" : ` (${code(`maxRequestsPerSecond: ${bound}`)})`;
      const none = `${burst} at ${perSecond(actual)}${most} got no 429`;
      if (cached > 0) return `${none}: ${counted(cached, "response")} came from a cache.`;
      return refused === 0
        ? `${none}.`
        : `${none}, although ${counted(refused, "earlier response")} of this run ${refused === 1 ? "was" : "were"} 429.`;
    },
    fix: ({ details }) =>
      details?.refusedWith === undefined
        ? `Run again on a target whose rate limit allows fewer requests at once, or where requests are faster, such as on a machine that is not busy, or at an address without a cache${details?.bound === undefined ? "" : "; or raise `maxRequestsPerSecond`"}. If the target has no limit, add ${code('optional: ["rateLimit"]')} to its entry in the config.`
        : "See limits.rate.",
  }),
  // Its status is neither 200 nor 429, if there is one.
  "limit-unclear": says<Tallies & { actual?: number | undefined }>({
    text: (finding) => `${tallies(finding)}: that does not tell whether they share the limit.`,
    fix: ({ actual }) =>
      actual === undefined
        ? "Run again where requests are faster, such as on a machine that is not busy, or on a target with another rate limit."
        : `Find out why a request returned ${actual}, neither 200 nor 429.`,
  }),
  "burst-lost": says<Partial<Gateway>>({
    text: ({ subject, actual, seen }) =>
      `The burst got no 429: ${often(seen)} got ${actual === undefined ? "no complete response" : `${actual}${fromName(subject)}`}.`,
    fix: `Check the log of the service, and that of any gateway in front of it. If the gateway limits the rate itself, run this at an address without it, or leave the burst out: ${code('avoid: ["burst"]')} in the target's entry in the config.`,
  }),
  "key-without-case": says({
    text: () => "The key is hexadecimal or has no letters, so another case may be the same key.",
  }),
  "no-other-category": says({
    text: () => "No two categories have several pages, or the first was not walked to its end.",
  }),
  "no-wait-given": says({
    cause: "code",
    text: () => "The 429 response has no Retry-After in whole seconds, in at most nine digits.",
    fix: "See errors.retry-after.",
  }),
};
export type NotJudgedCode = keyof typeof notJudgedWords;

export function isNotJudged(one: Finding): one is FindingOf<NotJudgedCode> {
  return Object.hasOwn(notJudgedWords, one.code);
}

export interface LostOnTheWay {
  /** Its own name for itself. */
  subject?: string | undefined;
  /** By the status of the gateway, or by the transport failure. */
  details: Record<string, number>;
}

/** The name with the highest count. */
function mostOf(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts).toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? "";
}

function lostOnTheWay({ subject, seen, details }: SharedFields & LostOnTheWay): string {
  const entries = Object.entries(details);
  const answered = entries.filter(([how]) => isStatus(how));
  const unanswered = entries.filter(([how]) => !isStatus(how));
  const parts = [
    `${often(seen)} were lost.`,
    answered.length > 0 &&
      `Without an error in the form of the spec: ${withStatuses(answered)}${fromName(subject)}.`,
    unanswered.length > 0 && `No response: ${transportFailuresText(Object.fromEntries(unanswered))}.`,
  ];
  return parts.filter(Boolean).join(" ");
}

/** What a response names as its sender. */
function fromName(name: string | undefined): string {
  return name === undefined || name === "" ? "" : ` from ${code(name)}`;
}

function isStatus(how: string): boolean {
  return how === "other" || /^\d+$/.test(how);
}

/** For requests that were lost on the way, by the status of the gateway or the transport failure. */
function fixOnTheWay(how: string): string {
  if (!isStatus(how)) return transportFailureWords(how).fix;
  return how === "503"
    ? `If the gateway limits the rate, set ${code("maxRequestsPerSecond")} in the target's entry. Otherwise check its log, and that the service behind it runs.`
    : "Check the log of the service, and log and time limits of any gateway in front of it.";
}

interface NotExercised {
  subject: string;
  expected?: readonly number[] | undefined;
  details?: { provokedBy?: string | undefined } | undefined;
}

/** What to do without responses that no check in particular provokes. */
const toExerciseAny: Readonly<Record<string, string>> = {
  response: "Run `shelfcheck doctor`.",
  success: "See the findings on the failed requests.",
  product: "Name a category that has products (--category), and see the findings on category pages.",
};

function notExercised(finding: SharedFields & NotExercised): string {
  return finding.subject === "status"
    ? missingStatus(finding)
    : "No response in this run exercised this rule.";
}

function missingStatus({ expected, seen }: SharedFields & Pick<NotExercised, "expected">): string {
  // Those without the form may be those of a gateway, which are counted apart.
  if (seen === undefined || seen.count === 0)
    return `No response with status ${oneOf(expected)} and an error in the form of the spec was received.`;
  const received = `${counted(seen.count, "response")} with status ${oneOf(expected)}`;
  return `${received} ${seen.count === 1 ? "was" : "were"} received, without ${code("error.code")} as a string.`;
}

function toExercise({ subject: what, seen, details }: SharedFields & NotExercised): string {
  if (what === "status" && seen?.count) return "See errors.shape and error-body.code.";
  const source = details?.provokedBy;
  return source === undefined
    ? (toExerciseAny[what] ??
        "See errors.shape for the form of an error. If this was a part of the suite, run all of it.")
    : `See ${source}, whose checks send such requests; if they did not run, run ${source} too.`;
}
