import { existsSync } from "node:fs";
import { access, constants } from "node:fs/promises";
import { dirname } from "node:path";
import { requireLoadAllowed } from "../config/load-permission.ts";
import { requireKeys, requireNamedTarget, type Settings } from "../config/settings.ts";
import type { Io } from "../io.ts";
import { refuseK6Options } from "../load/k6/options-in-environment.ts";
import { notWritable } from "./write-run.ts";

/** Throws the error with which a run would refuse the set-up, unless it is right. */
export type Precondition = () => unknown;

/** What every run needs before its first request. */
export function neededByRuns(settings: Settings, { env }: Pick<Io, "env">): Precondition[] {
  return [
    () => requireNamedTarget(settings, env),
    ...settings.missingKeys.map((missing) => () => requireKeys({ missingKeys: [missing] })),
    () =>
      access(`${nearestExisting(settings.out)}/.`, constants.W_OK).catch((error: unknown) => {
        throw notWritable(settings.out, error);
      }),
  ];
}

/** What load needs besides. */
export function neededByLoad({ choice }: Pick<Settings, "choice">, { env }: Pick<Io, "env">): Precondition[] {
  return [() => requireLoadAllowed(choice, "load"), () => refuseK6Options(env)];
}

/** @throws the error of the first condition that is not met. */
export async function requireAll(conditions: readonly Precondition[]): Promise<void> {
  for (const mustHold of conditions) await mustHold();
}

/** The path itself, or the nearest one above it that exists: there a run creates the folder. */
function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path));
}
