import { evidenceOf } from "../../conformance/client/evidence.ts";
import { type Redaction, redactValue } from "../../conformance/client/redaction.ts";
import { shiftInMinutes } from "../../conformance/suite/same-product.ts";
import { given } from "../../schemas/json.ts";
import { isUtcTimestamp } from "../../schemas/product-values.ts";
import { clip } from "../../schemas/words/format.ts";
import { chanceOfAtLeast } from "../load/limits.ts";
import { type Mismatch, type SeenValue, statusPlace, type TwinAnswer } from "./deployment.ts";
import type { TwinProbe } from "./probes.ts";
import { type BySide, notes, type Side, sides, type TwinDifference } from "./twin-result.ts";

/** The responses of both deployments to one request, in the order in which they were asked. */
export type Asked = BySide<readonly TwinAnswer[]>;
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
  /** Of `last_updated`, by the time at the old deployment: that at the new one. */
  readonly times: Map<number, number>;
}

/** One difference for each change of a field, in all kinds of request that show it. */
export function collectDifferences(redactions: BySide<Redaction>) {
  const found = new Map<string, Found>();
  /** Fields that the old deployment returns somewhere. */
  const oldFields = new Set<string>();

  /** Returns whether the difference was gone when asked again. */
  function note(probe: TwinProbe, mismatch: Mismatch, asked: Asked): boolean {
    const { place, old, new: now } = mismatch;
    const path = (old ?? now)?.pattern ?? place;
    const { change, isGone } = verdictOf(mismatch, asked);
    const isVarying = (field: string) => found.has(`varies ${field}`) || found.has(`unstable ${field}`);
    // One round says nothing about a value that varies.
    if (asked.old.length === 1 && isVarying(fieldOf(path))) return false;
    // A status that stays is no example of another one.
    const field = path === statusPlace && change === "value" ? `${old?.is} ${now?.is}` : fieldOf(path);
    const one: Found = found.get(`${change} ${field}`) ?? {
      ...{ change, field, example: { request: probe.kind, path, ...exampleOf(mismatch, asked, redactions) } },
      ...{ probes: new Set(), weight: 0, times: new Map() },
    };
    found.set(`${change} ${field}`, one);
    one.probes.add(probe);
    one.weight += isGone ? 1 : neverTheSame;
    if (path.endsWith("/last_updated"))
      one.times.set(Date.parse(String(old?.value)), Date.parse(String(now?.value)));
    return isGone;
  }

  /** Only in the end it is known what the old deployment returns, and how often either one varies. */
  function finalChange({ change, example: { path }, field, weight, times }: Found): Change {
    // A field that only some responses lacked before is no new one, nor is one more item of a list.
    if (change === "extra" && !path.endsWith("*") && !oldFields.has(field)) return "added";
    // Data of different times are not all apart by the same.
    if (change === "moved" && shiftInMinutes([...times]) !== undefined) return "shifted";
    const atOld = found.get(`unstable ${field}`)?.weight ?? 0;
    const isChance = chanceOfAtLeast(weight, weight + atOld, 1 / 2) > improbable;
    return change === "varies" && isChance ? "unstable" : change;
  }

  return {
    /**
     * Notes the differences of the first two responses, judged by all. Returns whether one was gone when asked
     * again.
     */
    add(probe: TwinProbe, differing: readonly Mismatch[], asked: Asked): boolean {
      for (const { pattern } of asked.old[0]?.observation.values() ?? []) oldFields.add(fieldOf(pattern));
      return differing.map((mismatch) => note(probe, mismatch, asked)).includes(true);
    },
    /** @param asked The different requests that were sent. */
    result(asked: ReadonlySet<TwinProbe>): Record<"differences" | "notes", TwinDifference[]> {
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
function verdictOf(mismatch: Mismatch, asked: Asked): { readonly change: Change; readonly isGone: boolean } {
  const { place } = mismatch;
  const [old, now] = sides.map((side) => asked[side].map(({ observation }) => observation.get(place))) as [
    Seen[],
    Seen[],
  ];
  const [oldVaries, newVaries] = [old, now].map((all) => new Set(all.map((one) => one?.is)).size > 1);
  const isGone = old.some((one, round) => one?.is === now[round]?.is);
  const types = new Set(old.map(typeOf));
  // What the old deployment returns differently each time is no measure, unless the new type is another.
  if (oldVaries && now.some((value) => types.has(typeOf(value)))) return { change: "unstable", isGone };
  if (!oldVaries && isOfAnotherTime(place, asked)) return { change: "moved", isGone };
  if (!oldVaries && newVaries) return { change: "varies", isGone };
  const oneSided = mismatch.old === undefined ? "extra" : mismatch.new === undefined ? "missing" : undefined;
  return { change: oneSided ?? "value", isGone };
}

type Seen = SeenValue | undefined;

function typeOf(seen: Seen): string {
  if (seen === undefined) return "missing";
  return seen.value === null ? "null" : typeof seen.value;
}

const movingFields: readonly string[] = ["last_updated", "price", "availability"];

/**
 * Whether a product's field differs because the data are of different times: in the end, so does its
 * `last_updated`, the freshness signal (spec, Product). Price and availability may then, nothing else.
 */
function isOfAnotherTime(place: string, asked: Asked): boolean {
  const end = place.lastIndexOf("/") + 1;
  if (!movingFields.includes(place.slice(end))) return false;
  const [before, after] = sides.map((side) => asked[side].at(-1)?.observation);
  const [time, other] = [before, after].map((seen) => seen?.get(`${place.slice(0, end)}last_updated`));
  const areTimes = [time, other].every((one) => typeof one?.value === "string" && isUtcTimestamp(one.value));
  return areTimes && time?.is !== other?.is && typeOf(before?.get(place)) === typeOf(after?.get(place));
}

/** Both values of a difference, and the exchanges that show them. */
function exampleOf({ place, ...values }: Mismatch, asked: Asked, redactions: BySide<Redaction>) {
  const end = place.lastIndexOf("/");
  const evidence = sides.flatMap((side) => {
    const { observation, exchange } = asked[side][0] ?? {};
    const holder = observation?.get(place.slice(0, end));
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
