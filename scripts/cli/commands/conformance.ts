import { resolveSettings } from "../../config/settings.ts";
import { conformanceStage, requireBurstAllowed } from "../../runs/stages/conformance-stage.ts";
import { recordRun } from "../../runs/stages/record.ts";
import { conformancePlan, renderConformancePlan } from "../../runs/stages/selection.ts";
import { type CommandDefinition, print } from "./command.ts";
import { type CommonFlags, ofTarget, type SelectionFlags, withFlags } from "./flags.ts";

interface ConformanceFlags extends CommonFlags, SelectionFlags {
  readonly plan?: boolean;
}

/** `conformance`: judges the target against the spec, requirement by requirement. */
export const conformance: CommandDefinition<ConformanceFlags> = {
  flags: (command) =>
    withFlags(command, ...ofTarget, "out", "maxRequests", "maxTime", "only", "skip").option(
      "--plan",
      "list the checks and the number of requests that each may send, without sending any",
    ),
  run: async (flags, io) => {
    const { only = [], skip = [], json = false } = flags;
    const settings = await resolveSettings(flags, io);
    const selection = { only, skip };
    if (flags.plan === true) {
      const value = conformancePlan(selection, settings.maxSeconds);
      print(io, json, { value, text: () => renderConformancePlan(value) });
      return 0;
    }
    requireBurstAllowed(settings, selection);
    return recordRun({ command: "conformance", settings, io, json }, async (run) => {
      await conformanceStage(run, selection);
    });
  },
};
