import type { EndpointId } from "../api.ts";
import type { Finding, FindingOf } from "../contracts/finding.ts";
import type { RequestDetails, SharedFields } from "../contracts/finding-fields.ts";
import {
  endpointName,
  labelOf,
  oneOf,
  productOf,
  sharers,
  statusSeen,
  subject,
  tally,
} from "./finding-fields.ts";
import { says } from "./finding-words.ts";
import { capitalized, counted, figure, grouped, listed, outOf, perSecond, second } from "./format.ts";
import { gatewayName, responderName } from "./responder.ts";
import { transportFailuresText, transportFailureWords } from "./transport.ts";
import { code } from "./values.ts";

/** A gateway by its own name for itself, and the status that it gave. */
interface Gateway {
  subject?: string | undefined;
  actual: number;
}
/** The last day, and the number of days until then. */
interface DaysLeft {
  expected: string;
  actual: number;
}
interface BurstDetails {
  refused: number;
  refusedWith?: number | undefined;
  /** Responses of the burst that show a cache. */
  cached?: number | undefined;
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
        ? `${endpointName(finding)} returned ${statusSeen(finding)} for what does not exist, so that other requests for it may succeed too.`
        : `${endpointName(finding)} returned ${statusSeen(finding)} although the request is valid. This check changes it, and needs one that works.`,
    fix: () => "The evidence shows that request. If another check failed because of it, fix that first.",
  }),
  "target-stopped": says<{ subject: string; details?: { url: string } | undefined }>({
    isPassing: true,
    cause: ({ subject }) => `silent ${subject}`,
    text: (finding) => `The target stopped responding: ${failure(finding).text}.`,
    fix: (finding) => failure(finding).fix,
  }),
  "target-unavailable": says<{ actual: number; details: { since: string } }>({
    saysWho: true,
    isPassing: true,
    cause: "code",
    text: ({ actual, seen, details, from }) =>
      `${responderName(from)} has returned ${actual} to every request since ${second(details.since)} (${counted(seen?.count ?? 0, "request")} in a row).`,
    fix: ({ actual, from }) =>
      actual === 429
        ? toHaveLimitFree
        : from === undefined
          ? "Start it, or wait until it has recovered, then run again."
          : "Check that the service runs, and the log of the gateway in front of it; then run again.",
  }),
  "key-rejected-since": says<{ subject: "primary" | "sameOrg" | "otherOrg"; details: { since: string } }>({
    text: ({ subject, seen, details }, { keyVariables }) =>
      `The target has rejected the key in ${code(keyVariables[subject])} with 401 since ${second(details.since)}, after it had accepted it in ${counted(seen?.count ?? 0, "request")}.`,
    fix: ({ subject }, { keyVariables }) =>
      `Find out whether ${code(keyVariables[subject])} was revoked or replaced during the run. If not, the service, or a gateway in front of it, no longer knows it: check their logs.`,
  }),
  "endpoint-silent": says({
    text: (finding) =>
      `${endpointName(finding)} did not respond in time to ${counted(finding.seen?.count ?? 0, "request")} in a row, so no more are sent.`,
    fix: () => transportFailureWords("silent").fix,
  }),
  "requests-lost": says<{ details: Record<string, number> }>({
    text: ({ seen: { count = 0, total = 0 } = {}, details }) =>
      `${outOf(count, total, "request")} got no response: ${transportFailuresText(details)}.`,
    fix: ({ details }) => transportFailureWords(Object.keys(details)[0] ?? "").fix,
  }),
  "no-answer": says<{ subject: string; details?: { url: string } | undefined }>({
    isPassing: true,
    cause: ({ subject }) => `silent ${subject}`,
    text: (finding) => `No response was received: ${failure(finding).text}.`,
    fix: (finding) => failure(finding).fix,
  }),
  "still-rate-limited": says({
    isPassing: true,
    cause: "code",
    text: ({ seen }) =>
      `Still refused with 429 after ${counted(seen?.count ?? 0, "attempt")}, each after Retry-After.`,
    fix: () => toHaveLimitFree,
  }),
  "wait-too-long": says<{ expected: number; actual: number }>({
    cause: "code",
    text: ({ expected, actual }) =>
      `Retry-After requires a wait of ${figure(actual)} s; a run waits at most ${figure(expected)} s.${actual % 1000 === 0 ? " Retry-After gives seconds; this looks like milliseconds." : ""}`,
    fix: () => "Run again later, or on a target whose limit has a shorter window.",
  }),
  "upstream-failing": says<{ actual: number }>({
    saysWho: true,
    isPassing: true,
    cause: ({ endpoint, actual }) => `upstream-failing ${endpoint} ${actual}`,
    text: ({ actual, seen, from }) =>
      `${responderName(from)} returned ${actual} on ${counted(seen?.count ?? 0, "attempt")} in a row.`,
    fix: ({ from, actual }) =>
      actual === 408
        ? "Requests do not reach the service in time: check its log, and that of any gateway in front of it."
        : from === undefined
          ? "Its internal catalog seems to be failing: run again when it has recovered."
          : "Check that the service runs, and the log of the gateway in front of it: the service's own errors have another form.",
  }),
  "budget-spent": says<{ subject: "requests" | "seconds" | "megabytes"; expected: number }>({
    text: ({ expected, subject: what }) => {
      switch (what) {
        case "megabytes":
          return `The responses of this run exceed ${expected} MB.`;
        case "seconds":
          return `The time of this run, ${counted(expected, "second")}, is used up.`;
        case "requests":
          return `The budget of ${counted(expected, "request")} is used up.`;
        default:
          return what satisfies never;
      }
    },
    fix: ({ subject: what }) =>
      ({
        megabytes: "Check what the service sends, or judge fewer sections with --only.",
        seconds:
          "The service was slow, its responses are large, or its rate limit or the target's maxRequestsPerSecond is low. Raise --max-time, or judge fewer sections with --only.",
        requests: "Raise --max-requests, or judge fewer sections with --only.",
      })[what],
  }),
  "product-gone": says({
    isPassing: true,
    cause: "code",
    text: (finding) => `${productOf(finding)} is no longer in the catalog.`,
    fix: () => "Run again.",
  }),
  "access-changed": says<{ subject: string }>({
    isPassing: true,
    cause: "code",
    text: ({ subject: retailer }) =>
      `Access to the retailer ${code(retailer)} changed during the run: the lists of retailers differ from those at its beginning.`,
    fix: () => "Run again.",
  }),
  "not-reached": says({
    isPassing: true,
    cause: "code",
    text: () => "The run ended before this check.",
    fix: () => "Run again.",
  }),
  avoided: says<{ subject: string }>({
    text: ({ subject }) =>
      `Excused: the config excludes this for the target (${code(`avoid: ["${subject}"]`)}).`,
  }),
  "failed-at-times": says<{ details: Record<string, number> }>({
    text: ({ seen, details }) =>
      `${outOf(seen?.count ?? 0, seen?.total ?? 0, "request")} failed with ${listed(Object.keys(details))}. The same requests did not fail at other times.`,
    fix: () => "Look for these failures in the log of the service.",
  }),
  // What was seen is Cache-Control.
  "public-response": says<{ actual: string }>({
    text: ({ actual, seen }) =>
      `A cache that several organizations share may keep ${counted(seen?.count ?? 0, "response")} and give one organization what another one requested: ${code(`Cache-Control: ${actual}`)}, and no ${code("Vary")} that names both headers with keys.`,
    fix: () =>
      `Send ${code("Cache-Control: private")} or ${code("no-store")}, or name both headers with keys in ${code("Vary")}.`,
  }),
  "refused-on-the-way": says<{ details: Record<string, number> }>({
    saysWho: true,
    text: ({ from, seen, details }) =>
      `${responderName(from)} refused ${counted(seen?.count ?? 0, "unusual request")} of this run, which ordinary clients do not send, without an error in the form of the spec: ${Object.entries(
        details,
      )
        .map(([status, count]) => `${grouped(count)} with ${status}`)
        .join(", ")}.`,
  }),
  "lost-on-the-way": says<LostOnTheWay>({
    text: lostOnTheWay,
    fix: ({ details }) => fixOnTheWay(mostFrequent(details)),
  }),
  "answered-on-the-way": says<Gateway>({
    saysWho: true,
    text: ({ subject, actual }) =>
      `${gatewayName(subject)} responded with ${actual} in place of the service.`,
    fix: ({ actual }) => fixOnTheWay(`${actual}`),
  }),
  "limited-on-the-way": says<Gateway>({
    text: ({ subject, actual, seen }) =>
      `${gatewayName(subject)} ${actual === 503 ? "refused" : "responded to"} ${outOf(seen?.count ?? 0, seen?.total ?? 0, "request of the burst", "requests of the burst")} with ${actual}${actual === 503 ? " before the service's own rate limit was reached" : " in place of the service, and no rate limit was reached"}.`,
    fix: ({ actual }) =>
      actual !== 503
        ? "An instance of the service was down, slow, or crashed under the burst. Check its log, and that of the gateway in front of it."
        : `Run this at an address without the gateway, or leave the burst out: ${code('avoid: ["burst"]')} in the target's entry.`,
  }),
  "certificate-unchecked": says({
    text: () =>
      `The target's certificate was not checked (${code("insecure")}), so any server may have responded.`,
    fix: () => "Name the authority's certificate as ca in the target's entry instead.",
  }),
  "waiver-ends": says<{ subject: string } & DaysLeft>({
    text: ({ subject, expected, actual }) =>
      actual === 0
        ? `Today is the last day of the waiver of ${code(subject)}.`
        : `The waiver of ${code(subject)} expires in ${counted(actual, "day")}: its last day is ${expected}.`,
    fix: () =>
      "From the next day on it fails the run. Fix what it waives, or agree on a later date with its owner.",
  }),
  "limit-not-probed": says<{ details: { perSecond?: number | undefined; burst?: number | undefined } }>({
    text: ({ details: { perSecond: rate, burst } }) => {
      const values = [
        ...(rate === undefined ? [] : [perSecond(rate)]),
        ...(burst === undefined ? [] : [`a burst of ${grouped(burst)}`]),
      ];
      return `The expected rate limit, ${values.join(" and ")}, was not judged: only a probe measures it.`;
    },
    fix: () => "Run `npx shelfcheck load --scenario rate-limit`, or add rate-limit to gate.scenarios.",
  }),
  "certificate-ends": says<DaysLeft>({
    text: ({ actual, expected }) =>
      `The target's certificate expires in ${counted(actual, "day")}, on ${expected.slice(0, 10)}.`,
    fix: () => "Renew it before that day.",
  }),
  "harness-error": says<{ actual: string }>({
    text: ({ actual }) => `The check itself failed: ${actual}.`,
    fix: () => "This is a bug in shelfcheck, not in the target: please report it.",
  }),
  "limit-not-reached": says<{ actual: number; details?: BurstDetails | undefined }>({
    cause: "code",
    text: ({ seen, actual, details: { refused, refusedWith, cached = 0 } = { refused: 0 } }) => {
      const burst = `A burst of ${counted(seen?.count ?? 0, "request")} to GET /retailers`;
      if (refusedWith !== undefined) return `${burst} was refused with ${refusedWith}, and never with 429.`;
      const none = `${burst} at ${perSecond(actual)} reached no rate limit`;
      if (cached > 0) return `${none}: ${counted(cached, "response")} came from a cache.`;
      return refused === 0
        ? `${none}.`
        : `${none}, although ${counted(refused, "earlier response")} of this run ${refused === 1 ? "was" : "were"} 429.`;
    },
    fix: ({ details: { refused, refusedWith, cached = 0 } = { refused: 0 } }) => {
      if (refusedWith !== undefined) return "See limits.rate.";
      if (cached > 0)
        return "Run this check at an address without the cache: requests that it answers do not reach the limit.";
      return refused > 0
        ? "The limit seems to apply to other endpoints, or over a longer period: run again, and look at the 429 responses."
        : `Run this check on a target with a lower rate limit, or add ${code('optional: ["rateLimit"]')} to the target's entry: a limit that is never reached cannot be observed.`;
    },
  }),
  "limit-unclear": says<{
    subject: keyof typeof sharers;
    /** A status that is neither 200 nor 429. */
    actual?: number | undefined;
    details?: { first: { count: number; total: number } } | undefined;
  }>({
    text: ({ subject: caller, seen, details }) => {
      const [others, first] = sharers[caller];
      return `${capitalized(tally(seen))} ${others} were accepted, and ${tally(details?.first)} ${first}: that does not tell whether they share the limit.`;
    },
    fix: ({ actual }) =>
      actual === undefined
        ? "Run again when the machine is less busy, or on a target with a lower rate limit."
        : `Find out why a request returned ${actual}, neither 200 nor 429.`,
  }),
  "burst-lost": says({
    text: ({ seen }) =>
      `The burst reached no rate limit, but ${outOf(seen?.count ?? 0, seen?.total ?? 0, "request of it", "requests of it")} got no response.`,
    fix: () =>
      "Find out what closes or drops connections under a burst of requests: a limit that does so gives clients no time to wait.",
  }),
  "key-without-case": says({
    text: () => "The key is hexadecimal or has no letters, so it has no other case.",
  }),
  "no-other-category": says<{ subject: string }>({
    text: (finding) =>
      `No category besides ${code(subject(finding))} has several pages, or that one has more pages than a run follows.`,
  }),
  "key-not-cut": says({
    text: () => "The key is too short: reports could not hide a part of it without hiding other text.",
  }),
  "no-wait-given": says({
    cause: "code",
    text: () => "The 429 response does not give the wait in whole seconds.",
    fix: () => "See errors.retry-after.",
  }),
};
export type NotJudgedCode = keyof typeof notJudgedWords;

