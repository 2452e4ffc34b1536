import type { Caller } from "./caller.ts";
import type { Environment } from "./environment.ts";
import { metrics } from "./metrics.ts";
import { validatedInFull } from "./sampling.ts";
import { arrival, guarded } from "./script.ts";
import { batchCall, lookupCall } from "./traffic.ts";

/** Iteration of lookups: one request at its arrival, or none while a wait is under way. */
export function lookups(environment: Environment, caller: Caller): () => void {
  const { catalogue, settings } = environment;
  const arrive = arrival(environment, "lookup");
  return guarded(() => {
    const index = arrive();
    if (Date.now() < caller.notBefore()) metrics.withheld.add(1);
    else caller.send(lookupCall(catalogue, settings.seed, index), true);
  });
}

/** Iteration of batches. */
export function batches(environment: Environment, caller: Caller): () => void {
  const { catalogue, settings } = environment;
  const arrive = arrival(environment, "batch");
  return guarded(() => {
    const index = arrive();
    if (Date.now() < caller.notBefore()) metrics.withheld.add(1);
    else caller.send(batchCall(catalogue, settings.seed, index), validatedInFull(index));
  });
}
