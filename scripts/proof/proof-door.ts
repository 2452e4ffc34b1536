import { door } from "../cli/commands/capability.ts";

/** `proof`: faults and variants of the reference service. */
export const proof = door(
  {
    name: "proof",
  },
  {
    commands: {
      proof: {
        summary: "verify the suite: every fault must be caught, and no variant may fail",
        exits:
          "0 when every trial ended as expected; 1 when a fault was missed, or what failed differs from the snapshot.",
        load: async () => (await import("./proof-command.ts")).proof,
      },
    },
    adds: {
      serve: async () => (await import("./serve-changed.ts")).serveChanged,
      explain: async () => (await import("./explain-faults.ts")).explainFaults,
    },
  },
);
