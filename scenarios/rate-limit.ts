import { polite, probe } from "./lib/rate-limit.ts";
import { rateLimitMode } from "./lib/schedule.ts";
import { createScript, guardedLater } from "./lib/script.ts";

const { environment, hooks } = createScript("rate-limit");
const modes = { probe, polite };
export const { options, setup, teardown, handleSummary } = hooks;
export const limit = guardedLater(environment, () => modes[rateLimitMode(environment.profile)](environment));
