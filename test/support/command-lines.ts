import { readdirSync, readFileSync } from "node:fs";

/** Command lines of all processes of this machine, by process id (Linux); arguments are joined with spaces. */
export function commandLines(): ReadonlyMap<number, string> {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return new Map(
    pids.flatMap((pid) => {
      try {
        return [[Number(pid), readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ")] as const];
      } catch {
        // The process ended between the two reads.
        return [];
      }
    }),
  );
}