/** Whether a finding says why something was not judged. */
export function isNotJudged(one: Finding): one is FindingOf<NotJudgedCode> {
  return Object.hasOwn(notJudgedWords, one.code);
}

/** How requests were lost to which no gateway responded, by transport failure. */
const unsentWords: Readonly<Record<string, string>> = {
  proxy: "not forwarded by the proxy",
  "unknown host": "not sent, because the host name did not resolve",
  unreachable: "not sent, because there was no route to the host",
  "open files": "not sent, because this machine had too many open files",
  "no free port": "not sent, because this machine had no free address or port",
  "beyond k6": "lost to k6, which does not read chunk sizes, chunk extensions or trailers of this length",
  "shared connection": "left without a response in time, most of which they waited for an HTTP/2 connection",
};

interface LostOnTheWay {
  /** Its own name for itself. */
  subject?: string | undefined;
  details: Record<string, number>;
}

function lostOnTheWay({ subject = "", seen, details }: SharedFields & LostOnTheWay): string {
  const all = `${grouped(seen?.count ?? 0)} of ${counted(seen?.total ?? 0, "request")}`;
  const entries = Object.entries(details);
  const answered = entries
    .filter(([how]) => unsentWords[how] === undefined)
    .map(([how, count]) => `${grouped(count)} with ${how === "other" ? "another status" : how}`);
  const unsent = entries.flatMap(([how, count]) => {
    const words = unsentWords[how];
    return words === undefined ? [] : [{ words, count: grouped(count) }];
  });
  const [only] = unsent;
  if (answered.length === 0 && unsent.length === 1) return `On the way: ${all} were ${only?.words}.`;
  const each = [...answered, ...unsent.map(({ words, count }) => `${count} ${words}`)].join("; ");
  if (answered.length === 0) return `On the way: ${all} did not reach the service: ${each}.`;
  return `On the way: ${subject === "" ? "something in front of the service" : `a gateway (${code(subject)})`} responded to ${all} in place of the service: ${answered.length === entries.length ? answered.join(", ") : each}.`;
}

