import { createScript } from "./lib/script.ts";
import { volleys } from "./lib/volleys.ts";

const { environment, hooks } = createScript("tenants");
export const { options, setup, teardown, handleSummary } = hooks;
export const tenants = volleys(environment);
// For `k6 run --vus --iterations`, which runs the default function instead of the scenarios.
export default tenants;
