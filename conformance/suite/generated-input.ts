import {
  type Arbitrary,
  asyncProperty,
  check,
  constantFrom,
  integer,
  jsonValue,
  oneof,
  record,
  string,
  tuple,
  uint8Array,
} from "fast-check";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { type Outcome, passed } from "../requirements/outcome.ts";
import type { CheckContext, Fuzz } from "./check/check.ts";
import { failureOn, hostilePlaces, inputIn, itemsInput } from "./hostile-input.ts";

const places = Object.keys(hostilePlaces) as (keyof typeof hostilePlaces)[];

/** Strings of all kinds, numbers and long values of at most 6.5 kB encoded; and bytes that are no UTF-8. */
const anyValue: Arbitrary<string> = oneof(
  oneof(
    string({ unit: "grapheme", maxLength: 40 }),
    string({ unit: "binary-ascii", maxLength: 40 }),
    integer().map(String),
    tuple(string({ minLength: 1, maxLength: 3 }), integer({ min: 1, max: 700 })).map(([text, times]) =>
      text.repeat(times),
    ),
  ).map(encodeURIComponent),
  uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString("hex").replaceAll(/../g, "%$&")),
);

const drawn = record({
  place: constantFrom(...places, "batch" as const),
  value: anyValue,
  json: jsonValue(),
});

/** Sends generated inputs, and shrinks the first one that the target fails on to a minimal one. */
export async function survivesDrawn(context: CheckContext, { runs, seed }: Fuzz): Promise<Outcome> {
  let failure: Outcome | undefined;
  let stop: unknown;
  const property = asyncProperty(drawn, async ({ place, value, json }) => {
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
  const { counterexample } = await check(property, { numRuns: runs, seed });
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
