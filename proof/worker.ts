import { parentPort } from "node:worker_threads";
import { makeTrial, type PlannedTrial } from "./trial.ts";

// A worker thread of the proof: each message is a planned trial, and each reply its outcome.
// Each refusal is an error in the service, whose stack nobody reads.
Error.stackTraceLimit = 0;
const never = new AbortController().signal;
parentPort?.on("message", async (planned: PlannedTrial) => {
  parentPort?.postMessage(await makeTrial(planned, never));
});
