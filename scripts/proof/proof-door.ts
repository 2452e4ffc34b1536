import { door } from "../cli/commands/command.ts";

/** `proof`: faults and variants of the reference service. */
export const proof = door(
  { name: "proof" },
  {
    commands: {
      proof: {
        summary: "verify the suite: every fault must be caught, and no variant may fail",
        load: async () => (await import("./proof-command.ts")).proof,
      },
    },
    adds: {
      serve: async () => (await import("./faults-and-variants.ts")).serveChanged,
      explain: async () => (await import("./faults-and-variants.ts")).explainFaults,
    },
  },
);
