import { createLoadClient } from "./lib/client.ts";
import { readEnvironment } from "./lib/environment.ts";
import { batches, lookups } from "./lib/open-traffic.ts";
import { batchResult, productList } from "./lib/quick-check.ts";
import { createScript } from "./lib/script.ts";
import { walks } from "./lib/walk.ts";

const environment = readEnvironment();
const client = createLoadClient(environment, { "category-page": productList, batch: batchResult });
export const { options, setup, teardown, handleSummary } = createScript("mixed", environment);
export const lookup = lookups(environment, client);
export const paging = walks(environment, client);
export const batch = batches(environment, client);
