import { faults } from "../../proof/table.ts";
import type { Addition } from "../cli/commands/command.ts";

/** `explain` with the faults that make a check fail, for `serve --fault NAME` and `proof --only NAME`. */
export const explainFaults: Addition = {
  explains: {
    check: (id) => {
      const names = [...faults].flatMap(([name, { fails }]) =>
        fails.some((one) => one === id) ? [name] : [],
      );
      return `Fails with the ${names.length === 1 ? "fault" : "faults"} ${names.join(", ")}.`;
    },
  },
};
