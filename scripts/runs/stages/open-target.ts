import type { Target } from "../../../conformance/client/target.ts";
import { traceparentHeader } from "../../../schemas/request-id.ts";
import { defaults, requireKeys, type Settings, type TargetChoice } from "../../config/settings.ts";

// Large enough that the suite does not have to wait before its burst, and small enough that a busy machine exceeds it.
const embeddedLimit = { rate: 30, burst: 350 };

/** A target that is ready for requests. Dispose of it to stop the built-in service. */
export interface OpenTarget extends AsyncDisposable {
  readonly target: Target;
}

/**
 * Opens the target of the settings.
 *
 * @throws UsageError when a required key is not set.
 */
export async function openTarget(settings: Settings): Promise<OpenTarget> {
  requireKeys(settings);
  return openChoice(settings.choice);
}

/** Like `openTarget`, without checking the keys. For `embedded`, starts the reference service in this process, on a free port. */
export async function openChoice(choice: TargetChoice): Promise<OpenTarget> {
  if (choice.kind === "remote") {
    return { target: choice.target, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  // Imported late: a run against another target does not need the service.
  const { startService } = await import("../../../service/start.ts");
  const service = await startService(embeddedLimit);
  const target: Target = {
    name: defaults.target,
    baseUrl: service.baseUrl,
    keys: service.keys,
    categories: choice.categories ?? service.categories,
    fieldNames: {},
    connection: { requestIdHeader: traceparentHeader },
    timeoutMilliseconds: defaults.timeoutMilliseconds,
  };
  return { target, [Symbol.asyncDispose]: () => service.stop() };
}
