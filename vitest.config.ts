import { defineConfig } from "vitest/config";

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
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
