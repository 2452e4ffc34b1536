import { endpoints } from "../../schemas/api.ts";
import { TransportError } from "../client/transport-error.ts";
import type { Check } from "./check/check.ts";
import { section } from "./check/rows.ts";
import {
  type HostilePlace,
  hostileBodies,
  hostileInputs,
  hostileItems,
  hostilePlaces,
  hostileQueries,
  usualDraws,
} from "./hostile-input.ts";
import { survives } from "./survives.ts";

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
    requests: 6,
    run: (context) => survives(context, hostileQueries(context)),
  },
  {
    id: `${requirement}/batch-items`,
    title: "Unusual ids in a batch do not cause a 500 or a closed connection",
    requests: 13,
    async run(context) {
      const { all, each } = hostileItems(context);
      const exchange = await context.tryOut(all.request);
      // A batch that is rejected as a whole says nothing about items after the first bad one.
      if (!(exchange instanceof TransportError) && exchange.response.status === 200)
        return await survives(context, each.slice(-1));
      const alone = await survives(context, each);
      return alone.kind === "pass" ? await survives(context, [all]) : alone;
    },
  },
  {
    id: `${requirement}/drawn`,
    title: "Generated values do not cause a 500 or a closed connection",
    requests: usualDraws.runs,
    // Imported late, because it loads fast-check, which only this check needs.
    run: async (context) => (await import("./generated-input.ts")).survivesDrawn(context),
  },
  {
    id: `${requirement}/batch-bodies`,
    title: "Malformed batches do not cause a 500 or a closed connection",
    requests: 20,
    run: (context) => survives(context, hostileBodies(context)),
  },
]);
