import { keyHeaders, mostBatchItems } from "../../schemas/api.ts";
import { says } from "../../schemas/words/finding-words.ts";
import { alternatives, counted, grouped, listed, outOf } from "../../schemas/words/format.ts";
import type { SituationId, TaskName } from "./client-findings.ts";
import type { ClientEnd } from "./client-results.ts";

// What is said of clients: `shelfcheck client` observes them on the reference service.

/** What is played, in a line. */
export const situationWords = {
  "wait-1": "429 with Retry-After: 1",
  "wait-2": "429 with Retry-After: 2",
  "wait-5": "429 with Retry-After: 5",
  "wait-twice": "429 with Retry-After: 1, and once more after the wait",
  "still-limited": "429 with the rest of the wait of another request",
  "bad-gateway": "502, once",
  "gateway-timeout": "504, once",
  "lasting-failure": "502 each time, up to 20 times",
  "fields-omitted": "products with few of their fields",
  "fields-added": "products with fields that the spec does not name",
  slow: "a response after 1.5 s",
  "closed-idle": "the connection is closed 50 ms after the response",
  "message-changed": "an error whose message has another wording",
  "page-short": "a page with one product, and a cursor",
  "page-empty": "a page without products, and a cursor",
  "retailers-changed": "one retailer has left, one is new, one has another domain",
  "retailer-left": "the refusal of a retailer that has left",
} as const satisfies Record<SituationId, string>;

function tasksText(tasks: readonly TaskName[]): string {
  return alternatives(tasks.map((task) => `\`${task}\``));
}

/** Every finding of a client names the requests that show it. */
interface Shown {
  /** Places in `timeline`; of many requests, the first ones. */
  requests: number[];
}

