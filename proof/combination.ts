import { createHash } from "node:crypto";
import { listChecksAtLimit } from "../conformance/suite/all.ts";
import type { Fault, Variant } from "./fault.ts";
import { entryOf, faults, variants } from "./table.ts";

// A combination is named after its parts, for example `price-string+long-cursors`, so that it can be repeated by name.

const joint = "+";

/** What a trial changes in the reference service; a pair is a fault with variants, a set several variants. */
export type TrialKind = "honest" | "variant" | "fault" | "pair" | "set";

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
  return { kind: count === 1 ? "pair" : "set", name };
}

/** Draws `count` different pairs of a fault and a variant. The same seed draws the same pairs. */
export function drawPairs(count: number, seed: number): Variation[] {
  return drawDistinct(count, seed, "pair", (draw) => [draw([...faults.keys()]), draw(drawable)]);
}

/** Draws `count` different sets of three variants. The same seed draws the same sets. */
export function drawSets(count: number, seed: number): Variation[] {
  return drawDistinct(count, seed, "set", (draw) => [draw(drawable), draw(drawable), draw(drawable)]);
}

const drawable = [...variants].flatMap(([name, { takesMinutes }]) => (takesMinutes === true ? [] : [name]));

type Draw = (names: readonly string[]) => string;

function drawDistinct(
  count: number,
  seed: number,
  kind: "pair" | "set",
  make: (draw: Draw) => string[],
): Variation[] {
  const drawn = new Map<string, Variation>();
  for (let turn = 0; drawn.size < count; turn++) {
    let place = 0;
    const draw: Draw = (names) =>
      names[Math.floor(fractionOf(seed, kind, turn, place++) * names.length)] ?? "";
    const names = make(draw);
    if (!areCombinable(names)) continue;
    drawn.set([...names].sort().join(joint), { kind, name: names.join(joint), seed });
  }
  return [...drawn.values()];
}

function areCombinable(names: readonly string[]): boolean {
  const subjects = names.flatMap((name) => (variants.get(name) ?? faults.get(name))?.subject ?? []);
  return new Set(names).size === names.length && new Set(subjects).size === subjects.length;
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

/** The part of the suite that a trial runs: everything in a full proof, otherwise what its parts can affect. */
export function scopeOf(variation: Variation, { full }: { readonly full: boolean }): TrialScope {
  if (full) return "whole suite";
  if (partsOf(variation).variants.some(({ variant }) => variant.takesMinutes === true))
    return "rate limit alone";
  return exceedsLimit(variation) ? "whole suite" : "without the rate limit";
}

/** Whether a trial needs to exceed the rate limit, or the seed selects it to do so. */
function exceedsLimit(variation: Variation): boolean {
  const { fault, variants: around } = partsOf(variation);
  const entries = [...(fault === undefined ? [] : [fault.fault]), ...around.map(({ variant }) => variant)];
  return (
    variation.kind === "honest" ||
    entries.some(isAtLimit) ||
    fractionOf(variation.seed, "limit", variation.name) < 1 / exceedingAnyway
  );
}
