import { endpoints } from "../../schemas/api.ts";
import { TransportError } from "../client/transport-error.ts";
import { notApplicable } from "../requirements/outcome.ts";
import type { Check } from "./check/check.ts";
import { section } from "./check/rows.ts";
import {
  type HostilePlace,
  hostileBodies,
  hostileInputs,
  hostileItems,
  hostilePlaces,
  hostileQueries,
  survives,
} from "./hostile-input.ts";

const requirement = "errors.hostile-input";
/** Spec, Errors: a malformed request returns 400; 500 is a failure on the service side. */
export default section("errors", [
  ...Object.entries(hostilePlaces).map(([name, place]: [string, HostilePlace]): Check => {
    const { endpoint, parameter } = place;
    return {
      id: `${requirement}/${name}`,
      title: `${endpoints[endpoint].label}: no value of ${parameter} causes a 500 or a closed connection`,
      requests: place.kinds.length,
      run: (context) => survives(context, hostileInputs(place, context)),
    };
  }),
  {
    id: `${requirement}/queries`,
    title: "Repeated or malformed parameters do not cause a 500 or a closed connection",
    requests: 4,
    run: (context) => survives(context, hostileQueries),
  },
  {
    id: `${requirement}/batch-items`,
    title: "Unusual ids in a batch do not cause a 500 or a closed connection",
    requests: 13,
    async run(context) {
      const { all, each } = hostileItems(context);
      const result = await context.tryOut(all.request);
      // A batch that is rejected as a whole says nothing about items after the first bad one.
      const isTaken = !(result instanceof TransportError) && result.response.status === 200;
      return await survives(context, isTaken ? each.slice(-1) : [...each, all]);
    },
  },
  {
    id: `${requirement}/drawn`,
    title: "With --fuzz, generated values do not cause a 500 or a closed connection",
    // With --fuzz, as many as it says.
    requests: 1,
    async run(context) {
      if (context.fuzz === undefined)
        return notApplicable({ code: "checked", seen: { count: 0, of: "requests" } });
      // Imported late, because it loads fast-check, which only this check needs.
      return await (await import("./generated-input.ts")).survivesDrawn(context, context.fuzz);
    },
  },
  {
    id: `${requirement}/batch-bodies`,
    title: "Malformed batches do not cause a 500 or a closed connection",
    requests: 7,
    run: (context) => survives(context, hostileBodies(context)),
  },
]);