function mostFrequent(details: Readonly<Record<string, number>>): string {
  return Object.entries(details).toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? "";
}

/** What to do about requests that were lost on the way, by the status of the gateway or the transport failure. */
export function fixOnTheWay(how: string): string {
  switch (how) {
    case "proxy":
      return "Check the proxy and its log.";
    case "beyond k6":
      return "If conformance reads what the service sends, HTTP allows it. To send load, shorten what is added to the chunks of a body.";
    case "shared connection":
      return `Run it over HTTP/1.1 (${code("SHELFCHECK_HTTP2=off")}): if the server ends a connection after some requests, k6 waits before it sends the others again.`;
    case "unknown host":
    case "unreachable":
    case "open files":
    case "no free port":
      return transportFailureWords(how).fix;
    case "400":
    case "401":
    case "403":
    case "404":
      return `Check the path of the base URL, and which headers or client certificate the gateway requires: ${code("headers")}, ${code("clientCertificate")} and ${code("clientKey")} in the target's entry.`;
    case "413":
      return `Raise the gateway's limit on the size of request bodies (in nginx, ${code("client_max_body_size")}): it refuses batches before the service sees them.`;
    case "414":
    case "431":
      return `Raise the gateway's limits on the length of addresses and headers (in nginx, ${code("large_client_header_buffers")}).`;
    case "429":
    case "503":
      return `If the gateway limits the rate, set ${code("maxRequestsPerSecond")} in the target's entry. Otherwise check its log, and that the service behind it runs.`;
    default:
      return "Check the gateway's log and its time limits, and the log of the service at the same time.";
  }
}

