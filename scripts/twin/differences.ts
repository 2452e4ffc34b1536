import { evidenceOf } from "../../conformance/client/evidence.ts";
import type { Redaction } from "../../conformance/client/redaction.ts";
import { given } from "../../schemas/json.ts";
import { isUtcTimestamp } from "../../schemas/product-values.ts";
import { chanceOfAtLeast } from "../load/limits.ts";
import type { TwinAnswer } from "./deployment.ts";
import { type Mismatch, mismatches, type SeenResponse, type SeenValue, statusPlace } from "./observation.ts";
import type { TwinProbe } from "./probes.ts";
import { type BySide, fieldOf, notes, type Side, sides, type TwinDifference } from "./twin-result.ts";

/** The responses of both deployments to one request, in the order in which they were asked. */
export type Asked = BySide<readonly TwinAnswer[]>;
type Change = TwinDifference["change"];

/** What two equal deployments show with a lower probability is not chance. */
export const improbable = 0.001;
/** Times of so many products that are all apart by the same: a local time that is written as UTC. */
const alikeTimes = 3;
/** Longest value that is named; a longer one is in the evidence. */
const longestValue = 200;

interface Found extends Omit<TwinDifference, "count" | "total"> {
  readonly probes: Set<TwinProbe>;
  /** Of what is gone when asked again: how often this deployment's first responses differ from all others. */
  readonly odd: Record<Side, number>;
  /** Of `last_updated`: how far it is apart, by its value at the old deployment. */
  readonly apart: Map<number, number>;
}

/** One difference for each kind of request, change and place of what was asked again. */
export function collectDifferences(redactions: BySide<Redaction>) {
  const found = new Map<string, Found>();
  /** Fields that the old deployment returns somewhere. */
  const oldFields = new Set<string>();

  function note(probe: TwinProbe, mismatch: Mismatch, asked: Asked): Change | undefined {
    const { kind: request } = probe;
    const path = (mismatch.old ?? mismatch.new)?.pattern ?? mismatch.place;
    const { change, odd } = verdictOf(mismatch, asked);
    const isUnstable = [...found.values()].some((one) => one.path === path && one.change === "unstable");
    // One round says nothing about a value that varies at the old deployment.
    if (change !== "unstable" && asked.old.length === 1 && isUnstable) return undefined;
    const key = JSON.stringify([request, change, path]);
    const one: Found = found.get(key) ?? {
      ...{ request, change, path, ...exampleOf(mismatch, asked, redactions) },
      probes: new Set(),
      odd: { old: 0, new: 0 },
      apart: new Map(),
    };
    found.set(key, one);
    one.probes.add(probe);
    if (odd !== undefined) one.odd[odd]++;
    const before = Date.parse(String(mismatch.old?.value));
    if (path.endsWith("/last_updated"))
      one.apart.set(before, Date.parse(String(mismatch.new?.value)) - before);
    return change;
  }

  /** Only in the end it is known what the old deployment returns, and what came again and again. */
  function finalChange({ change, path, odd, apart }: Found): Change {
    // A field that only some responses lacked before is no new one, nor is one more item of a list.
    if (change === "extra" && !path.endsWith("*") && !oldFields.has(fieldOf(path))) return "added";
    // Data of different times are not all apart by the same.
    const isShifted = apart.size >= alikeTimes && new Set(apart.values()).size === 1;
    if (change === "moved" && isShifted) return "value";
    const isAgain = chanceOfAtLeast(odd.new, odd.old + odd.new, 1 / 2) <= improbable;
    return change === "passing" && isAgain ? "varies" : change;
  }

  return {
    /** Notes where any two differ. Returns whether one of the differences was gone when asked again. */
    add(probe: TwinProbe, asked: Asked): boolean {
      for (const { observation } of asked.old)
        for (const { pattern } of observation.values()) oldFields.add(fieldOf(pattern));
      const all = asked.old.flatMap(({ observation }, round) => {
        const other = asked.new[round]?.observation;
        return other === undefined ? [] : mismatches(observation, other);
      });
      const firsts = [...Map.groupBy(all, ({ place }) => place).values()].flatMap(([first]) => first ?? []);
      return firsts.map((mismatch) => note(probe, mismatch, asked)).includes("passing");
    },
    /** @param total How many different requests of a kind were sent. */
    result(total: (kind: string) => number): Record<"differences" | "notes", TwinDifference[]> {
      const all = [...found.values()].map((one): TwinDifference => {
        const { probes, odd: _odd, apart: _apart, evidence, ...rest } = one;
        const change = finalChange(one);
        const counts = { count: probes.size, total: total(rest.request) };
        return { ...rest, change, ...counts, evidence: isNote(change) ? [] : evidence };
      });
      return {
        differences: all.filter(({ change }) => !isNote(change)),
        notes: all.filter(({ change }) => isNote(change)),
      };
    },
  };
}

