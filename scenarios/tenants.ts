import { readEnvironment } from "./lib/environment.ts";
import { createScript } from "./lib/script.ts";
import { volleys } from "./lib/volleys.ts";

const environment = readEnvironment();
export const { options, setup, teardown, handleSummary } = createScript("tenants", environment);
export const tenants = volleys(environment);
// For `k6 run --vus --iterations`, which runs the default function instead of the scenarios.
export default tenants;
