import { evidenceOf } from "../../conformance/client/evidence.ts";
import { type Redaction, redactValue } from "../../conformance/client/redaction.ts";
import { shiftInMinutes } from "../../conformance/suite/same-product.ts";
import { given } from "../../schemas/json.ts";
import { isUtcTimestamp } from "../../schemas/product-values.ts";
import { clip } from "../../schemas/words/format.ts";
import { chanceOfAtLeast } from "../load/limits.ts";
import { type Mismatch, mismatches, type SeenValue, statusPlace, type TwinAnswer } from "./deployment.ts";
import type { TwinProbe } from "./probes.ts";
import { type BySide, notes, type Side, sides, type TwinDifference } from "./twin-result.ts";

/** The responses to one request, sent to both once or several times. */
export type Rounds = readonly [BySide<TwinAnswer>, ...BySide<TwinAnswer>[]];
type Change = TwinDifference["change"];

/** What two equal deployments show with a lower probability is not chance. */
const improbable = 0.001;
/** A value that is never the same at both weighs as much as so many that are the same when asked again. */
const neverTheSame = 10;
/** Longest value that is named; a longer one is in the evidence. */
const longestValue = 200;

/** A change of a field, and who showed it. */
interface Found {
  readonly change: Change;
  readonly field: string;
  readonly example: Omit<TwinDifference, "change" | "requests">;
  readonly probes: Set<TwinProbe>;
  /** How often it was seen. */
  weight: number;
  /** Of `last_updated`: at the old deployment, and at the new one. */
  readonly times: [number, number][];
}

/** One difference for each change of a field, in all kinds of request that show it. */
export function collectDifferences(redactions: BySide<Redaction>) {
  const found = new Map<string, Found>();
  /** Fields that the old deployment returns somewhere. */
  const oldFields = new Set<string>();

  /** Returns whether the difference was gone when asked again. */
  function note(probe: TwinProbe, mismatch: Mismatch, rounds: Rounds): boolean {
    const { place, old, new: now } = mismatch;
    const path = (old ?? now)?.pattern ?? place;
    const { change, isGone } = verdictOf(mismatch, rounds);
    const varying = found.get(`varies ${fieldOf(path)}`) ?? found.get(`unstable ${fieldOf(path)}`);
    // One round says nothing more about a value that varies.
    if (rounds.length === 1 && varying !== undefined) {
      varying.probes.add(probe);
      return false;
    }
    // A status that stays is no example of another one.
    const field = path === statusPlace && change === "value" ? `${old?.is} ${now?.is}` : fieldOf(path);
    const one: Found = found.get(`${change} ${field}`) ?? {
      ...{ change, field, probes: new Set(), weight: 0, times: [] },
      example: { request: probe.kind, path, ...exampleOf(mismatch, rounds[0], redactions) },
    };
    found.set(`${change} ${field}`, one);
    one.probes.add(probe);
    one.weight += isGone ? 1 : neverTheSame;
    one.times.push([Date.parse(String(old?.value)), Date.parse(String(now?.value))]);
    return isGone;
  }

  /** A field that only some responses lacked before is no new one, nor is one more item of a list. */
  function isNew({ example: { path } }: Found): boolean {
    return !path.endsWith("*") && !oldFields.has(fieldOf(path));
  }

  /** Where the new deployment alone varies in a field, another value may stay for some rounds by chance. */
  function joinWithVarying(): void {
    for (const [key, one] of found) {
      const { change, field, probes, times } = one;
      const isJoined = change === "value" || (change === "extra" && isNew(one));
      const varying = isJoined ? found.get(`varies ${field}`) : undefined;
      if (varying === undefined) continue;
      found.delete(key);
      varying.weight += times.length;
      for (const probe of probes) varying.probes.add(probe);
    }
  }

  /** Only in the end it is known what the old deployment returns, and how often either one varies. */
  function finalChange(one: Found): Change {
    const { change, example, weight, times } = one;
    if (isNew(one)) return "added";
    // Data of different times are not all apart by the same.
    if (change === "moved" && shiftInMinutes(times) !== undefined) return "shifted";
    // What the old deployment varies in more often than it differs is no measure.
    const atOld = found.get(`unstable ${fieldOf(example.path)}`)?.weight ?? 0;
    const isChance = change === "varies" && chanceOfAtLeast(weight, weight + atOld, 1 / 2) > improbable;
    return isChance || atOld > weight ? "unstable" : change;
  }

  return {
    /** Notes the differences of the first two responses, judged by all. Returns whether one was gone again. */
    add(probe: TwinProbe, rounds: Rounds): boolean {
      const [{ old, new: now }] = rounds;
      for (const { pattern } of old.observation.values()) oldFields.add(fieldOf(pattern));
      const differing = mismatches(old.observation, now.observation);
      return differing.map((mismatch) => note(probe, mismatch, rounds)).includes(true);
    },
    /** @param asked The different requests that were sent. */
    result(asked: ReadonlySet<TwinProbe>): Record<"differences" | "notes", TwinDifference[]> {
      joinWithVarying();
      const sent = Map.groupBy(asked, ({ kind }) => kind);
      const all = [...found.values()].map((one): TwinDifference => {
        const requests = [...Map.groupBy(one.probes, ({ kind }) => kind)].map(([request, shown]) => {
          return { request, count: shown.length, total: sent.get(request)?.length ?? 0 };
        });
        return { change: finalChange(one), ...one.example, requests };
      });
      const isNote = ({ change }: TwinDifference) => change in notes;
      return {
        differences: all.filter((one) => !isNote(one)),
        notes: all.filter(isNote).map((one) => ({ ...one, evidence: [] })),
      };
    },
  };
}

