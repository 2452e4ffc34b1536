import { flushCompileCache } from "node:module";
import { beforeAll } from "vitest";
// Every test has all capabilities, as every program has.
import "../../scripts/cli/doors.ts";

// On its own, Node writes what it compiled when a process ends. In the first run after an installation, all workers, and
// the processes that tests start, would compile the same modules again.
beforeAll(() => {
  flushCompileCache();
});
