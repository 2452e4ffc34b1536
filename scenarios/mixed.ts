import { batches, createLoadClient, lookups } from "./lib/client.ts";
import { batchResult, productList } from "./lib/quick-check.ts";
import { createScript } from "./lib/script.ts";
import { walks } from "./lib/walk.ts";

const { environment, hooks } = createScript("mixed");
export const { options, setup, teardown, handleSummary } = hooks;
const client = createLoadClient(environment, { "category-page": productList, batch: batchResult });
export const lookup = lookups(environment, client);
export const paging = walks(environment, client);
export const batch = batches(environment, client);
