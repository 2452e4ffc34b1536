import { existsSync } from "node:fs";
import { access, constants } from "node:fs/promises";
import { dirname } from "node:path";
import type { Target } from "../../conformance/client/target.ts";
import { keyVariables } from "../../schemas/redaction.ts";
import { traceparentHeader } from "../../schemas/request-id.ts";
import { listed } from "../../schemas/words/format.ts";
import { requireLoadAllowed } from "../config/load-permission.ts";
import { defaults, requireNamedTarget, type Settings } from "../config/settings.ts";
import { UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { notWritable } from "./write-run.ts";

/** Throws the error with which a run would refuse the set-up, unless it is right. */
export type Precondition = () => unknown;

/** What every run needs before its first request. */
export function neededByRuns(settings: Settings, { env }: Pick<Io, "env">): Precondition[] {
  return [
    () => requireNamedTarget(settings, env),
    ...settings.missingKeys.map((missing) => () => {
      throw missing;
    }),
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

/**
 * They would replace options of the script: another load, no thresholds, or headers with keys in its log. So k6
 * is not given them (k6Environment), and a run is refused rather than made without what they ask for.
 */
const overriding =
  /^K6_(VUS|ITERATIONS|DURATION|STAGES|RPS|EXECUTION_SEGMENT(_SEQUENCE)?|PAUSED|NO_(SETUP|TEARDOWN|THRESHOLDS|SUMMARY|CONNECTION_REUSE|VU_CONNECTION_REUSE)|SYSTEM_TAGS|DISCARD_RESPONSE_BODIES|MIN_ITERATION_DURATION|HTTP_DEBUG)$/;

/** @throws UsageError for options of k6 that would have no effect. */
function refuseK6Options(env: NodeJS.ProcessEnv): void {
  const set = Object.keys(env).filter((name) => overriding.test(name) && env[name]);
  if (set.length === 0) return;
  throw new UsageError({
    what: "Options in the environment are not passed on to k6",
    where: listed(set),
    fix: `Unset ${set.length === 1 ? "it" : "them"}. Rates and durations belong in a profile, or in --rate and --duration.`,
  });
}

/** @throws the error of the first condition that is not met. */
export async function requireAll(conditions: readonly Precondition[]): Promise<void> {
  for (const mustHold of conditions) await mustHold();
}

/** The path itself, or the nearest one above it that exists: there a run creates the folder. */
function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path));
}

// So large that the suite need not wait before its burst, so small that a busy machine exceeds it.
const embeddedLimit = { rate: 30, burst: 350 };

/** A target that is ready for requests. Dispose of it to stop the built-in service. */
interface OpenTarget extends AsyncDisposable {
  readonly target: Target;
}

/**
 * Opens the target of the settings. `embedded` starts the reference service here, on a free port.
 * @throws UsageError when a required key is not set.
 */
export async function openTarget({
  choice,
  missingKeys: [missing],
}: Pick<Settings, "choice" | "missingKeys">): Promise<OpenTarget> {
  if (missing !== undefined) throw missing;
  if (choice.kind === "remote") {
    return { target: choice.target, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  // Imported late: a run against another target does not need the service.
  const { startService } = await import("../../service/start.ts");
  const service = await startService(embeddedLimit);
  const target: Target = {
    name: defaults.target,
    baseUrl: service.baseUrl,
    keys: service.keys,
    keyVariables,
    categories: choice.categories ?? service.categories,
    fieldNames: {},
    connection: { requestIdHeader: traceparentHeader },
    timeoutMilliseconds: defaults.timeoutMilliseconds,
  };
  return { target, [Symbol.asyncDispose]: () => service.stop() };
}
