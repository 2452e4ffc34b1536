import type { Waiver } from "../../schemas/contracts/waivers.ts";
import type { VerdictChange } from "./verdict-changes.ts";

/** A difference between the contracts of two runs. */
export interface ContractDifference {
  /** By which a waiver accepts it, such as `field-gone/images`. */
  name: string;
  /** It fails a client that follows the spec, and with it the gate. */
  breaking: boolean;
  /** What was before and what is now, as a sentence. */
  message: string;
  waiver?: Waiver | undefined;
}

declare module "../../schemas/contracts/results.ts" {
  interface ResultParts {
    /** What changed since the run of `--since`, which started at `startedAt`. */
    earlier?:
      | {
          startedAt: string;
          differences: ContractDifference[];
          /** Verdicts of requirements that got worse: the requirements themselves decide the run. */
          verdicts: Pick<VerdictChange, "id" | "kind">[];
        }
      | undefined;
  }
}
