import type { TestProject } from "vitest/node";
import { refuseEmpty } from "../../config/keys.ts";
import { requireNamedTarget, resolveSettings } from "../../config/settings.ts";
import { requireBurstAllowed } from "./conformance-stage.ts";
import { openTarget } from "./open-target.ts";

/**
 * Global setup of the vitest project `conformance`. The target comes from the same environment variables and config file as
 * on the command line; SHELFCHECK_TARGET replaces --target.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { env } = process;
  refuseEmpty(env, "SHELFCHECK_TARGET");
  const { SHELFCHECK_TARGET: target } = env;
  const settings = await resolveSettings({ target }, { env, cwd: process.cwd() });
  requireNamedTarget(settings, env);
  requireBurstAllowed(settings, { only: [], skip: [] });
  const opened = await openTarget(settings);
  project.provide("conformance", { target: opened.target, maxRequests: settings.maxRequests });
  return async () => {
    await opened[Symbol.asyncDispose]();
    requireJudgement(project);
  };
}

/** Makes a run in which a filter such as -t left no check fail: vitest itself counts skipped tests as success. */
function requireJudgement({ vitest }: TestProject): void {
  const tests = vitest.state.getTestModules().flatMap(({ children }) => [...children.allTests()]);
  if (tests.length === 0 || tests.some((test) => test.meta().verdict !== undefined)) return;
  process.exitCode = 1;
  vitest.logger.error(
    "No check ran, so nothing was judged. Correct the filter: -t takes a part of a check's id.",
  );
}
