import { join } from "node:path";
import { defineConfig } from "vitest/config";

// Vitest keeps a token of its own below the user's home folder (on Linux; elsewhere it takes no other place).
process.env.XDG_DATA_HOME = join(import.meta.dirname, "node_modules/.vitest");

export default defineConfig({
  test: {
    watch: false,
    projects: [
      {
        // Our own tests: hermetic, no target, no network beyond 127.0.0.1.
        test: {
          name: "self",
          include: ["{schemas,conformance,scenarios,service,scripts}/**/*.test.ts"],
          environment: "node",
          pool: "threads",
          // A module is loaded once for each worker: no module of ours keeps state, so tests do not notice.
          isolate: false,
          // Many of them wait for a process of their own (k6, the command line), so one for each core would idle.
          maxWorkers: 3,
          // Ends what hangs. No test is judged by how long it takes, on a machine that may be busy with others.
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        // `npx vitest --project conformance`: the suite on a target, a test for each check.
        test: {
          name: "conformance",
          include: ["conformance/engine/suite.vitest.ts"],
          globalSetup: ["scripts/run/vitest-setup.ts"],
          environment: "node",
          pool: "threads",
          // The client bounds every request and the budget their number; a wait that the target asks for may be long.
          testTimeout: 900_000,
          hookTimeout: 900_000,
        },
      },
    ],
  },
});
