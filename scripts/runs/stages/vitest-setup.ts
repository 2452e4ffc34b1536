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
  return async () => await opened[Symbol.asyncDispose]();
}
