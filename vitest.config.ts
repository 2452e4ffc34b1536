import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { sections } from "./conformance/requirements/requirement.ts";

// Vitest keeps a token of its own below the user's home folder (on Linux; elsewhere it takes no other place).
process.env.XDG_DATA_HOME = join(import.meta.dirname, "node_modules/.vitest");
// Threads and processes that tests start load compiled modules, which halves what their start costs.
process.env.NODE_COMPILE_CACHE = join(import.meta.dirname, "node_modules/.cache/node");

/** The files that take longest, the longest first. Any of them would end the run alone if it began last. */
const longest = [
  "scripts/report/page/page.test.ts",
  "scripts/load/rate-limit.test.ts",
  "scripts/cli/commands/networks.test.ts",
  "scripts/cli/commands/set-ups.test.ts",
  "scripts/runs/stages/run-load.test.ts",
  "scripts/cluster/operator.test.ts",
  "scripts/runs/stages/conformance-stage.test.ts",
  "scripts/cli/commands/never-green.test.ts",
  "scripts/load/plain-k6.test.ts",
  "dev/house/readme.test.ts",
  "scripts/client/client-command.test.ts",
  "scripts/cli/commands/exit-codes.test.ts",
  "scripts/proof/proof-command.test.ts",
  "scripts/twin/twin-command.test.ts",
  "scripts/cluster/kubernetes.test.ts",
];

/** Starts the longest files early. On its own, vitest knows durations only from an earlier run on the same machine. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) =>
      longest.indexOf(relative(import.meta.dirname, moduleId));
    const { long = [], short = [] } = Object.groupBy(await super.sort(files), (file) =>
      place(file) === -1 ? "short" : "long",
    );
    if (long.length === 0) return short;
    // The short files are spread evenly: they use the processor while the long ones wait for k6 or a rate limit.
    return long
      .sort((a, b) => place(a) - place(b))
      .flatMap((file, at) => [file, ...short.filter((_, next) => next % long.length === at)]);
  }
}

export default defineConfig({
  test: {
    watch: false,
    // Node runs the sources as they are, so vitest does not transform them.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        // Our own tests: hermetic, no target, no network beyond 127.0.0.1.
        test: {
          name: "self",
          include: ["{schemas,conformance,scenarios,service,clients,proof,scripts,test,dev}/**/*.test.ts"],
          environment: "node",
          setupFiles: ["test/support/share-compiled.ts"],
          // Processes, not threads: starting k6, Chromium or a command line copies the page tables of the process.
          pool: "forks",
          // A module is loaded once for each worker: no module of ours keeps state, so tests do not notice.
          isolate: false,
          // Many of them wait for a process of their own (k6, the command line), so one for each core would idle.
          maxWorkers: 4,
          // Ends what hangs. No test is judged by how long it takes, on a machine that may be busy with others.
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect: { poll: { timeout: 60_000 } },
        },
      },
      {
        // `npm run acceptance`: commands on bad targets, broken machines and through networks. `--tags-filter ci`: its part in CI.
        test: {
          name: "acceptance",
          include: ["test/acceptance/**/*.acceptance.ts"],
          environment: "node",
          pool: "forks",
          // Most rows wait for a time-out or for k6 rather than for the processor, so several run at the same time.
          maxWorkers: 2,
          maxConcurrency: 2 * availableParallelism(),
          tags: [{ name: "ci", description: "run by .ci/run" }],
          testTimeout: 300_000,
        },
      },
      {
        // `npx vitest --project conformance`: the suite on a target, a test for each check.
        test: {
          name: "conformance",
          include: ["scripts/api/suite.vitest.ts"],
          tags: [
            ...Object.entries(sections).map(([name, description]) => ({ name, description })),
            ...["must", "should", "may"].map((name) => ({ name, description: "level of the requirement" })),
          ],
          globalSetup: ["scripts/api/vitest-setup.ts"],
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
