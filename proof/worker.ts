import { parentPort } from "node:worker_threads";
import { makeTrial, type PlannedTrial } from "./trial.ts";

// A worker thread of the proof: each message is a planned trial, and each reply its outcome.
const never = new AbortController().signal;
parentPort?.on("message", async (planned: PlannedTrial) => {
  parentPort?.postMessage(await makeTrial(planned, never));
});
