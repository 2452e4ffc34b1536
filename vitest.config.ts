import { defineConfig } from "vitest/config";
import { SuiteSequencer } from "./scripts/run/sequencer.ts";
import { suiteProject } from "./scripts/run/suite-project.ts";

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
        // For `npx vitest --project conformance`; the command line starts it by itself.
        test: { ...suiteProject, globalSetup: ["scripts/run/vitest-setup.ts"] },
      },
    ],
  },
});
