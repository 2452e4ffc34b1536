import { batches, createLoadClient } from "./lib/client.ts";
import { batchResult } from "./lib/quick-check.ts";
import { createScript } from "./lib/script.ts";

const { environment, hooks } = createScript("batch");
export const { options, setup, teardown, handleSummary } = hooks;
export const batch = batches(environment, createLoadClient(environment, { batch: batchResult }));
// For `k6 run --vus --iterations`, which runs the default function instead of the scenarios.
export default batch;
