import { defineConfig } from "vitest/config";
import { SuiteSequencer } from "./scripts/conformance/sequencer.ts";

export default defineConfig({
  test: {
    watch: false,
    sequence: { sequencer: SuiteSequencer },
    projects: [
      {
        // Our own tests: hermetic, no target, no network beyond 127.0.0.1.
        test: {
          name: "self",
          include: ["{schemas,conformance,scenarios,service,scripts}/**/*.test.ts"],
          environment: "node",
          pool: "threads",
          // Many of them wait for a process of their own (k6, the command line), so one for each core would idle.
          maxWorkers: 3,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        // The suite, which meets a target. One worker for all files: they share the door, and with it the
        // target's rate limit and the budget.
        test: {
          name: "conformance",
          include: ["conformance/suite/*.check.ts"],
          globalSetup: ["scripts/conformance/vitest-setup.ts"],
          environment: "node",
          pool: "threads",
          isolate: false,
          fileParallelism: false,
          maxWorkers: 1,
          // The door bounds every request and the budget their number; a wait that the target asks for may be long.
          testTimeout: 900_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
