import type { TestProject } from "vitest/node";
import { listChecks } from "../../conformance/suite/all.ts";
import { resolveSettings } from "../config/settings.ts";
import { openTarget } from "./open-target.ts";
import { discoverThrough } from "./run-conformance.ts";

/**
 * Global set-up of the vitest project `conformance`: gives the suite its target when vitest itself was
 * started (`npx vitest --project conformance`), with the same environment variables and config file as the
 * command line. A run that the command line started has given it already.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (project.getProvidedContext().conformance !== undefined) return undefined;
  const settings = await resolveSettings({}, { env: process.env, cwd: process.cwd() });
  const opened = await openTarget(settings);
  const { target } = opened;
  const { maxRequests } = settings;
  const { discovery, http } = await discoverThrough({
    target,
    maxRequests,
    signal: new AbortController().signal,
  });
  project.provide("conformance", {
    target,
    maxRequests,
    discovery,
    http,
    selected: listChecks().map(({ id }) => id),
  });
  return async () => await opened[Symbol.asyncDispose]();
}
