import { endpoints } from "../../schemas/api.ts";
import { TransportError } from "../client/no-response.ts";
import { notApplicable } from "../requirements/outcome.ts";
import type { Check, CheckContext } from "./check/check.ts";
import { section } from "./check/rows.ts";
import {
  type HostileInput,
  hostileBodies,
  hostileInputs,
  hostileItems,
  hostileMethods,
  hostilePlaces,
  hostileQueries,
  survives,
} from "./hostile-input.ts";

/** Spec, Errors: a malformed request returns 400; 500 is a failure on the service side. */
export default section("errors", [
  ...Object.entries(hostilePlaces).map(([name, place]) => {
    const what = `${endpoints[place.endpoint].label}: unusual values of ${place.parameter} do not cause`;
    return hostile(name, what, place.kinds.length, (context) => hostileInputs(place, context));
  }),
  hostile("queries", "Repeated or malformed parameters do not cause", 6, () => hostileQueries),
  hostile("methods", "Paths and methods outside the API do not cause, except for 501,", 4, hostileMethods),
  hostile("batch-items", "Unusual ids and slugs in a batch do not cause", 14, async (context) => {
    const { all, each } = hostileItems(context);
    const result = await context.tryOut(all.request);
    // A batch that is rejected as a whole says nothing about items after the first bad one.
    const isTaken = !(result instanceof TransportError) && result.response.status === 200;
    return isTaken ? each.slice(-1) : [...each, all];
  }),
  {
    id: "errors.hostile-input/drawn",
    title: "With --fuzz, generated values do not cause a server error or a missing response",
    // With --fuzz, as many as it says.
    requests: 1,
    async run(context) {
      if (context.fuzz === undefined)
        return notApplicable({ code: "checked", seen: { count: 0, of: "requests" } });
      // Imported late, because it loads fast-check, which only this check needs.
      return await (await import("./generated-input.ts")).survivesDrawn(context, context.fuzz);
    },
  },
  hostile("batch-bodies", "Malformed or unusual batches do not cause", 9, hostileBodies),
]);

function hostile(
  name: string,
  what: string,
  requests: number,
  inputs: (context: CheckContext) => readonly HostileInput[] | Promise<readonly HostileInput[]>,
): Check {
  return {
    id: `errors.hostile-input/${name}`,
    title: `${what} a server error or a missing response`,
    requests,
    run: async (context) => await survives(context, await inputs(context)),
  };
}
