import type { Results } from "../../schemas/contracts/results.ts";
import type { TwinResult } from "./twin-result.ts";
import { twinCauses, twinPassed, twinSuites } from "./twin-suite.ts";
import { twinLabels } from "./twin-words.ts";

/** `twin`: the target beside another deployment, which a run of `twin` judges alone. */
export const twin = {
  name: "twin",
  label: ({ command, twin }: Pick<Results, "command"> & { readonly twin?: TwinResult | undefined }) =>
    command === "twin" && twin !== undefined ? twinLabels[twin.outcome] : undefined,
  suites: twinSuites,
  causes: twinCauses,
  passed: twinPassed,
};
