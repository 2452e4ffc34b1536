import type { Results } from "../../schemas/contracts/results.ts";
import { door } from "../cli/commands/command.ts";
import { unusualKinds } from "./twin-result.ts";
import { twinCauses, twinPassed, twinSuites } from "./twin-suite.ts";

/** `twin`: the target beside another deployment, which a run of `twin` judges alone. */
export const twin = door(
  {
    name: "twin",
    // Any other cause has a label.
    label: ({ command, cause, parts }: Results) =>
      command === "twin" && cause === "none" ? parts?.twin?.outcome : undefined,
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
