import { parentPort } from "node:worker_threads";
import { runCell } from "./cell.ts";
import { cellNamed } from "./cells.ts";

// A worker of the bench: runs one cell after the other, with its targets, so that no cell holds up another one's target.
// Each message is the name of a cell; `undefined` aborts the cell that runs.

const abort = new AbortController();

parentPort?.on("message", async (name: string | undefined) => {
  if (name === undefined) return abort.abort();
  const result = await runCell(cellNamed(name), abort.signal).catch((error: unknown) => ({
    isRight: false,
    lines: `! ${name}\n  the cell could not be run: ${String(error)}\n`,
  }));
  parentPort?.postMessage(result);
});
