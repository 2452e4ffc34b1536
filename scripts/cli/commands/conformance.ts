import { resolveSettings } from "../../config/settings.ts";
import { conformanceStage, requireBurstAllowed } from "../../runs/stages/conformance-stage.ts";
import { recordRun } from "../../runs/stages/record.ts";
import { conformancePlan, renderConformancePlan } from "../../runs/stages/selection.ts";
import { type CommandDefinition, print } from "./command.ts";
import { type CommonFlags, ofTarget, type SelectionFlags, wholeNumber, withFlags } from "./flags.ts";

interface ConformanceFlags extends CommonFlags, SelectionFlags {
  readonly plan?: boolean;
  readonly fuzz?: number;
  readonly seed?: number;
}

/** Requests for each generated input of `--fuzz`, including a possible repetition. */
const fuzzRequests = 2;

/** `conformance`: judges the target against the spec, requirement by requirement. */
export const conformance: CommandDefinition<ConformanceFlags> = {
  flags: (command) =>
    withFlags(command, ...ofTarget, "out", "maxRequests", "maxTime", "only", "skip")
      .option("--plan", "list the checks and the number of requests that each may send, without sending any")
      .option(
        "--fuzz <n>",
        "also send n generated unusual inputs, and reduce each failure to its smallest input",
        wholeNumber(1),
      )
      .option(
        "--seed <n>",
        "seed for --fuzz: the same seed sends the same inputs (default: different in every run)",
        wholeNumber(0),
      ),
  run: async (flags, io) => {
    const { only = [], skip = [], json = false, fuzz: runs = 0 } = flags;
    const settings = await resolveSettings(flags, io);
    const selection = { only, skip };
    const maxSeconds = flags.maxTime ?? settings.maxSeconds + runs;
    if (flags.plan === true) {
      const value = conformancePlan(selection, maxSeconds);
      print(io, json, { value, text: () => renderConformancePlan(value) });
      return 0;
    }
    requireBurstAllowed(settings, selection);
    const seed = flags.seed ?? io.now().getTime() % 2 ** 31;
    // --fuzz increases the number of requests, so that the other checks keep theirs.
    const maxRequests = flags.maxRequests ?? settings.maxRequests + fuzzRequests * runs;
    const fuzz = runs === 0 ? undefined : { runs, seed };
    return recordRun({ command: "conformance", settings, io, json }, async (run) => {
      await conformanceStage(run, { ...selection, maxRequests, maxSeconds, fuzz });
    });
  },
};
