/** A way to look up one product. */
export type LookupTask =
  | { readonly by: "id"; readonly retailer: string; readonly product_id: string }
  | { readonly by: "url"; readonly url: string }
  | { readonly by: "gtin"; readonly gtin: string };

export interface TaskItem {
  readonly retailer: string;
  readonly product_id: string;
}

/** Something that a client is asked to do, so that what it does not do means something. */
export type ClientTask =
  | { readonly do: "list-retailers" }
  | { readonly do: "look-up"; readonly products: readonly LookupTask[] }
  | { readonly do: "walk"; readonly category: string }
  | { readonly do: "batch"; readonly items: readonly TaskItem[] }
  | { readonly do: "search-retailers"; readonly gtin: string; readonly rounds: number }
  | { readonly do: "keep-looking-up"; readonly seconds: number; readonly products: readonly LookupTask[] };

export type TaskName = ClientTask["do"];

/** How much of a task was requested. */
export interface TaskProgress {
  readonly do: TaskName;
  /** Parts of it that were requested. */
  readonly done: number;
  /** Parts of it. */
  readonly of: number;
  /** Names of the first parts that were not requested. */
  readonly missing: readonly string[];
}

/** What a client gets to read: the same for programs, and as a sentence for people. */
export interface TaskDocument {
  readonly version: 1;
  readonly tasks: readonly (ClientTask & { readonly sentence: string })[];
}

const sentences: { readonly [Name in TaskName]: (task: Extract<ClientTask, { do: Name }>) => string } = {
  "list-retailers": () => "List the retailers.",
  "look-up": ({ products }) =>
    `Look up these ${products.length} products, each by what is given: the retailer and its id, the URL, or the GTIN. Some do not exist.`,
  walk: ({ category }) => `Read all products of the category ${JSON.stringify(category)}, page by page.`,
  batch: ({ items }) => `Look up these ${items.length} products in batches.`,
  "search-retailers": ({ rounds, gtin }) =>
    `In ${rounds} rounds, look up the GTIN ${gtin} at each retailer that the service lists at that time, with the parameter retailer.`,
  "keep-looking-up": ({ products, seconds }) =>
    `Look up these ${products.length} products by turns for ${seconds} seconds, then stop.`,
};

export const clientTaskNames = Object.keys(sentences) as TaskName[];

export function documentOf(tasks: readonly ClientTask[]): TaskDocument {
  const sentenceOf = (task: ClientTask) => (sentences[task.do] as (one: ClientTask) => string)(task);
  return { version: 1, tasks: tasks.map((task) => ({ ...task, sentence: sentenceOf(task) })) };
}

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
