import { keyHeaders, mostBatchItems } from "../../schemas/api.ts";
import type { Words } from "../../schemas/contracts/finding.ts";
import { says } from "../../schemas/words/finding-words.ts";
import { alternatives, counted, figure, grouped, listed } from "../../schemas/words/format.ts";
import { code } from "../../schemas/words/values.ts";
import type { TaskName } from "./tasks.ts";

// What is said of clients: `shelfcheck client` observes them on the reference service.

/** With the requests that show it, by their places in `timeline`; of many, the first ones. */
type Shown<Own> = Words<{ details: Own & { requests: number[] } }>;

function shown<Own = unknown>(text: (details: Own, count: number) => string, fix?: string): Shown<Own> {
  return says({
    text: ({ details, seen }) => text(details, seen?.count ?? 1),
    ...(fix === undefined ? {} : { fix: () => fix }),
  });
}

/** The same where each request shows it by itself: reports say beside it how many do. */
function often<Own = unknown>(text: (details: Own) => string, fix?: string): Shown<Own> {
  return { ...shown(text, fix), howOften: "beside" };
}

const tasksOf = (tasks: readonly TaskName[]) => tasks.map((task) => code(task));

export const clientWords = {
  "sent-too-early": often<{ seconds: number; afterMilliseconds: number; same: boolean; requests: number[] }>(
    ({ seconds, afterMilliseconds, same, requests: [refused = 0, early = 0] }) =>
      `After request ${grouped(refused + 1)} got a 429 with \`Retry-After: ${seconds}\`, ${same ? "the same" : "another"} was sent after ${gap(afterMilliseconds)}, as request ${grouped(early + 1)}.`,
    "Let all that share the key wait for the seconds of Retry-After.",
  ),
  "not-sent-again": often(
    () => "A request that was refused with 429 was never sent again, although the task needs it.",
  ),
  "cursor-changed": often<{ sent: string; given?: string | undefined }>(
    ({ sent, given }) =>
      sent === given
        ? `The cursor \`${sent}\`, of a page of another category, was sent.`
        : `The cursor that was sent is not the one that a page gave: sent \`${sent}\`${given === undefined ? "" : `, given \`${given}\``}.`,
    "Pass `meta.next_cursor` back as it is, with its category, and escape it as a part of the URL.",
  ),
  "walk-stopped": shown<{ category: string; products: number }>(
    ({ category, products }) =>
      `The walk of \`${category}\` ended at a page with ${products === 0 ? "no products" : counted(products, "product")}, although its next_cursor was not empty.`,
    "Go on until `meta.next_cursor` is empty, whatever `meta.count` says.",
  ),
  "asked-after-the-end": shown<{ category: string }>(
    ({ category }) =>
      `After the empty next_cursor of \`${category}\`, another page was requested, without a cursor or with an empty one.`,
  ),
  "retailer-never-listed": often<{ slug: string }>(
    ({ slug }) => `The retailer \`${slug}\` was searched before any list of the service had named it.`,
    "Take slugs from GET /retailers.",
  ),
  "retailer-misspelled": shown<{ slug: string; listed: string; how: "escaped-twice" | "not-escaped" }>(
    ({ slug, listed: named, how }) =>
      `The retailer \`${slug}\` was searched, which no list has. It looks like \`${named}\`, ${how === "escaped-twice" ? "escaped twice" : "not escaped"}.`,
    "Escape each value of the query once.",
  ),
  "retailer-has-left": often<{ slug: string; added: string }>(
    ({ slug, added }) =>
      `The retailer \`${slug}\` was searched after \`${added}\`, which only lists without it had named.`,
    "Search the retailers of the last list, and no others.",
  ),
  "message-matters": shown<{ status: number; repeated: "usual" | "another" }>(
    ({ status, repeated }) =>
      `Requests that ended with ${status} were sent again only when the message had ${repeated === "usual" ? "its usual" : "another"} wording.`,
    "Decide by the status and by `error.code`.",
  ),
  "several-identifiers": often<{ names: string[] }>(
    ({ names }) =>
      `One request had ${names.length === 0 ? "none of `url`, `gtin` and `category`" : listed(names.map((name) => code(name)))}.`,
  ),
  "batch-too-large": often<{ items: number }>(
    ({ items }) => `A batch had ${counted(items, "item")}; at most ${mostBatchItems} are allowed.`,
  ),
  "no-key": often(
    () => `A request had not the key as \`${keyHeaders.bearer}: Bearer …\` or \`${keyHeaders.plain}: …\`.`,
  ),
  "key-outside-headers": often<{ where: string }>(
    ({ where }) =>
      `The key was in the ${["path", "query", "body"].includes(where) ? where : `header ${code(where)}`} of a request.`,
    "Send the key in one of the two headers only: other parts of a request are written to logs.",
  ),
  "browser-headers": often<{ names: string[] }>(
    ({ names }) =>
      `A request had ${listed(names.map((name) => code(name)))}, which a page in a browser sends.`,
    "Call the service from a server of your own, which keeps the key.",
  ),
  "body-not-json": often(() => "The body of a batch was not JSON."),
  "type-not-json": often<{ contentType?: string | undefined }>(
    ({ contentType }) =>
      `A batch had ${contentType === undefined ? "no Content-Type" : `the Content-Type \`${contentType}\``}.`,
    "Send `Content-Type: application/json`.",
  ),
  "repeated-refusal": shown<{ status: number }>(
    ({ status }, count) => `A request that was refused with ${status} was sent ${count} times, unchanged.`,
  ),
  "retried-without-end": shown<{ status: number; withinMilliseconds: number }>(
    ({ status, withinMilliseconds }, count) =>
      `A request that ended with ${status} each time was sent ${count} times within ${gap(withinMilliseconds)}.`,
    "Retry a few times, with a growing pause, and then give up.",
  ),
  "not-attempted": says<{ details: { tasks: TaskName[] } }>({
    text: ({ details: { tasks } }) =>
      tasks.length === 1
        ? `The client completed no part of the task ${tasksOf(tasks).join()}.`
        : `The client completed no part of the tasks that would show it: ${alternatives(tasksOf(tasks))}.`,
    cause: ({ details: { tasks } }) => `not-attempted ${tasks}`,
  }),
  "not-met": says<{ details: { unfinished: TaskName[] } }>({
    text: ({ details: { unfinished } }) =>
      `The requests of the client do not show it${unfinished.length === 0 ? "" : `: it did only a part of ${listed(tasksOf(unfinished))}`}.`,
    cause: ({ details: { unfinished } }) => `not-met ${unfinished}`,
  }),
};
export type ClientCode = keyof typeof clientWords;

declare module "../../schemas/contracts/finding.ts" {
  interface WordsByCode extends ClientWords {}
}
type ClientWords = typeof clientWords;

/** A time between two requests, or since the start: `12 ms`, `1.48 s`. */
export function gap(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${figure(milliseconds / 1000)} s`;
}

/** How the run of a client ended, as a sentence. */
export const clientEndWords = {
  exited: () => "The client ended by itself.",
  failed: (status) => `The client ended with ${status === "" ? "an error" : status}.`,
  silent: () => "The client sent nothing for 60 s, and was ended.",
  "too-long": () => "The client did not end within 10 min, and was ended.",
  "too-many-requests": () => "The client sent more than 20,000 requests, and was ended.",
  "time-over": () => "The run was ended by `--timeout` or Ctrl-C.",
  interrupted: () => "The run was interrupted.",
  "not-started": (status) =>
    `The client could not be started (${status}). No shell starts it: for a pipe or a variable, use sh -c '…'.`,
} as const satisfies Record<string, (status: string) => string>;
export type ClientEnd = keyof typeof clientEndWords;
