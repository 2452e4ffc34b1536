import { parentPort } from "node:worker_threads";
import { type PlannedVariation, tryVariation } from "./trial.ts";

// A thread of the proof: tries what it is handed, and hands back the trial. Ends when its port is closed.
const never = new AbortController().signal;
parentPort?.on("message", async (variation: PlannedVariation) => {
  parentPort?.postMessage(await tryVariation(variation, never));
});
