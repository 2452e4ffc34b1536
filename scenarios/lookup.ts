import { createLoadClient, lookups } from "./lib/client.ts";
import { createScript } from "./lib/script.ts";

const { environment, hooks } = createScript("lookup");
export const { options, setup, teardown, handleSummary } = hooks;
export const lookup = lookups(environment, createLoadClient(environment));
// For `k6 run --vus --iterations`, which runs the default function instead of the scenarios.
export default lookup;
