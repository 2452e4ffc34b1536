import { parentPort } from "node:worker_threads";
import { tryVariant, type Variation } from "./try-variant.ts";

// A thread of the proof: tries what it is handed, and hands back the trial. Ends when its port is closed.
const never = new AbortController().signal;
parentPort?.on("message", async (variation: Variation) => {
  parentPort?.postMessage(await tryVariant(variation, never));
});
