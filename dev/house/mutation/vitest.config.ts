import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/**
 * The tests of the modules that `npm run mutation` changes, without simulations and exhaustive ones
 * (redaction-cuts.test.ts): each test runs once for each change in the code that it executes.
 */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL("../../..", import.meta.url)),
    watch: false,
    include: [
      "conformance/rules/*.test.ts",
      "conformance/{requirements/verdict,engine/results}.test.ts",
      "conformance/client/{pacing,redaction}.test.ts",
      "schemas/contracts/verdicts.test.ts",
      "scripts/load/{rules,capacity,expected-limit,limits,measured}.test.ts",
      "scripts/{runs,earlier}/{waivers,contract,verdict-changes}.test.ts",
      "scenarios/lib/{pacer,thresholds}.test.ts",
      "schemas/{api,redaction}.test.ts",
    ],
    environment: "node",
    pool: "threads",
    isolate: false,
    testTimeout: 120_000,
  },
});
