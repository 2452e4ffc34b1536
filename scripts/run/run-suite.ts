import { fileURLToPath } from "node:url";
import { startVitest, type Vitest } from "vitest/node";
import type { CheckReport, Provided } from "../../conformance/engine/provided.ts";
import type { ProblemText } from "../errors.ts";
import { createReporter } from "./reporter.ts";
import { SuiteSequencer } from "./sequencer.ts";
import { suiteProject } from "./suite-project.ts";

// The folder that holds conformance/, in a checkout and in the package's dist/.
const root = fileURLToPath(new URL("../..", import.meta.url));

/** What the tests of the suite handed back, in the order in which they ended. */
export interface SuiteRun {
  readonly reports: readonly CheckReport[];
  /** Set when vitest or the suite broke, which is never the target's fault. */
  readonly problem?: ProblemText;
}

/** Runs the suite through vitest's own API. An abort ends it after the request under way, with what was learned. */
export async function runSuite(
  provided: Provided,
  { progress, signal }: { readonly progress: (line: string) => void; readonly signal: AbortSignal },
): Promise<SuiteRun> {
  const reporter = createReporter(progress);
  let vitest: Vitest | undefined;
  const cancel = () => void vitest?.cancelCurrentRun("keyboard-input");
  signal.addEventListener("abort", cancel, { once: true });
  const exitCode = process.exitCode;
  try {
    const runner = await startVitest([], {
      root,
      // Not a file: the package has none, and vitest takes a while to read one.
      config: false,
      ...suiteProject,
      sequence: { sequencer: SuiteSequencer },
      // A package folder may be read-only, and this would remember durations that nobody asks for.
      cache: false,
      watch: false,
      provide: { conformance: provided },
      reporters: [
        {
          ...reporter.reporter,
          onInit(instance) {
            vitest = instance;
            if (signal.aborted) cancel();
          },
        },
      ],
    });
    await runner.close();
  } finally {
    signal.removeEventListener("abort", cancel);
    // vitest sets the process's exit code for itself; ours comes from the results.
    process.exitCode = exitCode;
  }
  const [trouble] = reporter.troubles();
  return {
    reports: reporter.reports(),
    ...(trouble === undefined || signal.aborted
      ? {}
      : {
          problem: {
            what: "the suite itself broke",
            where: trouble,
            mend: "This is a mistake of shelfcheck, not of the target: please report it.",
          },
        }),
  };
}
