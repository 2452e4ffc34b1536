/** Where a situation is played. */
export type Scene = "lookup" | "page" | "batch";

interface Situation {
  readonly words: string;
  /** None: it follows from another one, or from what the client sends. */
  readonly scenes: readonly Scene[];
  /** Retry-After of a 429 that begins a wait. */
  readonly seconds?: number;
  /** Status of another refusal, without asking the service. */
  readonly status?: number;
  /** Products of a page, at most. */
  readonly most?: number;
}

const rows = {
  "wait-1": { words: "429 with Retry-After: 1", scenes: ["lookup", "page", "batch"], seconds: 1 },
  "wait-2": { words: "429 with Retry-After: 2", scenes: ["lookup", "batch"], seconds: 2 },
  "wait-5": { words: "429 with Retry-After: 5", scenes: ["lookup"], seconds: 5 },
  "wait-twice": {
    words: "429 with Retry-After: 1, and once more after the wait",
    scenes: ["lookup"],
    seconds: 1,
  },
  "still-limited": { words: "429 with the rest of the wait of another request", scenes: [] },
  "bad-gateway": { words: "502, once", scenes: ["lookup"], status: 502 },
  "gateway-timeout": { words: "504, once", scenes: ["lookup"], status: 504 },
  "lasting-failure": { words: "502 each time, up to 20 times", scenes: ["lookup"], status: 502 },
  "fields-omitted": { words: "products with few of their fields", scenes: ["lookup", "page"] },
  "fields-added": {
    words: "products with fields that the spec does not name",
    scenes: ["lookup", "page"],
  },
  slow: { words: "a response after 1.5 s", scenes: ["lookup"] },
  "closed-idle": { words: "the connection is closed 50 ms after the response", scenes: ["lookup"] },
  "message-changed": { words: "an error whose message has another wording", scenes: [] },
  "page-short": { words: "a page with one product, and a cursor", scenes: ["page"], most: 1 },
  "page-empty": { words: "a page without products, and a cursor", scenes: ["page"], most: 0 },
  "retailers-changed": { words: "one retailer has left, and one is new", scenes: [] },
  "retailer-left": { words: "the refusal of a retailer that has left", scenes: [] },
} as const satisfies Record<string, Situation>;

export type SituationId = keyof typeof rows;

/** Played to a client by the reference service: the spec allows all of it, and a client has to cope. */
export const situations: Readonly<Record<SituationId, Situation>> = rows;
