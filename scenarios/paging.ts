import { createLoadClient } from "./lib/client.ts";
import { productList } from "./lib/quick-check.ts";
import { createScript } from "./lib/script.ts";
import { walks } from "./lib/walk.ts";

const { environment, hooks } = createScript("paging");
export const { options, setup, teardown, handleSummary } = hooks;
export const paging = walks(environment, createLoadClient(environment, { "category-page": productList }));
// For `k6 run --vus --iterations`, which runs the default function instead of the scenarios.
export default paging;
