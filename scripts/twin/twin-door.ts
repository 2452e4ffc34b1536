import type { Results } from "../../schemas/contracts/results.ts";
import { verdictLabels } from "../../schemas/contracts/verdicts.ts";
import { door } from "../cli/commands/command.ts";
import { type TwinResult, unusualKinds } from "./twin-result.ts";
import { twinCauses, twinPassed, twinSuites } from "./twin-suite.ts";

type TwinLabel = TwinResult["outcome"] | typeof verdictLabels.inconclusive;

/** `twin`: the target beside another deployment, which a run of `twin` judges alone. */
export const twin = door(
  {
    name: "twin",
    label: ({ command, parts }: Pick<Results, "command" | "parts">): TwinLabel | undefined => {
      const outcome = command === "twin" ? parts?.twin?.outcome : undefined;
      return outcome === "inconclusive" ? verdictLabels.inconclusive : outcome;
    },
    suites: twinSuites,
    causes: twinCauses,
    passed: twinPassed,
    names: `different differences longestSeconds responses unstable ${Object.keys(unusualKinds).join(" ")}`,
  },
  {
    commands: {
      twin: {
        summary: "send the same requests to two deployments in turn, and compare responses and latency",
        load: async () => (await import("./twin-command.ts")).twin,
      },
    },
  },
);
