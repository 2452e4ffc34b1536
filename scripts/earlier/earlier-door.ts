import type { Results } from "../../schemas/contracts/results.ts";
import { door } from "../cli/commands/command.ts";
import { againCommand } from "../report/subjects/run/commands.ts";
import { acceptedSince, changesSuites, contractCauses } from "./changes.ts";
import { isDifferenceName } from "./contract.ts";

/** Earlier runs: what changed since, and what fails still. */
export const earlier = door(
  {
    name: "earlier",
    isWaivable: isDifferenceName,
    suites: changesSuites,
    passed: acceptedSince,
    causes: contractCauses,
    itemCommands: (results: Results, run: string, id: string) => [
      { label: "Repeat", command: againCommand(`replay ${run} ${id}`, results) },
    ],
    names: "breaking differences failing-not-judged-before newly-failing no-longer-judged verdicts",
  },
  {
    commands: {
      replay: {
        summary: "run the failed checks of a run again, and show which pass now",
        load: async () => (await import("./replay.ts")).replay,
      },
      compare: {
        summary: "show what changed between two runs",
        load: async () => (await import("./compare.ts")).compare,
      },
    },
    adds: { gate: async () => (await import("./since.ts")).gateSince },
  },
);
