import type { Target } from "../../conformance/client/target.ts";
import { traceparentHeader } from "../../schemas/request-id.ts";
import { startService } from "../../service/start.ts";
import { defaults, requireKeys, type Settings, type TargetChoice } from "../config/settings.ts";

// What the suite asks before it provokes the limit goes through without a wait.
const embeddedBurst = 450;

/** A target that can be asked, and what has to be closed after it. */
export interface OpenTarget extends AsyncDisposable {
  readonly target: Target;
}

/**
 * The target of the settings, for a run.
 *
 * @throws UsageError when a key that is needed is not set.
 */
export async function openTarget(settings: Settings): Promise<OpenTarget> {
  requireKeys(settings);
  return openChoice(settings.choice);
}

/** The same without a look at the keys. `embedded` starts the reference service in this process, on a free port. */
export async function openChoice(choice: TargetChoice): Promise<OpenTarget> {
  if (choice.kind === "remote") {
    return { target: choice.target, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const service = await startService({ burst: embeddedBurst });
  const target: Target = {
    name: defaults.target,
    baseUrl: service.baseUrl,
    keys: service.keys,
    categories: choice.categories ?? service.categories,
    dialect: {},
    way: { requestIdHeader: traceparentHeader },
    timeoutMilliseconds: choice.timeoutMilliseconds,
  };
  return { target, [Symbol.asyncDispose]: () => service.stop() };
}
