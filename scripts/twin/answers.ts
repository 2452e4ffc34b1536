import type { Exchange } from "../../conformance/client/exchange.ts";
import { isUtcTimestamp } from "../../schemas/timestamp.ts";
import { isStatus, type Mismatch, mismatches, type SeenResponse, type SeenValue } from "./observation.ts";
import type { TwinDifference } from "./twin-result.ts";

/** The two deployments of a run. */
export const sides = ["old", "new"] as const;
export type Side = (typeof sides)[number];

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
export interface Settled {
  readonly mismatch: Mismatch;
  /**
   * A difference; or `moved`: the data of the product are of different times; `ignored`: two responses of the old deployment
   * differ; `passing`: it was gone when asked again.
   */
  readonly is: TwinDifference["change"] | "moved" | "ignored" | "passing";
  /** Of one that is passing: the deployment whose first responses differ from all others. */
  readonly odd?: Side | undefined;
}

/** Judges the places where any round differed, after both deployments were asked in turn several times. */
export function verdictsOf(asked: Asked): Settled[] {
  const all = asked.old.flatMap(({ observation }, round) => {
    const other = asked.new[round]?.observation;
    return other === undefined ? [] : mismatches(observation, other);
  });
  // The first mismatch of each place.
  const places = [...Map.groupBy(all, ({ place }) => place).values()].flatMap(([first]) => first ?? []);
  return places.map((mismatch) => ({ mismatch, ...verdictOf(mismatch, asked) }));
}

function verdictOf(mismatch: Mismatch, asked: Asked): Omit<Settled, "mismatch"> {
  const [old, now] = sides.map((side) =>
    asked[side].map(({ observation }) => observation.get(mismatch.place)),
  ) as [(SeenValue | undefined)[], (SeenValue | undefined)[]];
  const [oldVaries, newVaries] = [old, now].map((seen) => new Set(seen.map((one) => one?.is)).size > 1);
  const isGone = [-1, -2].every((round) => old.at(round)?.is === now.at(round)?.is);
  if (isGone) return { is: "passing", odd: oldVaries ? (newVaries ? undefined : "old") : "new" };
  if (oldVaries) {
    // What the old deployment cannot answer twice alike is no measure, unless the new one answers with another type.
    const types = new Set(old.map(typeOf));
    return { is: now.some((value) => types.has(typeOf(value))) ? "ignored" : changeOf(mismatch) };
  }
  if (isOfAnotherTime(mismatch, asked)) return { is: "moved" };
  return { is: newVaries ? "varies" : changeOf(mismatch) };
}

function typeOf(seen: SeenValue | undefined): string {
  if (seen === undefined) return "missing";
  return seen.value === null ? "null" : typeof seen.value;
}

function changeOf({ place, old, new: now }: Mismatch): TwinDifference["change"] {
  if (old === undefined) return "added";
  if (now === undefined) return "missing";
  if (isStatus(place)) return "status";
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
    const times = [before, after].map((seen) => seen?.get(updated)?.value);
    const areTimes = times.every((time) => typeof time === "string" && isUtcTimestamp(time));
    const [time, otherTime] = times.map((one) => Date.parse(String(one)));
    return typeOf(value) === typeOf(other) && areTimes && time !== otherTime;
  });
}
