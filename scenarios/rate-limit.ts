import { createLoadClient } from "./lib/client.ts";
import { readEnvironment } from "./lib/environment.ts";
import { single } from "./lib/quick-check.ts";
import { polite, probe } from "./lib/rate-limit.ts";
import { rateLimitMode } from "./lib/schedule.ts";
import { createScript, guardedLater } from "./lib/script.ts";

const environment = readEnvironment();
const client = createLoadClient(environment, { product: single });
export const { options, setup, teardown, handleSummary } = createScript("rate-limit", environment);
export const limit = guardedLater(environment, () => {
  const mode = rateLimitMode(environment.profile);
  switch (mode) {
    case "probe":
      return probe(environment, client);
    case "polite":
      return polite(environment, client);
    default:
      return mode satisfies never;
  }
});
