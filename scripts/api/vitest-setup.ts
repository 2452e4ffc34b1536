import type { TestProject } from "vitest/node";

/** Global setup of the vitest project `conformance`. Vitest itself counts skipped tests as success. */
export default function setup(project: TestProject): () => void {
  return () => {
    const { state, logger } = project.vitest;
    const [suite] = state.getTestModules().filter((module) => module.project === project);
    const nothingRan =
      "No check ran, so nothing was judged. Correct the filter: -t takes a part of a check's id.";
    const why = suite?.meta().why ?? (suite?.state() === "skipped" ? nothingRan : "");
    if (why === "") return;
    process.exitCode = 1;
    logger.error(why);
  };
}