interface NotExercised {
  subject: string;
  expected?: readonly number[] | undefined;
  details?: { statuses?: Record<string, number> | undefined; provokedBy?: string | undefined } | undefined;
}

/** What a rule needs: what is said without it, and what to do about it. */
interface Exercise {
  readonly text?: string;
  /** Its responses, of which there may be some that the rule cannot judge. */
  readonly endpoint?: EndpointId;
  readonly fix: string;
  /** With such responses, or with 200 where they have an endpoint. */
  readonly fixOfSome?: string;
}

const exercises: Readonly<Record<string, Exercise>> = {
  response: { text: "No response was received.", fix: "Run `shelfcheck doctor`." },
  success: { text: "No request succeeded.", fix: "See the findings on the failed requests." },
  error: {
    text: "No response with an error status was received.",
    fix: "Run the whole suite: its checks provoke errors of every kind.",
    fixOfSome: "See errors.shape.",
  },
  status: {
    fix: "Run the whole suite: its checks provoke each status.",
    fixOfSome: "See errors.shape and error-body.code.",
  },
  retailer: {
    endpoint: "retailers",
    fix: "See retailers.shape.",
    fixOfSome: "Use a key whose organization has at least one retailer.",
  },
  batch: {
    endpoint: "batch",
    fix: "Name the fields of a batch in the config: targets.<name>.dialect.",
    fixOfSome: "See the findings on batch lookups that returned 200.",
  },
  "lookup-by-id": { endpoint: "lookup-by-id", fix: "See the findings on lookups by id." },
  page: { endpoint: "category-page", fix: "See the findings on category pages." },
  product: {
    endpoint: "category-page",
    fix: "See the findings on category pages.",
    fixOfSome: "Name another category (--category): the given ones returned no products.",
  },
};

