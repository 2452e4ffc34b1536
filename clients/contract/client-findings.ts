// What `shelfcheck client` lets a client meet.

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
