/** A way to look up one product. */
export type LookupTask =
  | { readonly by: "id"; readonly retailer: string; readonly product_id: string }
  | { readonly by: "url"; readonly url: string }
  | { readonly by: "gtin"; readonly gtin: string; readonly retailer?: string };

/** Something that a client is asked to do, so that what it does not do means something. */
export type ClientTask =
  | { readonly do: "list-retailers" }
  | { readonly do: "look-up"; readonly products: readonly LookupTask[] }
  | { readonly do: "walk"; readonly category: string }
  | {
      readonly do: "batch";
      readonly items: readonly { readonly retailer: string; readonly product_id: string }[];
    }
  | { readonly do: "search-retailers"; readonly gtin: string; readonly rounds: number }
  | { readonly do: "keep-looking-up"; readonly seconds: number; readonly products: readonly LookupTask[] };

/** What a client gets to read: the same for programs, and as a sentence for people. */
export interface TaskDocument {
  readonly version: 1;
  readonly tasks: readonly (ClientTask & { readonly sentence: string })[];
}

function sentenceOf(task: ClientTask): string {
  switch (task.do) {
    case "list-retailers":
      return "List the retailers.";
    case "look-up":
      return `Look up these ${task.products.length} products, each by what is given: the retailer and its id, the URL, or the GTIN. Some do not exist.`;
    case "walk":
      return `Read all products of the category ${JSON.stringify(task.category)}, page by page.`;
    case "batch":
      return `Look up these ${task.items.length} products in batches.`;
    case "search-retailers":
      return `In ${task.rounds} rounds, look up the GTIN ${task.gtin} at each retailer that the service lists at that time, with the parameter retailer.`;
    case "keep-looking-up":
      return `Look up these ${task.products.length} products by turns for ${task.seconds} seconds, then stop.`;
    default:
      return task satisfies never;
  }
}

export function documentOf(tasks: readonly ClientTask[]): TaskDocument {
  return { version: 1, tasks: tasks.map((task) => ({ ...task, sentence: sentenceOf(task) })) };
}
