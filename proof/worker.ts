import { parentPort } from "node:worker_threads";
import { type PlannedVariation, tryVariation } from "./trial.ts";

// A worker thread of the proof: each message is a variation, and each reply its trial.
const never = new AbortController().signal;
parentPort?.on("message", async (variation: PlannedVariation) => {
  parentPort?.postMessage(await tryVariation(variation, never));
});
