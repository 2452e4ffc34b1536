import { observations } from "../../clients/observations/observations.ts";
import { requirementOf } from "../../conformance/requirements/all.ts";
import type { Addition } from "../cli/commands/command.ts";

/** `explain` with how a requirement on clients is judged. */
export const explainObservations: Addition = {
  explains: {
    requirement: (requirement) => [
      "Judged by `shelfcheck client`:",
      ...observations.flatMap(({ id, title }) => (requirementOf(id) === requirement ? [`${title}.`] : [])),
    ],
  },
};
