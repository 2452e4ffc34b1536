import { evidenceOf } from "../../conformance/client/evidence.ts";
import type { Redaction } from "../../conformance/client/redaction.ts";
import { given } from "../../schemas/json.ts";
import { chanceOfAtLeast } from "../load/shares.ts";
import type { Asked, Settled, Side } from "./answers.ts";
import type { Mismatch, SeenValue } from "./observation.ts";
import type { TwinDifference, TwinResult } from "./twin-result.ts";

/** What two equal deployments show with a lower probability is not chance. Each place is tested once, at the end of a run. */
export const improbable = 0.001;

interface Found extends Omit<TwinDifference, "count" | "total"> {
  readonly probes: Set<string>;
}

/** Differences at one place that were gone when asked again, and how often each deployment was the odd one. */
interface Passing extends Record<Side, number> {
  count: number;
}

/** The differences of a run, by kind of request and place: one that many responses show is one difference. */
export interface Differences {
  /** Adds what became of a probe that was asked again. */
  note(kind: string, probe: string, verdicts: readonly Settled[], asked: Asked): void;
  result(
    probesOf: (kind: string) => number,
  ): Pick<TwinResult["responses"], "differences" | "moved" | "ignored" | "passing">;
  count(): number;
}

/** Different times that are apart by the same offset of a time zone: the time is local, and written as UTC. */
const alikeOffsets = 3;
const zoneStep = 15 * 60 * 1000;
const farthestZone = 14 * 60 * 60 * 1000;
/** Longest value that is named; a longer one is in the evidence. */
const longestValue = 200;

export function collectDifferences(redactions: Readonly<Record<Side, Redaction>>): Differences {
  const found = new Map<string, Found>();
  const moved = new Map<string, number>();
  const offsets = new Map<string, Set<number>>();
  const ignored = new Set<string>();
  const passing = new Map<string, Passing>();

  function add(
    kind: string,
    probe: string,
    { change, mismatch }: Pick<Settled & { is: "different" }, "change" | "mismatch">,
    asked: Asked,
  ): void {
    const path = mismatch.old?.pattern ?? mismatch.new?.pattern ?? "";
    const key = JSON.stringify([kind, change, path]);
    const known = found.get(key);
    if (known !== undefined) {
      known.probes.add(probe);
      return;
    }
    found.set(key, {
      request: kind,
      change,
      path,
      ...shownValue("old", mismatch.old),
      ...shownValue("new", mismatch.new),
      probes: new Set([probe]),
      evidence: evidence(asked, mismatch),
    });
  }

  /** A difference that passes is none, unless the new deployment alone is the odd one again and again. */
  function notePassing(
    kind: string,
    probe: string,
    verdict: Settled & { is: "passing" },
    asked: Asked,
  ): void {
    const key = JSON.stringify([kind, verdict.pattern]);
    const times = passing.get(key) ?? { old: 0, new: 0, count: 0 };
    times.count++;
    if (verdict.odd !== undefined) times[verdict.odd]++;
    passing.set(key, times);
    const isSystematic = chanceOfAtLeast(times.new, times.old + times.new, 1 / 2) <= improbable;
    if (isSystematic) add(kind, probe, { change: "varies", mismatch: verdict.mismatch }, asked);
  }

  /** Data of different times are not all apart by the same: then the times are written differently. */
  function noteMoved(kind: string, probe: string, verdict: Settled & { is: "moved" }, asked: Asked): void {
    const { pattern, mismatch } = verdict;
    moved.set(pattern, (moved.get(pattern) ?? 0) + 1);
    const [before, after] = [mismatch.old?.value, mismatch.new?.value].map((time) =>
      Date.parse(String(time)),
    );
    if (before === undefined || after === undefined || !pattern.endsWith("/last_updated")) return;
    if ((after - before) % zoneStep !== 0 || Math.abs(after - before) > farthestZone) return;
    const key = JSON.stringify([kind, pattern, after - before]);
    const times = offsets.get(key) ?? new Set();
    offsets.set(key, times.add(before));
    if (times.size >= alikeOffsets) add(kind, probe, { change: "value", mismatch }, asked);
  }

  function shownValue(side: Side, fact: SeenValue | undefined): { readonly [side in Side]?: unknown } {
    if (fact?.value === undefined) return {};
    const text = redactions[side].redact(JSON.stringify(fact.value));
    return { [side]: text.length > longestValue ? `${text.slice(0, longestValue)}…` : JSON.parse(text) };
  }

  function evidence({ old, new: now }: Asked, mismatch: Mismatch) {
    const of = (side: Side, answers: Asked[Side]) => {
      // The round in which the place was as the difference says.
      const answer = answers.find(({ observation }) =>
        [...observation.values()].some((fact) => fact === mismatch[side]),
      );
      const { exchanges = [] } = answer ?? answers[0] ?? {};
      const exchange = exchanges[(mismatch.old ?? mismatch.new)?.page ?? 0] ?? exchanges.at(-1);
      const path = mismatch[side]?.path;
      return exchange === undefined
        ? []
        : [evidenceOf(exchange, redactions[side], given({ paths: path === undefined ? undefined : [path] }))];
    };
    return [...of("old", old), ...of("new", now)];
  }

  return {
    note(kind, probe, verdicts, asked) {
      for (const verdict of verdicts) {
        switch (verdict.is) {
          case "different":
            add(kind, probe, verdict, asked);
            break;
          case "moved":
            noteMoved(kind, probe, verdict, asked);
            break;
          case "ignored":
            ignored.add(verdict.pattern);
            break;
          case "passing":
            notePassing(kind, probe, verdict, asked);
            break;
          default:
            verdict satisfies never;
        }
      }
    },
    result: (probesOf) => ({
      differences: [...found.values()].map(({ probes, ...one }) => ({
        ...one,
        count: probes.size,
        total: probesOf(one.request),
      })),
      moved: [...moved].map(([path, count]) => ({ path, count })),
      ignored: [...ignored],
      passing: passing.values().reduce((sum, { count }) => sum + count, 0),
    }),
    count: () => found.size,
  };
}
