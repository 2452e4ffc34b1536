import { requirementOf } from "./changes/entry.ts";
import type { ExpectedFailures, Trial } from "./trial.ts";

/** What fails with each fault: its diff shows what a change makes fail more or less. */
export const snapshotFile = new URL("found.snapshot.txt", import.meta.url);

/** The requirements that fail with each fault. */
export type Snapshot = ReadonlyMap<string, ExpectedFailures>;

const nothing: ExpectedFailures = { always: [], atTimes: [] };

/** What the snapshot says of a fault or variant. */
export function expectedOf(snapshot: Snapshot, name: string): ExpectedFailures {
  return snapshot.get(name) ?? nothing;
}

/**
 * With what failed in these trials. A requirement that failed in one of two attempts only comes and goes,
 * until somebody deletes the mark: one run cannot show that it always fails.
 */
export function updatedSnapshot(snapshot: Snapshot, trials: readonly Trial[]): Snapshot {
  const updated = new Map(snapshot);
  for (const { kind, name, verdict, failed, failedBefore = failed } of trials) {
    if (kind !== "fault" || verdict === "harness-error") continue;
    const [last, first] = [new Set(failed.map(requirementOf)), new Set(failedBefore.map(requirementOf))];
    const marked = snapshot.get(name)?.atTimes ?? [];
    const atTimes = first.symmetricDifference(last).union(new Set(marked));
    updated.set(name, { always: [...last.difference(atTimes)], atTimes: [...atTimes] });
  }
  return updated;
}

const head = `# What fails with each fault; with a variant, nothing does. ?id comes and goes between runs.
# Written by npm run proof -- --update, which keeps each ?: delete it by hand to have it judged again.
`;

/** The text of the file: a line for each of these faults. */
export function snapshotText(snapshot: Snapshot, faults: Iterable<string>): string {
  const lines = [...faults].map((name) => {
    const { always, atTimes } = expectedOf(snapshot, name);
    const marks = new Map([
      ...always.map((id) => [id, id] as const),
      ...atTimes.map((id) => [id, `?${id}`] as const),
    ]);
    return [`fault ${name}:`, ...[...marks.keys()].toSorted().map((id) => marks.get(id))].join(" ");
  });
  return `${head}${lines.toSorted().join("\n")}\n`;
}

/** Reads the text of the file. */
export function parseSnapshot(text: string): Snapshot {
  const lines = text.split("\n").filter((line) => line.startsWith("fault "));
  return new Map(
    lines.map((line) => {
      const [, name = "", ...found] = line.split(/:? /);
      const always = found.filter((id) => !id.startsWith("?"));
      const atTimes = found.filter((id) => id.startsWith("?")).map((id) => id.slice(1));
      return [name.replace(/:$/, ""), { always, atTimes }];
    }),
  );
}