/** The place within the last item of a list: a field of a product is the same wherever the product is. */
function fieldOf(path: string): string {
  const at = path.lastIndexOf("/*/");
  return at < 0 ? path : path.slice(at + "/*".length);
}

/** Judges one place, after both deployments were asked in turn several times. */
function verdictOf(
  mismatch: Mismatch,
  rounds: Rounds,
): { readonly change: Change; readonly isGone: boolean } {
  const { place } = mismatch;
  const seen = (side: Side) => rounds.map((round) => round[side].observation.get(place));
  const [old, now] = [seen("old"), seen("new")];
  const [oldVaries, newVaries] = [old, now].map((all) => new Set(all.map((one) => one?.is)).size > 1);
  const isGone = old.some((one, round) => one?.is === now[round]?.is);
  const types = new Set(old.map(typeOf));
  // What the old deployment returns differently each time is no measure, unless the new type is another.
  if (oldVaries && now.some((value) => types.has(typeOf(value)))) return { change: "unstable", isGone };
  if (!oldVaries && isOfAnotherTime(place, rounds[0])) return { change: "moved", isGone };
  if (!oldVaries && newVaries) return { change: "varies", isGone };
  const oneSided = mismatch.old === undefined ? "extra" : mismatch.new === undefined ? "missing" : undefined;
  return { change: oneSided ?? "value", isGone };
}

function typeOf(seen: SeenValue | undefined): string {
  if (seen === undefined) return "missing";
  return seen.value === null ? "null" : typeof seen.value;
}

const movingFields: readonly string[] = ["last_updated", "price", "availability"];

/**
 * Whether a product's field differs because the data are of different times: so does its `last_updated`, the
 * freshness signal (spec, Product). Price and availability may then, nothing else.
 */
function isOfAnotherTime(place: string, { old, new: now }: BySide<TwinAnswer>): boolean {
  const end = place.lastIndexOf("/") + 1;
  const [time, other] = [old, now].map((one) => one.observation.get(`${place.slice(0, end)}last_updated`));
  const [id, otherId] = [old, now].map((one) => one.observation.get(`${place.slice(0, end)}product_id`));
  const [value, otherValue] = [old, now].map(({ observation }) => observation.get(place));
  const areTimes = [time, other].every((one) => typeof one?.value === "string" && isUtcTimestamp(one.value));
  const isMoved = areTimes && time?.is !== other?.is && typeOf(value) === typeOf(otherValue);
  return isMoved && id?.is === otherId?.is && movingFields.includes(place.slice(end));
}

/** Both values of a difference, and the exchanges that show them. */
function exampleOf(
  { place, ...values }: Mismatch,
  answers: BySide<TwinAnswer>,
  redactions: BySide<Redaction>,
): Pick<TwinDifference, Side | "evidence"> {
  const end = place.lastIndexOf("/");
  const evidence = sides.flatMap((side) => {
    const { observation, exchange } = answers[side];
    const holder = observation.get(place.slice(0, end));
    // Of what is missing, where it would be.
    const path = values[side]?.path ?? (holder && holder.path + place.slice(end));
    const paths = end < 0 || path === undefined ? [] : [path];
    return exchange === undefined ? [] : [evidenceOf(exchange, redactions[side], { paths })];
  });
  const shown = (side: Side): unknown => {
    const value = redactValue(values[side]?.value, redactions[side]);
    const text = JSON.stringify(value) ?? "";
    return text.length > longestValue ? clip(text, longestValue) : value;
  };
  return { ...given({ old: shown("old"), new: shown("new") }), evidence };
}
