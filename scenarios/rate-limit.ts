import { createCaller } from "./lib/caller.ts";
import { readEnvironment } from "./lib/environment.ts";
import { polite, probe } from "./lib/rate-limit.ts";
import { rateLimitMode } from "./lib/schedule.ts";
import { createScript, guardedLater } from "./lib/script.ts";

const environment = readEnvironment();
const caller = createCaller(environment);
export const { options, setup, teardown, handleSummary } = createScript("rate-limit", environment);
export const limit = guardedLater(environment, () => {
  const mode = rateLimitMode(environment.profile);
  switch (mode) {
    case "probe":
      return probe(environment, caller);
    case "polite":
      return polite(environment, caller);
    default:
      return mode satisfies never;
  }
});
