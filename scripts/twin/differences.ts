import { evidenceOf } from "../../conformance/client/evidence.ts";
import type { Redaction } from "../../conformance/client/redaction.ts";
import { given } from "../../schemas/json.ts";
import { chanceOfAtLeast } from "../load/shares.ts";
import { type Asked, type Settled, type Side, sides } from "./answers.ts";
import type { Mismatch } from "./observation.ts";
import { fieldOf, type TwinDifference, type TwinResult } from "./twin-result.ts";

/** What two equal deployments show with a lower probability is not chance. */
export const improbable = 0.001;

/** Times that are apart by the same offset of a time zone in so many products: a local time that is written as UTC. */
const alikeOffsets = 3;
const zoneStep = 15 * 60 * 1000;
const farthestZone = 14 * 60 * 60 * 1000;
/** Longest value that is named; a longer one is in the evidence. */
const longestValue = 200;

type Found = Omit<TwinDifference, "count" | "total"> & { readonly probes: Set<string> };

/** What became of the probes that were asked again: one difference for each kind of request and place. */
export function collectDifferences(redactions: Readonly<Record<Side, Redaction>>) {
  const found = new Map<string, Found>();
  const moved = new Map<string, number>();
  const offsets = new Map<string, Set<number>>();
  const ignored = new Set<string>();
  const passing = new Map<string, Record<Side | "count", number>>();
  /** Fields that the old deployment returns somewhere. */
  const oldFields = new Set<string>();

  function note(request: string, probe: string, { mismatch, is, odd }: Settled, asked: Asked): void {
    const path = (mismatch.old ?? mismatch.new)?.pattern ?? mismatch.place;
    const add = (change: TwinDifference["change"]) => {
      const key = JSON.stringify([request, change, path]);
      const known = found.get(key) ?? {
        request,
        change,
        path,
        ...exampleOf(mismatch, asked, redactions),
        probes: new Set(),
      };
      found.set(key, known);
      known.probes.add(probe);
    };
    if (is === "ignored") ignored.add(path);
    else if (is === "moved") {
      moved.set(path, (moved.get(path) ?? 0) + 1);
      if (isOfAnotherZone(path, mismatch)) add("value");
    } else if (is === "passing") {
      const key = JSON.stringify([request, path]);
      const times = passing.get(key) ?? { old: 0, new: 0, count: 0 };
      passing.set(key, times);
      times.count++;
      if (odd !== undefined) times[odd]++;
      // It is none, unless the new deployment alone is the odd one again and again.
      if (chanceOfAtLeast(times.new, times.old + times.new, 1 / 2) <= improbable) add("varies");
    }
    // One round says nothing about a value that varies at the old deployment.
    else if (asked.old.length > 1 || !ignored.has(path)) add(is);
  }

  /** Data of different times are not all apart by the same. */
  function isOfAnotherZone(path: string, mismatch: Mismatch): boolean {
    if (!path.endsWith("/last_updated")) return false;
    const [before, after] = sides.map((side) => Date.parse(String(mismatch[side]?.value))) as [
      number,
      number,
    ];
    const offset = after - before;
    if (offset % zoneStep !== 0 || Math.abs(offset) > farthestZone) return false;
    const key = `${path} ${offset}`;
    const times = (offsets.get(key) ?? new Set()).add(before);
    offsets.set(key, times);
    return times.size >= alikeOffsets;
  }

  return {
    /** Notes what the old deployment returns, for what is new. */
    see({ old }: Asked): void {
      for (const { observation } of old)
        for (const { pattern } of observation.values()) oldFields.add(fieldOf(pattern));
    },
    note,
    result(
      probesOf: (kind: string) => number,
    ): Pick<TwinResult["responses"], "differences" | "additions" | "moved" | "ignored" | "passing"> {
      const all = [...found.values()].map(({ probes, ...one }) => ({
        ...one,
        count: probes.size,
        total: probesOf(one.request),
      }));
      // A field that only some responses lacked before is no new one, nor is one more item of a list.
      const isNew = ({ change, path }: TwinDifference) =>
        change === "added" && !path.endsWith("*") && !oldFields.has(fieldOf(path));
      return {
        differences: all.filter((one) => !isNew(one)),
        additions: all.filter(isNew),
        moved: [...moved].map(([path, count]) => ({ path, count })),
        ignored: [...ignored],
        passing: passing.values().reduce((sum, { count }) => sum + count, 0),
      };
    },
  };
}

/** Both values of a difference, and the exchanges that show them. */
function exampleOf(mismatch: Mismatch, asked: Asked, redactions: Readonly<Record<Side, Redaction>>) {
  const evidence = sides.flatMap((side) => {
    // The round in which the place was as the difference says.
    const answer = asked[side].find(({ observation }) =>
      observation.values().some((seen) => seen === mismatch[side]),
    );
    const { exchanges = [] } = answer ?? asked[side][0] ?? {};
    const exchange = exchanges[(mismatch.old ?? mismatch.new)?.page ?? 0] ?? exchanges.at(-1);
    const path = mismatch[side]?.path;
    const places = given({ paths: path === undefined ? undefined : [path] });
    return exchange === undefined ? [] : [evidenceOf(exchange, redactions[side], places)];
  });
  const shown = (side: Side): unknown => {
    const value = mismatch[side]?.value;
    if (value === undefined) return undefined;
    const text = redactions[side].redact(JSON.stringify(value));
    return text.length > longestValue ? `${text.slice(0, longestValue)}…` : JSON.parse(text);
  };
  return { ...given({ old: shown("old"), new: shown("new") }), evidence };
}
