import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** The tests of the modules that `npm run mutation` changes: those that need no process, no k6 and no browser. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL("../../..", import.meta.url)),
    watch: false,
    include: [
      "conformance/rules/*.test.ts",
      "conformance/engine/{verdict,requirement-results,run-check,optional}.test.ts",
      "conformance/client/{pacing,redaction}.test.ts",
      "scripts/run/judgement.test.ts",
      "scripts/load/{judge,blame,measured}.test.ts",
      "scripts/earlier/{waiver-states,waivers,interval,latency,drift,curve,verdict-changes}.test.ts",
      "scenarios/lib/*.test.ts",
      "schemas/*.test.ts",
    ],
    environment: "node",
    pool: "threads",
    isolate: false,
    testTimeout: 120_000,
  },
});
