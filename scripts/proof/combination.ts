import { createHash } from "node:crypto";
import { listChecksAtLimit } from "../../conformance/suite/all.ts";
import type { Fault, Variant } from "./fault.ts";
import { entryOf, faults, variants } from "./table.ts";

// What is tried together is named by its parts, as `price-string+long-cursors`, so that a name can be tried again.

const joint = "+";

/** What one trial changes of the reference service: at most one fault, and any number of variants. */
export type TrialKind = "honest" | "variant" | "fault" | "pair" | "set";

/** Something to try. */
export interface Candidate {
  readonly kind: TrialKind;
  /** A name of the tables, several joined by `+`, or `honest`. */
  readonly name: string;
}

/** A candidate, with the seed of the catalogue. */
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

/** The candidate of a name such as `price-string+long-cursors`; undefined when it is no combination that can be tried. */
export function combinationOf(name: string): Candidate | undefined {
  const names = name.split(joint);
  const count = names.filter((one) => faults.has(one)).length;
  const isKnown = names.every((one) => faults.has(one) || variants.has(one));
  if (names.length < 2 || count > 1 || !isKnown || new Set(names).size < names.length) return undefined;
  return { kind: count === 1 ? "pair" : "set", name };
}

/** So many different pairs of a fault and a variant, the same for the same seed. */
export function drawPairs(count: number, seed: number): Variation[] {
  return drawDistinct(count, seed, "pair", (draw) => [draw([...faults.keys()]), draw(drawable)]);
}

/** So many different sets of three variants, the same for the same seed. */
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
  const subjects = names.flatMap((name) => variants.get(name)?.subject ?? []);
  return new Set(names).size === names.length && new Set(subjects).size === subjects.length;
}

/** A number from 0 to below 1, the same for the same arguments. */
function fractionOf(...of: readonly (string | number)[]): number {
  return createHash("sha256").update(JSON.stringify(of)).digest().readUInt32BE() / 2 ** 32;
}

const checksAtLimit: ReadonlySet<string> = new Set(listChecksAtLimit());

/** Whether a fault or variant shows only when the rate limit is exceeded. */
export function isAtLimit(entry: Fault | Variant): boolean {
  return entry.atLimit === true || ("fails" in entry && entry.fails.some((id) => checksAtLimit.has(id)));
}

/** Of the trials that do not need the rate limit, one in so many exceeds it all the same. */
const exceedingAnyway = 20;

/** How much of the suite a trial runs. */
export type TrialScope = "whole suite" | "without the rate limit" | "rate limit alone";

/** How much of the suite a trial must run: all of it in a full proof, otherwise what its parts can touch. */
export function scopeOf(variation: Variation, { full }: { readonly full: boolean }): TrialScope {
  if (full) return "whole suite";
  if (partsOf(variation).variants.some(({ variant }) => variant.takesMinutes === true))
    return "rate limit alone";
  return exceedsLimit(variation) ? "whole suite" : "without the rate limit";
}

/** Whether a trial must exceed the rate limit, or was drawn to do so with the seed. */
function exceedsLimit(variation: Variation): boolean {
  const { fault, variants: around } = partsOf(variation);
  const entries = [...(fault === undefined ? [] : [fault.fault]), ...around.map(({ variant }) => variant)];
  return (
    variation.kind === "honest" ||
    entries.some(isAtLimit) ||
    fractionOf(variation.seed, "limit", variation.name) < 1 / exceedingAnyway
  );
}