function notExercised(finding: SharedFields & NotExercised): string {
  const { subject: what, details } = finding;
  if (what === "status") return missingStatus(finding);
  const { text = "No response in this run exercised this rule.", endpoint = "other" } = exercises[what] ?? {};
  const each = Object.entries(details?.statuses ?? {}).map(
    ([status, count]) => `${count} with status ${status}`,
  );
  if (each.length === 0) return text;
  return what === "error"
    ? `Error responses were received (${listed(each)}), none in the error shape.`
    : `${text} ${labelOf(endpoint)}: ${listed(each)}.`;
}

function missingStatus({ expected, seen }: SharedFields & Pick<NotExercised, "expected">): string {
  if (seen === undefined || seen.count === 0)
    return `No response with status ${oneOf(expected)} was received.`;
  const received = `${counted(seen.count, "response")} with status ${oneOf(expected)}`;
  return `${received} ${seen.count === 1 ? "was" : "were"} received, without an ${code("error.code")}.`;
}

function toExercise({ subject: what, seen, details }: SharedFields & NotExercised): string {
  const { statuses = {}, provokedBy: source } = details ?? {};
  const { endpoint, fix, fixOfSome = fix } = exercises[what] ?? exercises.product ?? { fix: "" };
  const succeeded = statuses["200"] !== undefined;
  if (source !== undefined && !succeeded)
    return `See ${source}, whose checks provoke it; if they did not run, add --only ${source}.`;
  const areSome =
    endpoint === undefined ? (seen?.count ?? 0) > 0 || Object.keys(statuses).length > 0 : succeeded;
  return areSome ? fixOfSome : fix;
}

function failure({ subject: name }: { readonly subject: string }): {
  readonly text: string;
  readonly fix: string;
} {
  return transportFailureWords(name);
}

const toHaveLimitFree =
  "Run when nothing else uses this organization's rate limit, or ask the operator for a higher one.";
