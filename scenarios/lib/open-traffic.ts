import { sleep } from "k6";
import type { LoadClient } from "./client.ts";
import { metrics } from "./metrics.ts";
import { patienceSeconds } from "./options.ts";
import { arrival, type Environment, guarded } from "./script.ts";
import { batchCalls, type LoadCall, lookupCall, lookupMix } from "./traffic.ts";

/** An iteration of lookups: one request at its scheduled time. */
export function lookups(environment: Environment, client: LoadClient): () => void {
  const { catalog, settings } = environment;
  const mix = lookupMix(catalog, settings.seed);
  const arrive = arrival(environment, "lookup");
  return guarded(environment, () => sendAndWait(client, lookupCall(mix, arrive())));
}

/** An iteration of batches: one request at its scheduled time. */
export function batches(environment: Environment, client: LoadClient): () => void {
  const { catalog, settings } = environment;
  const arrive = arrival(environment, "batch");
  const batchAt = batchCalls(catalog, settings.seed);
  return guarded(environment, () => sendAndWait(client, batchAt(arrive())));
}

const mostTries = 10;

/** After a 429, waits for Retry-After and sends again, so that every request gets its response. */
function sendAndWait(client: LoadClient, call: LoadCall): void {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const notBefore = client.notBefore;
    if (notBefore > 0 && !isWaitOver(notBefore)) break;
    client.send(call);
    if (client.notBefore === notBefore) return;
  }
  metrics.abandonedIterations.add(1);
}

/** Waits until a time (Unix milliseconds); false if that takes too long. */
export function isWaitOver(until: number): boolean {
  const wait = (until - Date.now()) / 1000;
  if (wait > patienceSeconds) return false;
  // All virtual users wait until the same time, so a random delay spreads their requests.
  if (wait > 0) sleep(wait + Math.random() * Math.min(1, wait));
  return true;
}
