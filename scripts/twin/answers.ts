import type { Exchange } from "../../conformance/client/exchange.ts";
import { isUtcTimestamp } from "../../schemas/timestamp.ts";
import { type Mismatch, mismatches, type SeenResponse, type SeenValue, statusPlace } from "./observation.ts";
import type { TwinDifference } from "./twin-result.ts";

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
export interface Asked {
  readonly old: readonly TwinAnswer[];
  readonly new: readonly TwinAnswer[];
}

/** What became of one place where the first two responses differed. */
export type Settled =
  | { readonly is: "different"; readonly change: TwinDifference["change"]; readonly mismatch: Mismatch }
  /** The data of the product are of different times. */
  | { readonly is: "moved"; readonly pattern: string; readonly mismatch: Mismatch }
  /** Two responses of the old deployment differ. */
  | { readonly is: "ignored"; readonly pattern: string }
  /** It was gone when asked again. `odd`: the deployment whose first responses differ from all others. */
  | {
      readonly is: "passing";
      readonly pattern: string;
      readonly odd: Side | undefined;
      readonly mismatch: Mismatch;
    };

/** The two deployments of a run. */
export type Side = "old" | "new";

/** Judges the places where any round differed, after both deployments were asked in turn several times. */
export function verdictsOf({ old, new: now }: Asked): Settled[] {
  const places = new Map<string, Mismatch>();
  for (const [index, { observation }] of old.entries()) {
    const other = now[index]?.observation;
    if (other === undefined) continue;
    for (const mismatch of mismatches(observation, other))
      if (!places.has(mismatch.place)) places.set(mismatch.place, mismatch);
  }
  return [...places.values()].map((mismatch) => {
    const { place } = mismatch;
    const facts = (answers: readonly TwinAnswer[]) =>
      answers.map(({ observation }) => observation.get(place));
    return verdictOf(mismatch, { old: facts(old), new: facts(now) }, { old, new: now });
  });
}

type Facts = readonly (SeenValue | undefined)[];

function verdictOf(
  mismatch: Mismatch,
  facts: { readonly old: Facts; readonly new: Facts },
  asked: Asked,
): Settled {
  const pattern = mismatch.old?.pattern ?? mismatch.new?.pattern ?? mismatch.place;
  const [old, now] = [facts.old.map(textOf), facts.new.map(textOf)];
  const [oldVaries, newVaries] = [new Set(old).size > 1, new Set(now).size > 1];
  const last = facts.old.length - 1;
  const agreeNow = old[last] === now[last] && old[last - 1] === now[last - 1];
  if (oldVaries) {
    // What the old deployment cannot answer twice alike is no measure, unless the new one answers with another type.
    const types = new Set(facts.old.map(typeOf));
    const isOtherType = facts.new.every((fact) => !types.has(typeOf(fact)));
    if (agreeNow) return { is: "passing", pattern, odd: newVaries ? undefined : "old", mismatch };
    return isOtherType
      ? { is: "different", change: changeOf(mismatch), mismatch }
      : { is: "ignored", pattern };
  }
  if (agreeNow) return { is: "passing", pattern, odd: "new", mismatch };
  if (isOfAnotherTime(mismatch, asked)) return { is: "moved", pattern, mismatch };
  return { is: "different", change: newVaries ? "varies" : changeOf(mismatch), mismatch };
}

function textOf(fact: SeenValue | undefined): string {
  return fact === undefined ? "" : fact.is;
}

function typeOf(fact: SeenValue | undefined): string {
  if (fact === undefined) return "missing";
  return fact.value === null ? "null" : typeof fact.value;
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
function isOfAnotherTime({ place }: Mismatch, { old, new: now }: Asked): boolean {
  const end = place.lastIndexOf("/");
  if (!movingFields.includes(place.slice(end + 1))) return false;
  const updated = `${place.slice(0, end)}/last_updated`;
  return old.every(({ observation: before }, round) => {
    const after = now[round]?.observation;
    const [value, other] = [before.get(place), after?.get(place)];
    if (value?.is === other?.is) return true;
    const [time, otherTime] = [before.get(updated), after?.get(updated)];
    const areTimes = [time, otherTime].every((fact) => isTimestamp(fact?.value));
    const areApart = Date.parse(String(time?.value)) !== Date.parse(String(otherTime?.value));
    return typeOf(value) === typeOf(other) && areTimes && areApart;
  });
}

function isTimestamp(value: unknown): boolean {
  return typeof value === "string" && isUtcTimestamp(value);
}
