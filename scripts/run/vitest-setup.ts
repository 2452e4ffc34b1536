import type { TestProject } from "vitest/node";
import { resolveSettings } from "../config/settings.ts";
import { requireBurstAllowed } from "./conformance.ts";
import { openTarget } from "./open-target.ts";

/**
 * Global set-up of the vitest project `conformance`: gives the suite its target, from the same environment variables and
 * config file as the command line.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const settings = await resolveSettings({}, { env: process.env, cwd: process.cwd() });
  requireBurstAllowed(settings, { only: [], skip: [] });
  const opened = await openTarget(settings);
  const { target } = opened;
  project.provide("conformance", { target, maxRequests: settings.maxRequests });
  return async () => await opened[Symbol.asyncDispose]();
}
