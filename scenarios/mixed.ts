import { createCaller } from "./lib/caller.ts";
import { readEnvironment } from "./lib/environment.ts";
import { batches, lookups } from "./lib/open-traffic.ts";
import { createScript } from "./lib/script.ts";
import { walks } from "./lib/walk.ts";

const environment = readEnvironment();
const caller = createCaller(environment);
export const { options, setup, teardown, handleSummary } = createScript("mixed", environment);
export const lookup = lookups(environment, caller);
export const paging = walks(environment, caller);
export const batch = batches(environment, caller);
