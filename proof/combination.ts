import { createHash } from "node:crypto";
import { listChecksAtLimit } from "../conformance/suite/all.ts";
import type { Fault, Variant } from "./changes/entry.ts";
import { entryOf, faults, variants } from "./table.ts";

// A combination is named after its parts, for example `price-string+long-cursors`, so that it can be repeated by name.

const joint = "+";

/** What a trial changes in the reference service: nothing, variants, a fault, or a fault and variants. */
export type TrialKind = "honest" | "variant" | "fault" | "pair";

/** Something to try. */
export interface Candidate {
  readonly kind: TrialKind;
  /** A name of the tables, several joined by `+`, or `honest`. */
  readonly name: string;
}

/** A candidate, with the seed of the catalog. */
export interface Variation extends Candidate {
  readonly seed: number;
}

/** The table entries of a candidate. */
export interface Parts {
  readonly fault: { readonly name: string; readonly fault: Fault } | undefined;
  readonly variants: readonly { readonly name: string; readonly variant: Variant }[];
}

/** The table entries that a candidate combines. */
export function partsOf({ kind, name }: Candidate): Parts {
  const names = kind === "honest" ? [] : name.split(joint);
  const [fault] = names.filter((one) => faults.has(one));
  return {
    fault: fault === undefined ? undefined : { name: fault, fault: entryOf(faults, fault) },
    variants: names
      .filter((one) => one !== fault)
      .map((one) => ({ name: one, variant: entryOf(variants, one) })),
  };
}

/** The candidate for a name such as `price-string+long-cursors`; undefined if the name is not a combination. */
export function combinationOf(name: string): Candidate | undefined {
  const names = name.split(joint);
  const count = names.filter((one) => faults.has(one)).length;
  const isKnown = names.every((one) => faults.has(one) || variants.has(one));
  if (names.length < 2 || count > 1 || !isKnown || new Set(names).size < names.length) return undefined;
  return { kind: count === 1 ? "pair" : "variant", name };
}

/** Draws `count` different pairs of a fault and a variant. The same seed draws the same pairs. */
export function drawPairs(count: number, seed: number): Variation[] {
  const drawn = new Map<string, Variation>();
  for (let turn = 0; drawn.size < count; turn++) {
    const draw = (place: number, names: readonly string[]) =>
      names[Math.floor(fractionOf(seed, "pair", turn, place) * names.length)] ?? "";
    const [fault, variant] = [draw(0, [...faults.keys()]), draw(1, drawable)];
    const name = [fault, variant].join(joint);
    if (areCombinable(fault, variant)) drawn.set(name, { kind: "pair", name, seed });
  }
  return [...drawn.values()];
}

const drawable = [...variants].flatMap(([name, { takesMinutes }]) => (takesMinutes === true ? [] : [name]));

function areCombinable(fault: string, variant: string): boolean {
  const subject = faults.get(fault)?.subject;
  return subject === undefined || subject !== variants.get(variant)?.subject;
}

/** A pseudorandom number in [0, 1) that depends only on the arguments. */
function fractionOf(...of: readonly (string | number)[]): number {
  return createHash("sha256").update(JSON.stringify(of)).digest().readUInt32BE() / 2 ** 32;
}

const checksAtLimit: ReadonlySet<string> = new Set(listChecksAtLimit());

/** Whether a fault or variant can be judged only when the rate limit is exceeded. */
export function isAtLimit(entry: Fault | Variant): boolean {
  return entry.atLimit === true || ("fails" in entry && entry.fails.some((id) => checksAtLimit.has(id)));
}

/** One in this many of the trials that do not need the rate limit exceeds it anyway. */
const exceedingAnyway = 20;

/** How much of the suite a trial runs. */
export type TrialScope = "whole suite" | "without the rate limit" | "rate limit alone";

/** The part of the suite that a trial runs: what its parts can affect. */
export function scopeOf(variation: Variation): TrialScope {
  const { fault, variants: around } = partsOf(variation);
  if (around.some(({ variant }) => variant.takesMinutes === true)) return "rate limit alone";
  const entries = [...(fault === undefined ? [] : [fault.fault]), ...around.map(({ variant }) => variant)];
  const exceedsLimit =
    variation.kind === "honest" ||
    entries.some(isAtLimit) ||
    fractionOf(variation.seed, "limit", variation.name) < 1 / exceedingAnyway;
  return exceedsLimit ? "whole suite" : "without the rate limit";
}