export const clientWords = {
  "sent-too-early": says<{
    details: Shown & {
      /** Retry-After of the refusal. */
      seconds: number;
      /** Time from the refusal to the next request. */
      afterMilliseconds: number;
      /** Whether it was the refused request. */
      same: boolean;
    };
  }>({
    text: ({ details: { seconds, afterMilliseconds, same }, seen }) =>
      `After a 429 with \`Retry-After: ${seconds}\`, ${same ? "the same request" : "another request"} was sent after ${gap(afterMilliseconds)}.${often(seen, "requests", "came too early")}`,
    fix: () => "Let all that share the key wait for the seconds of Retry-After.",
  }),
  "not-sent-again": says<{
    details: Shown & {
      /** HTTP status. */
      status: number;
    };
  }>({
    text: ({ details: { status }, seen }) =>
      `A request that was refused with ${status} was never sent again, although the task needs it.${often(seen, "refused requests")}`,
  }),
  "cursor-changed": says<{ details: Shown & { sent: string; given?: string | undefined } }>({
    text: ({ details: { sent, given }, seen }) =>
      `The cursor that was sent is not the one that a page gave: sent \`${sent}\`${given === undefined ? "" : `, given \`${given}\``}.${often(seen, "cursors")}`,
    fix: () => "Pass `meta.next_cursor` back as it is, and escape it as a part of the URL.",
  }),
  "walk-stopped": says<{
    details: Shown & {
      category: string;
      /** On the last page. */
      products: number;
    };
  }>({
    text: ({ details: { category, products } }) =>
      `The walk of \`${category}\` ended at a page with ${products === 0 ? "no products" : counted(products, "product")}, although its next_cursor was not empty.`,
    fix: () => "Go on until `meta.next_cursor` is empty, whatever `meta.count` says.",
  }),
  "asked-after-the-end": says<{ details: Shown & { category: string } }>({
    text: ({ details: { category } }) =>
      `After the empty next_cursor of \`${category}\`, another page was requested with an empty cursor.`,
  }),
  "retailer-never-listed": says<{ details: Shown & { slug: string } }>({
    text: ({ details: { slug }, seen }) =>
      `The retailer \`${slug}\` was searched before any list of the service had named it.${often(seen, "searches")}`,
    fix: () => "Take slugs from GET /retailers.",
  }),
  "retailer-misspelled": says<{
    details: Shown & {
      slug: string;
      /** The slug in the list that it seems to be. */
      listed: string;
      how: "escaped-twice" | "not-escaped";
    };
  }>({
    text: ({ details: { slug, listed: named, how } }) =>
      `The retailer \`${slug}\` was searched, which no list has. It looks like \`${named}\`, ${how === "escaped-twice" ? "escaped twice" : "not escaped"}.`,
    fix: () => "Escape each value of the query once.",
  }),
  "retailer-has-left": says<{ details: Shown & { slug: string } }>({
    text: ({ details: { slug }, seen }) =>
      `The retailer \`${slug}\` left, its slug was refused, and it was searched again in a later round${seen === undefined ? "" : `: ${outOf(seen.count, seen.total ?? seen.count, "search", "searches")}`}.`,
    fix: () => "Read the list of retailers again, at the latest when a slug is refused.",
  }),
  "message-matters": says<{
    details: Shown & {
      /** HTTP status. */
      status: number;
      /** The wording after which the request was sent again. */
      repeated: "usual" | "other";
    };
  }>({
    text: ({ details: { status, repeated } }) =>
      repeated === "usual"
        ? `Requests that ended with ${status} were sent again only when the message had its usual wording.`
        : `Requests that ended with ${status} were sent again only when the message had another wording.`,
    fix: () => "Decide by the status and by `error.code`.",
  }),
  "stopped-after": says<{ details: Shown & { situation: SituationId } }>({
    text: ({ details: { situation, requests } }) => {
      const [last = 0, before] = requests.map((place) => grouped(place + 1));
      return `Request ${last} was among the last of the client or of one of its workers: ${situationWords[situation]}.${before === undefined ? "" : ` It had met the same at request ${before}, and went on.`} That may be why it stopped.`;
    },
    cause: ({ details: { situation } }) => situation,
  }),
  "several-identifiers": says<{ details: Shown & { names: string[] } }>({
    text: ({ details: { names }, seen }) =>
      `One request had ${names.length === 0 ? "none of `url`, `gtin` and `category`" : listed(names.map((name) => `\`${name}\``))}.${often(seen, "requests")}`,
  }),
  "batch-too-large": says<{ details: Shown & { items: number } }>({
    text: ({ details: { items }, seen }) =>
      `A batch had ${counted(items, "item")}; at most ${mostBatchItems} are allowed.${often(seen, "batches")}`,
  }),
  "no-key": says<{ details: Shown }>({
    text: ({ seen }) =>
      `${seen === undefined || seen.count < 2 ? "A request" : outOf(seen.count, seen.total ?? seen.count, "request")} had not the key as \`${keyHeaders.bearer}: Bearer …\` or \`${keyHeaders.plain}: …\`.`,
  }),
  "key-outside-headers": says<{ details: Shown & { where: "path" | "query" | "body" } }>({
    text: ({ details: { where }, seen }) =>
      `The key was in the ${where} of a request.${often(seen, "requests")}`,
    fix: () => "Send the key in one of the two headers only: URLs are written to logs.",
  }),
  "browser-headers": says<{ details: Shown & { names: string[] } }>({
    text: ({ details: { names }, seen }) =>
      `A request had ${listed(names.map((name) => `\`${name}\``))}, which a page in a browser sends.${often(seen, "requests")}`,
    fix: () => "Call the service from a server of your own, which keeps the key.",
  }),
  "body-not-json": says<{ details: Shown }>({
    text: ({ seen }) => `The body of a batch was not JSON.${often(seen, "batches")}`,
  }),
  "type-not-json": says<{ details: Shown & { contentType?: string | undefined } }>({
    text: ({ details: { contentType }, seen }) =>
      contentType === undefined
        ? `A batch had no Content-Type.${often(seen, "batches")}`
        : `A batch had the Content-Type \`${contentType}\`.${often(seen, "batches")}`,
    fix: () => "Send `Content-Type: application/json`.",
  }),
  "repeated-refusal": says<{
    details: Shown & {
      /** HTTP status. */
      status: number;
    };
  }>({
    text: ({ details: { status }, seen }) =>
      `A request that was refused with ${status} was sent ${seen === undefined ? "again" : `${seen.count} times`}, unchanged.`,
  }),
  "retried-without-end": says<{
    details: Shown & {
      /** HTTP status. */
      status: number;
      withinMilliseconds: number;
    };
  }>({
    text: ({ details: { status, withinMilliseconds }, seen }) =>
      `A request that ended with ${status} each time was sent ${seen?.count ?? 0} times within ${gap(withinMilliseconds)}.`,
    fix: () => "Retry a few times, with a growing pause, and then give up.",
  }),
  polled: says<{ details: Shown & { everyMilliseconds: number } }>({
    text: ({ details: { everyMilliseconds }, seen }) =>
      `The same request was sent ${seen?.count ?? 0} times, every ${(everyMilliseconds / 1000).toFixed(1)} s, although no task asks for it.`,
  }),
  "not-attempted": says<{
    details: {
      /** Tasks that would judge it. */
      tasks: TaskName[];
    };
  }>({
    text: ({ details: { tasks } }) =>
      tasks.length === 1
        ? `The client did not do the task ${tasksText(tasks)}.`
        : `The client did ${tasks.length === 2 ? "neither" : "none"} of the tasks that would show it: ${tasksText(tasks)}.`,
  }),
  "not-met": says<{
    details: {
      /** Tasks that would judge it, and that were not done completely. */
      tasks: TaskName[];
    };
  }>({
    text: ({ details: { tasks } }) =>
      `In the tasks that judge it, the client met no response that shows it, or stopped there${tasks.length === 0 ? "" : `: it did only a part of ${listed(tasks.map((task) => `\`${task}\``))}`}.`,
  }),
  "not-http": says<{
    details: {
      connections: number;
      /** They began with TLS. */
      tls: boolean;
    };
  }>({
    text: ({ details: { connections, tls } }) =>
      tls
        ? `${counted(connections, "connection")} began with TLS: the service speaks plain HTTP.`
        : `${counted(connections, "connection")} sent bytes that are no HTTP request.`,
    fix: () => "Use the base URL of SHELFCHECK_BASE_URL as it is.",
  }),
};
export type ClientCode = keyof typeof clientWords;

declare module "../../schemas/contracts/words.ts" {
  interface WordsByCode extends ClientWords {}
}
type ClientWords = typeof clientWords;

/** A time between two requests: `12 ms`, `1.5 s`. */
function gap(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

/** How often it was seen; nothing for once. */
function often(
  seen: { readonly count: number; readonly total?: number | undefined } | undefined,
  things: string,
  did = "show it",
): string {
  if (seen === undefined || seen.count < 2) return "";
  return ` ${outOf(seen.count, seen.total ?? seen.count, things, things)} ${did}.`;
}

/** How a client ended, as a sentence. */
export const clientEndWords = {
  exited: () => "The client ended by itself.",
  failed: (status) => `The client ended with ${status === "" ? "an error" : status}.`,
  silent: () => "The client sent nothing for 60 s, and was ended.",
  "too-long": () => "The client did not end within 10 min, and was ended.",
  "too-many-requests": () => "The client sent more than 20,000 requests, and was ended.",
  "time-over": () => "The time of the run was over.",
  interrupted: () => "The run was interrupted.",
  "not-started": (status) => `The client could not be started: ${status}.`,
} as const satisfies Record<ClientEnd, (status: string) => string>;
