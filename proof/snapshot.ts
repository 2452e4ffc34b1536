import { requirementOf } from "./changes/entry.ts";
import type { ExpectedFailures, Trial } from "./trial.ts";

/** What fails with each fault on the fixed seeds, for review: whatever a change makes fail more or less is a line of its diff. */
export const snapshotFile = new URL("found.snapshot.txt", import.meta.url);

/** The seeds of the catalogs that the snapshot is made of. */
export const fixedSeeds: readonly number[] = [1, 2];

/** When a requirement fails: in each run, in some runs, or in each run on one of the fixed seeds only. */
type Occurrence = "always" | "at times" | number;

/** The requirements that fail with each fault. */
export type Snapshot = ReadonlyMap<string, ReadonlyMap<string, Occurrence>>;

/** What the snapshot says of a fault; undefined on seeds of which it says nothing. */
export function expectedOf(snapshot: Snapshot, name: string, seed: number): ExpectedFailures | undefined {
  if (!fixedSeeds.includes(seed)) return undefined;
  const found = [...(snapshot.get(name) ?? [])];
  const ids = (...occurrences: Occurrence[]) =>
    found.flatMap(([id, occurrence]) => (occurrences.includes(occurrence) ? [id] : []));
  return { always: ids("always", seed), atTimes: ids("at times") };
}

/**
 * The snapshot with what failed in these trials. A requirement that failed in one of two attempts only comes and goes. That
 * is kept until somebody deletes the mark: one run cannot show that it fails always.
 */
export function updatedSnapshot(snapshot: Snapshot, trials: readonly Trial[]): Snapshot {
  const judged = trials.filter(({ kind, verdict }) => kind === "fault" && verdict !== "harness-error");
  const updated = new Map(snapshot);
  for (const [name, tried] of Map.groupBy(judged, (trial) => trial.name)) {
    updated.set(name, new Map(occurrences(snapshot.get(name) ?? new Map(), name, tried)));
  }
  return updated;

  function* occurrences(
    before: ReadonlyMap<string, Occurrence>,
    name: string,
    tried: readonly Trial[],
  ): Generator<[string, Occurrence]> {
    const attempts = tried.map(({ seed, failed, failedBefore = failed }) => ({
      seed,
      last: new Set(failed.map(requirementOf)),
      first: new Set(failedBefore.map(requirementOf)),
    }));
    const ids = new Set([...before.keys(), ...attempts.flatMap(({ first, last }) => [...first, ...last])]);
    for (const id of [...ids].toSorted()) {
      const comesAndGoes = attempts.some(({ first, last }) => first.has(id) !== last.has(id));
      const seeds = fixedSeeds.filter((seed) => {
        const attempt = attempts.find((one) => one.seed === seed);
        return attempt?.last.has(id) ?? expectedOf(snapshot, name, seed)?.always.includes(id);
      });
      const [seed] = seeds;
      if (before.get(id) === "at times" || comesAndGoes) yield [id, "at times"];
      else if (seed !== undefined) yield [id, seeds.length === fixedSeeds.length ? "always" : seed];
    }
  }
}

const head = `# What fails with each fault on the seeds ${fixedSeeds.join(" and ")}; with a variant, nothing does.
# ?id comes and goes between runs; id@${fixedSeeds[0]} fails on that seed only.
# Written by npm run proof -- --update, which keeps each ?: delete it by hand to have it judged again.
`;

/** The text of the file: a line for each fault and variant. */
export function snapshotText(
  snapshot: Snapshot,
  { faults, variants }: { readonly faults: Iterable<string>; readonly variants: Iterable<string> },
): string {
  const spelled = ([id, occurrence]: [string, Occurrence]) =>
    occurrence === "always" ? id : occurrence === "at times" ? `?${id}` : `${id}@${occurrence}`;
  const lines = [
    ...[...faults].map((name) =>
      [`fault ${name}:`, ...[...(snapshot.get(name) ?? [])].map(spelled)].join(" "),
    ),
    ...[...variants].map((name) => `variant ${name}: nothing`),
  ];
  return `${head}${lines.toSorted().join("\n")}\n`;
}

/** Reads the text of the file. */
export function parseSnapshot(text: string): Snapshot {
  const lines = text.split("\n").filter((line) => line.startsWith("fault "));
  return new Map(
    lines.map((line) => {
      const [, name = "", ...found] = line.split(/:? /);
      return [name.replace(/:$/, ""), new Map(found.map(parsedEntry))];
    }),
  );
}

function parsedEntry(text: string): [string, Occurrence] {
  const [id = "", seed] = text.replace(/^\?/, "").split("@");
  if (text.startsWith("?")) return [id, "at times"];
  return [id, seed === undefined ? "always" : Number(seed)];
}
