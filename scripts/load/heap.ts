import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Gives back the memory that discovery and bundling used: beside k6 almost nothing is allocated, so V8 would not collect it
 * for hours. Also keeps the part of the heap for new objects from growing, which takes 10 to 20 MB while the reports are
 * written. Node has no functions for this without flags.
 */
export function giveBackMemory(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--expose-gc");
  const collect: NodeJS.GCFunction = runInNewContext("gc");
  // Also returns pages that V8 would keep for later.
  collect({ type: "major", flavor: "last-resort" });
}
