import type * as fastCheck from "fast-check";
import { endpoints } from "../../schemas/api.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { TransportError } from "../client/no-response.ts";
import { notApplicable, type Outcome, passed } from "../requirements/outcome.ts";
import type { Check, CheckContext, Fuzz } from "./check/check.ts";
import { section } from "./check/rows.ts";
import {
  failureOn,
  type HostileInput,
  hostileBodies,
  hostileInputs,
  hostileItems,
  hostileMethods,
  hostilePlaces,
  hostileQueries,
  inputIn,
  itemsInput,
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
      return await survivesDrawn(context, context.fuzz);
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

const places = Object.keys(hostilePlaces) as (keyof typeof hostilePlaces)[];

function drawnBy({
  constantFrom,
  integer,
  jsonValue,
  oneof,
  record,
  string,
  tuple,
  uint8Array,
}: typeof fastCheck) {
  const repeated = tuple(string({ minLength: 1, maxLength: 3 }), integer({ min: 1, max: 700 }));
  /** Strings of all kinds, numbers and long values of at most 6.5 kB encoded; and bytes that are no UTF-8. */
  const value = oneof(
    oneof(
      string({ unit: "grapheme", maxLength: 40 }),
      string({ unit: "binary-ascii", maxLength: 40 }),
      integer().map(String),
      repeated.map(([text, times]) => text.repeat(times)),
    ).map(encodeURIComponent),
    uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString("hex").replaceAll(/../g, "%$&")),
  );
  return record({ place: constantFrom(...places, "batch" as const), value, json: jsonValue() });
}

/** Sends generated inputs, and shrinks the first one that the target fails on to a minimal one. */
export async function survivesDrawn(context: CheckContext, { runs, seed }: Fuzz): Promise<Outcome> {
  let failure: Outcome | undefined;
  let stop: unknown;
  // Loaded late, because only this check needs it.
  const fc = await import("fast-check");
  const property = fc.asyncProperty(drawnBy(fc), async ({ place, value, json }) => {
    if (stop !== undefined) return;
    const input =
      place === "batch"
        ? itemsInput(context, "drawn", [json], "body")
        : inputIn(hostilePlaces[place], "drawn", value, context);
    // An interruption or NotJudged is no failure of the target: stop without shrinking.
    const [found] = await failureOn(context, input).catch((error: unknown) => {
      stop = error;
      return [];
    });
    if (found === undefined) return;
    failure = found;
    throw new Error("the target fails on it");
  });
  const { counterexample } = await fc.check(property, { numRuns: runs, seed });
  const [least] = counterexample ?? [];
  if (least === undefined || failure === undefined) {
    if (stop !== undefined) throw stop;
    return passed({ code: "checked", seen: { count: runs, of: "requests" } });
  }
  const value = least.place === "batch" ? JSON.stringify(least.json) : least.value;
  const findings = failure.findings.map(
    (one) => ({ ...one, details: { ...one.details, value, runs, seed } }) as Finding,
  );
  return { ...failure, findings };
}
