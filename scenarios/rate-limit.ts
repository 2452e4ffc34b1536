import { readEnvironment } from "./lib/environment.ts";
import { polite, probe } from "./lib/rate-limit.ts";
import { rateLimitMode } from "./lib/schedule.ts";
import { createScript, guardedLater } from "./lib/script.ts";

const environment = readEnvironment();
const modes = { probe, polite };
export const { options, setup, teardown, handleSummary } = createScript("rate-limit", environment);
export const limit = guardedLater(environment, () => modes[rateLimitMode(environment.profile)](environment));
