import type { FindingTable } from "./finding-fields.ts";
import { amount, array, boolean, choice, count, type Fields, object, optional, string } from "./schema.ts";

// What is found of a client that `shelfcheck client` watches: the fields of each code.

/** What a client is asked to do. */
export const clientTaskNames = [
  "list-retailers",
  "look-up",
  "walk",
  "batch",
  "search-retailers",
  "keep-looking-up",
] as const;
export type TaskName = (typeof clientTaskNames)[number];
export const taskName = choice(clientTaskNames);

/** What the reference service plays to a client. */
export const situationIds = [
  "wait-1",
  "wait-2",
  "wait-5",
  "wait-twice",
  "still-limited",
  "bad-gateway",
  "gateway-timeout",
  "lasting-failure",
  "fields-omitted",
  "fields-missing",
  "fields-added",
  "slow",
  "closed-idle",
  "message-changed",
  "page-short",
  "page-empty",
  "retailers-changed",
  "retailer-left",
] as const;
export type SituationId = (typeof situationIds)[number];
export const situation = choice(situationIds);

const requests = array(
  count(),
  "Places in `timeline` of the requests that show it; of many, the first ones.",
);
/** Every finding of a client names the requests that show it. */
function shown<const F extends Fields>(fields: F) {
  return { details: object({ requests, ...fields }) };
}
const status = count("HTTP status.");

export const clientFindings = {
  "sent-too-early": shown({
    seconds: count("Retry-After of the refusal."),
    afterMilliseconds: amount("Time from the refusal to the next request."),
    same: boolean("Whether it was the refused request."),
  }),
  "not-sent-again": shown({ status }),
  "cursor-changed": shown({ sent: string(), given: optional(string()) }),
  "walk-stopped": shown({ category: string(), products: count("On the last page.") }),
  "asked-after-the-end": shown({ category: string() }),
  "retailer-never-listed": shown({ slug: string() }),
  "retailer-has-left": shown({ slug: string() }),
  "message-matters": shown({
    status,
    repeated: choice(["usual", "other"], "The wording after which the request was sent again."),
  }),
  "stopped-after": shown({ situation, task: taskName, done: count(), of: count() }),
  "several-identifiers": shown({ names: array(string()) }),
  "batch-too-large": shown({ items: count() }),
  "no-key": shown({}),
  "key-outside-headers": shown({ where: choice(["path", "query", "body"]) }),
  "browser-headers": shown({ names: array(string()) }),
  "body-not-json": shown({}),
  "type-not-json": shown({ contentType: optional(string()) }),
  "repeated-refusal": shown({ status }),
  "retried-without-pause": shown({ status, withinMilliseconds: amount() }),
  polled: shown({ everyMilliseconds: amount() }),
  "not-attempted": { details: object({ tasks: array(taskName, "Tasks that would judge it.") }) },
  "not-met": { details: object({ tasks: array(taskName, "Tasks that would judge it.") }) },
  "not-http": { details: object({ connections: count(), tls: boolean("They began with TLS.") }) },
} as const satisfies FindingTable;
export type ClientCode = keyof typeof clientFindings;
