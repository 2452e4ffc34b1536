import { once } from "node:events";
import { availableParallelism } from "node:os";
import { performance } from "node:perf_hooks";
import { Worker } from "node:worker_threads";
import type { Bench } from "../../dev/bench/bench.ts";
import type { Cell } from "./cell.ts";
import { cellsOf, parts, type SurroundingsPart } from "./cells.ts";
import { canMount } from "./machine.ts";

/** Most cells wait for a timeout or for k6 rather than for the processor. */
const lanes = 2 * availableParallelism();

/**
 * Runs commands on bad targets and in broken surroundings. For each cell it prints the exit code, the seconds, the most
 * memory of all processes, the line that states the outcome, and the problems. Ends with 1 if a cell is wrong.
 */
export const surroundingsBench: Bench = {
  summary: "bad targets and broken surroundings for each command: exit code, message, time, memory, keys",
  parts,
  run: async (io, words) => {
    const wanted = parts.filter((part) => words.length === 0 || words.includes(part));
    const queue = queueOf(wanted);
    const counts = new Map(wanted.map((part) => [part, { right: 0, total: 0 }]));
    const started = performance.now();
    if (wanted.includes("disk") && !canMount)
      io.stdout.write("Not run as root: the cells on small and read-only disks are left out.\n");
    io.stdout.write("    exit seconds    MB  cell\n");
    await inLanes(queue, io.signal, ({ part }, { isRight, lines }) => {
      io.stdout.write(lines);
      const count = counts.get(part);
      if (count === undefined) return;
      count.total += 1;
      if (isRight) count.right += 1;
    });
    const all = [...counts.values()];
    const right = all.reduce((sum, count) => sum + count.right, 0);
    const minutes = ((performance.now() - started) / 60_000).toFixed(1);
    io.stdout.write("\n");
    for (const [part, count] of counts) io.stdout.write(`${part}: ${count.right} of ${count.total} right\n`);
    io.stdout.write(`${right} of ${queue.length} cells right, in ${minutes} min\n`);
    return right === queue.length ? 0 : 1;
  },
};

interface QueuedCell extends Pick<Cell, "name"> {
  readonly part: SurroundingsPart;
}

interface CellResult {
  readonly isRight: boolean;
  readonly lines: string;
}

/** Cells that may take longest come first: they wait while others run. */
function queueOf(wanted: readonly SurroundingsPart[]): QueuedCell[] {
  return wanted
    .flatMap((part) => cellsOf(part).map(({ name, expect: { seconds = 60 } }) => ({ part, name, seconds })))
    .toSorted((a, b) => b.seconds - a.seconds);
}

async function inLanes(
  queue: readonly QueuedCell[],
  signal: AbortSignal,
  onResult: (cell: QueuedCell, result: CellResult) => void,
): Promise<void> {
  const waiting = queue.values();
  const lane = async () => {
    const worker = new Worker(new URL("./lane.ts", import.meta.url));
    const abort = () => worker.postMessage(undefined);
    signal.addEventListener("abort", abort);
    for (const cell of waiting) {
      if (signal.aborted) break;
      worker.postMessage(cell.name);
      const [result] = (await once(worker, "message")) as [CellResult];
      onResult(cell, result);
    }
    signal.removeEventListener("abort", abort);
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: Math.min(lanes, queue.length) }, lane));
}