function isNote(change: Change): boolean {
  return Object.hasOwn(notes, change);
}

/** Judges one place, after both deployments were asked in turn several times. */
function verdictOf(mismatch: Mismatch, asked: Asked): { readonly change: Change; readonly odd?: Side } {
  const seen = (side: Side) => asked[side].map(({ observation }) => observation.get(mismatch.place));
  const [old, now] = [seen("old"), seen("new")];
  const [oldVaries, newVaries] = [old, now].map((all) => new Set(all.map((one) => one?.is)).size > 1);
  const isGone = [-1, -2].every((round) => old.at(round)?.is === now.at(round)?.is);
  if (isGone)
    return { change: "passing", ...given({ odd: oldVaries ? (newVaries ? undefined : "old") : "new" }) };
  if (oldVaries) {
    // What the old deployment returns differently each time is no measure, unless the new type is another.
    const types = new Set(old.map(typeOf));
    return { change: now.some((value) => types.has(typeOf(value))) ? "unstable" : changeOf(mismatch) };
  }
  if (isOfAnotherTime(mismatch, asked)) return { change: "moved" };
  return { change: newVaries ? "varies" : changeOf(mismatch) };
}

function typeOf(seen: SeenValue | undefined): string {
  if (seen === undefined) return "missing";
  return seen.value === null ? "null" : typeof seen.value;
}

function changeOf({ place, old, new: now }: Mismatch): Change {
  if (old === undefined) return "extra";
  if (now === undefined) return "missing";
  if (place === statusPlace) return "status";
  return typeOf(old) === typeOf(now) ? "value" : "type";
}

const movingFields: readonly string[] = ["last_updated", "price", "availability"];

/**
 * Whether a product's field differs because the data are of different times: wherever it differs, so does
 * `last_updated`, the freshness signal (spec, Product). Price and availability may then, nothing else.
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

/** Where a place of the body is in a response; of what is missing, where it would be. */
function pathAt(place: string, seen: SeenResponse): string | undefined {
  const end = place.lastIndexOf("/");
  const holder = seen.get(place.slice(0, end))?.path;
  return end < 0
    ? undefined
    : (seen.get(place)?.path ?? (holder === undefined ? undefined : holder + place.slice(end)));
}

/** Both values of a difference, and the exchanges that show them. */
function exampleOf(mismatch: Mismatch, asked: Asked, redactions: BySide<Redaction>) {
  const evidence = sides.flatMap((side) => {
    // The round in which the place was as the difference says.
    const answer = asked[side].find(({ observation }) => observation.get(mismatch.place) === mismatch[side]);
    if (answer?.exchange === undefined) return [];
    const path = pathAt(mismatch.place, answer.observation);
    return [evidenceOf(answer.exchange, redactions[side], { paths: path === undefined ? [] : [path] })];
  });
  const shown = (side: Side): unknown => {
    const value = mismatch[side]?.value;
    if (value === undefined) return undefined;
    const text = redactions[side].redact(JSON.stringify(value));
    return text.length > longestValue ? `${text.slice(0, longestValue)}…` : JSON.parse(text);
  };
  return { ...given({ old: shown("old"), new: shown("new") }), evidence };
}
