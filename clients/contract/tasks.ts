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

const sentences: { readonly [Name in TaskName]: (task: Extract<ClientTask, { do: Name }>) => string } = {
  "list-retailers": () => "List the retailers.",
  "look-up": ({ products }) =>
    `Look up these ${products.length} products, each by what is given: the retailer and its id, the URL, or the GTIN. Some do not exist.`,
  walk: ({ category }) => `Read all products of the category ${JSON.stringify(category)}, page by page.`,
  batch: ({ items }) => `Look up these ${items.length} products in batches. Some do not exist.`,
  "search-retailers": ({ rounds, gtin }) =>
    `In ${rounds} rounds, one after the other, list the retailers, and look up the GTIN ${gtin} at each of them, with the parameter retailer.`,
  "keep-looking-up": ({ products, seconds }) =>
    `Look up these ${products.length} products by turns for ${seconds} seconds, then stop.`,
};

export const clientTaskNames = Object.keys(sentences) as TaskName[];

/** What a client gets to read: the same for programs, and as a sentence for people. */
export function documentOf(tasks: readonly ClientTask[]) {
  const sentenceOf = (task: ClientTask) => (sentences[task.do] as (one: ClientTask) => string)(task);
  return { version: 1, tasks: tasks.map((task) => ({ ...task, sentence: sentenceOf(task) })) };
}
