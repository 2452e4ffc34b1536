import { resolveSettings } from "../config/settings.ts";
import { readBaseline } from "../earlier/baseline.ts";
import { conformanceStage, requireBurstAllowed } from "../run/conformance.ts";
import { renderPlan } from "../run/plan.ts";
import { recordRun } from "../run/record.ts";
import { defineCommand } from "./command.ts";
import {
  type CommonFlags,
  type SelectionFlags,
  withBaseline,
  withMaxRequests,
  withOut,
  withSelection,
  withTargetFlags,
} from "./flags.ts";

interface ConformanceFlags extends CommonFlags, SelectionFlags {
  readonly plan?: boolean;
}

/** `conformance`: holds the target against the spec, requirement by requirement. */
export const conformance = defineCommand<ConformanceFlags>({
  flags: (command) =>
    withSelection(withMaxRequests(withBaseline(withOut(withTargetFlags(command))))).option(
      "--plan",
      "list the checks and the requests that they may send; send none",
    ),
  run: async (flags, io) => {
    const { only = [], skip = [], json = false } = flags;
    const settings = await resolveSettings(flags, io);
    if (flags.plan === true) {
      io.stdout.write(renderPlan({ only, skip }));
      return 0;
    }
    requireBurstAllowed(settings, { only, skip });
    const { maxRequests } = settings;
    const baseline = await readBaseline(settings, io);
    return recordRun({ command: "conformance", settings, io, json }, async (run) => {
      await conformanceStage(run, { only, skip, maxRequests, baseline });
    });
  },
});
