import { type CauseMeaning, causes, runVerdictLabels } from "../../schemas/contracts/verdicts.ts";
import type { ClientResults } from "./client-results.ts";

/** Every cause that can decide the run of a client. If several apply, the first one decides. */
export const clientCauses = {
  "requirement-failed": causes["requirement-failed"],
  problem: causes.problem,
  "client-failed": { verdict: "error", exitCode: 3, label: runVerdictLabels.error },
  interrupted: causes.interrupted,
  "nothing-judged": causes["nothing-judged"],
  "tasks-not-done": { verdict: "incomplete", exitCode: 4, label: runVerdictLabels.incomplete },
  "not-judged": causes["not-judged"],
  partial: causes.partial,
  none: causes.none,
} as const satisfies Record<ClientResults["cause"], CauseMeaning>;
