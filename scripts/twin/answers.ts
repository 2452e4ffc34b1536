import type { Exchange } from "../../conformance/client/exchange.ts";
import { isUtcTimestamp } from "../../schemas/timestamp.ts";
import { type Mismatch, mismatches, type SeenResponse, type SeenValue, statusPlace } from "./observation.ts";
import type { TwinDifference } from "./twin-result.ts";

/** The two deployments of a run. */
export const sides = ["old", "new"] as const;
export type Side = (typeof sides)[number];

/** How often both deployments are asked again before a difference counts. */
export const rounds = 3;

/** A response of a deployment to a probe; of a walk, all its pages. */
export interface TwinAnswer {
  readonly observation: SeenResponse;
  readonly exchanges: readonly Exchange[];
  /** It was sent once and at once, so that its latency can be compared. */
  readonly isPrompt: boolean;
}

/** The responses of both deployments to one probe, in the order in which they were asked. */
export type Asked = Readonly<Record<Side, readonly TwinAnswer[]>>;

/** What became of one place where any two responses differed. */
export type Settled = { readonly mismatch: Mismatch } & (
  | { readonly is: "different"; readonly change: TwinDifference["change"] }
  /** The data of the product are of different times. */
  | { readonly is: "moved" }
  /** Two responses of the old deployment differ. */
  | { readonly is: "ignored" }
  /** It was gone when asked again. `odd`: the deployment whose first responses differ from all others. */
  | { readonly is: "passing"; readonly odd: Side | undefined }
);

/** Judges the places where any round differed, after both deployments were asked in turn several times. */
export function verdictsOf(asked: Asked): Settled[] {
  const all = asked.old.flatMap(({ observation }, round) => {
    const other = asked.new[round]?.observation;
    return other === undefined ? [] : mismatches(observation, other);
  });
  const places = new Map(all.toReversed().map((mismatch) => [mismatch.place, mismatch]));
  return [...places.values()].toReversed().map((mismatch) => verdictOf(mismatch, asked));
}

function verdictOf(mismatch: Mismatch, asked: Asked): Settled {
  const valuesOf = (side: Side) => asked[side].map(({ observation }) => observation.get(mismatch.place));
  const [before, after] = [valuesOf("old"), valuesOf("new")];
  const [old, now] = [before, after].map((values) => values.map((value) => value?.is)) as [
    (string | undefined)[],
    (string | undefined)[],
  ];
  const [oldVaries, newVaries] = [new Set(old).size > 1, new Set(now).size > 1];
  const isGone = [-1, -2].every((round) => old.at(round) === now.at(round));
  const odd = oldVaries ? (newVaries ? undefined : "old") : "new";
  if (isGone) return { is: "passing", odd, mismatch };
  if (oldVaries) {
    // What the old deployment cannot answer twice alike is no measure, unless the new one answers with another type.
    const types = new Set(before.map(typeOf));
    const isOtherType = after.every((value) => !types.has(typeOf(value)));
    return isOtherType
      ? { is: "different", change: changeOf(mismatch), mismatch }
      : { is: "ignored", mismatch };
  }
  if (isOfAnotherTime(mismatch, asked)) return { is: "moved", mismatch };
  return { is: "different", change: newVaries ? "varies" : changeOf(mismatch), mismatch };
}

function typeOf(seen: SeenValue | undefined): string {
  if (seen === undefined) return "missing";
  return seen.value === null ? "null" : typeof seen.value;
}

function changeOf({ place, old, new: now }: Mismatch): TwinDifference["change"] {
  if (old === undefined) return "added";
  if (now === undefined) return "missing";
  if (place.endsWith(statusPlace)) return "status";
  return typeOf(old) === typeOf(now) ? "value" : "type";
}

const movingFields: readonly string[] = ["last_updated", "price", "availability"];

/**
 * Whether a field of a product differs because the deployments hold the data of different times: wherever it differs,
 * `last_updated`, the freshness signal (spec, Product), differs too. Then price and availability may; nothing else may.
 */
function isOfAnotherTime({ place }: Mismatch, asked: Asked): boolean {
  const end = place.lastIndexOf("/");
  if (!movingFields.includes(place.slice(end + 1))) return false;
  const updated = `${place.slice(0, end)}/last_updated`;
  return asked.old.every(({ observation: before }, round) => {
    const after = asked.new[round]?.observation;
    const [value, other] = [before.get(place), after?.get(place)];
    if (value?.is === other?.is) return true;
    const times = [before.get(updated)?.value, after?.get(updated)?.value];
    const areTimes = times.every((time) => typeof time === "string" && isUtcTimestamp(time));
    const [time, otherTime] = times.map((one) => Date.parse(String(one)));
    return typeOf(value) === typeOf(other) && areTimes && time !== otherTime;
  });
}
