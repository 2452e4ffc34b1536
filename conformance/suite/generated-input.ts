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
import { failed, type Outcome, passed } from "../requirements/outcome.ts";
import type { CheckContext, Fuzz } from "./check/check.ts";
import {
  type HostileInput,
  hostileInput,
  hostilePlaces,
  itemsInput,
  percentEncoded,
} from "./hostile-input.ts";
import { failureOn, type InputFailure } from "./survives.ts";

/** Most bytes of a generated value. Percent-encoded, its URL stays below 8 kB. */
const mostBytes = 2000;

interface Drawn {
  readonly place: keyof typeof hostilePlaces | "batch";
  readonly bytes: Uint8Array;
  readonly json: unknown;
}

const bytesOf = (text: string) => Buffer.from(text).subarray(0, mostBytes);

/** Strings of all kinds, numbers, invalid UTF-8, and long values. */
const anyBytes: Arbitrary<Uint8Array> = oneof(
  string({ unit: "grapheme", maxLength: 40 }).map(bytesOf),
  string({ unit: "binary-ascii", maxLength: 40 }).map(bytesOf),
  integer().map((number) => bytesOf(String(number))),
  uint8Array({ maxLength: 20 }),
  tuple(string({ minLength: 1, maxLength: 3 }), integer({ min: 1, max: 700 })).map(([text, times]) =>
    bytesOf(text.repeat(times)),
  ),
);

const drawn: Arbitrary<Drawn> = record({
  place: constantFrom(...(Object.keys(hostilePlaces) as (keyof typeof hostilePlaces)[]), "batch" as const),
  bytes: anyBytes,
  json: jsonValue(),
});

/** Sends generated inputs, and shrinks the first one that the target fails on to a minimal one. */
export async function survivesDrawn(context: CheckContext, { runs, seed }: Fuzz): Promise<Outcome> {
  let failure: InputFailure | undefined;
  let stop: Error | undefined;
  const property = asyncProperty(drawn, async (one) => {
    if (stop !== undefined) return;
    try {
      const found = await failureOn(context, inputOf(one, context));
      if (found === undefined) return;
      failure = found;
    } catch (error) {
      // An interruption or NotJudged is no failure of the target: stop without shrinking.
      stop = error instanceof Error ? error : new Error(String(error));
      return;
    }
    throw new Error("the target fails on it");
  });
  const { failed: isFailed, counterexample, numShrinks } = await check(property, { numRuns: runs, seed });
  const [least] = counterexample ?? [];
  if (!isFailed || least === undefined || failure === undefined) {
    if (stop !== undefined) throw stop;
    return passed({ code: "checked", seen: { count: runs, of: "requests" } });
  }
  const { finding, exchange } = failure;
  const value = least.place === "batch" ? JSON.stringify(least.json) : percentEncoded(least.bytes);
  const how = { value, runs, seed, shrunk: numShrinks };
  const shown: Finding =
    finding.code === "closed-on-input"
      ? { ...finding, details: { ...finding.details, ...how } }
      : { ...finding, details: { ...finding.details, ...how } };
  return failed(shown, exchange);
}

function inputOf({ place, bytes, json }: Drawn, context: CheckContext): HostileInput {
  if (place === "batch") return itemsInput(context, "drawn", [json]);
  return hostileInput(hostilePlaces[place], "drawn", percentEncoded(bytes), context);
}
