import type { Results } from "../../schemas/contracts/results.ts";
import { door } from "../cli/commands/capability.ts";
import { twinCauses, twinPassed, twinSuites } from "./twin-suite.ts";
import { type TwinLabel, twinLabels } from "./twin-words.ts";

/** `twin`: the target beside another deployment, which a run of `twin` judges alone. */
export const twin = door(
  {
    name: "twin",
    label: ({ command, parts: { twin } = {} }: Pick<Results, "command" | "parts">): TwinLabel | undefined =>
      command === "twin" && twin !== undefined ? twinLabels[twin.outcome] : undefined,
    suites: twinSuites,
    causes: twinCauses,
    passed: twinPassed,
    names: "additions different differences longestSeconds responses",
  },
  {
    commands: {
      twin: {
        summary: "send the same requests to two deployments in turn, and compare responses and latency",
        variables: ["target", "connection"],
        exits: "4 when responses or latency were not judged in time.",
        load: async () => (await import("./twin-command.ts")).twin,
      },
    },
  },
);
