import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Results } from "../../../schemas/types.ts";
import { didYouMean } from "../../config/did-you-mean.ts";
import { UsageError } from "../../errors.ts";
import { listFolders, readResults } from "../earlier-run.ts";
import type { NamedRun } from "./trend.ts";

/** A folder that holds no run that can be read. */
interface SkippedRun {
  readonly name: string;
  readonly reason: string;
}

/** The last runs of one target, oldest first, and the folders that could not be read on the way. */
interface History {
  readonly target: string;
  readonly runs: readonly NamedRun[];
  readonly skipped: readonly SkippedRun[];
}

/**
 * Reads the last runs of a target below a reports folder.
 * @param target Default: that of the newest run.
 * @throws UsageError when there is no run, or none of that target.
 */
export async function readHistory(
  out: string,
  { target, last }: { readonly target?: string | undefined; readonly last: number },
): Promise<History> {
  const runs: NamedRun[] = [];
  const skipped: SkippedRun[] = [];
  const seen = new Set<string>();
  let wanted = target;
  for (const name of (await listFolders(out)).reverse()) {
    if (runs.length === last) break;
    // A proof is ours, and no run.
    if (existsSync(join(out, name, "proof.json"))) continue;
    const results = await readOr(join(out, name), (reason) => skipped.push({ name, reason }));
    if (results === undefined) continue;
    seen.add(results.target.name);
    wanted ??= results.target.name;
    if (results.target.name === wanted) runs.unshift({ name, results });
  }
  if (wanted === undefined || runs.length === 0) throw none(out, wanted, [...seen]);
  // A folder may have been given another name since.
  return { target: wanted, runs: runs.toSorted((one, other) => startOf(one) - startOf(other)), skipped };
}

function startOf({ results }: NamedRun): number {
  return Date.parse(results.startedAt);
}

async function readOr(folder: string, skip: (reason: string) => void): Promise<Results | undefined> {
  if (!existsSync(join(folder, "results.json"))) {
    skip("It has no results.json");
    return undefined;
  }
  try {
    return await readResults(folder);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    skip(error.what);
    return undefined;
  }
}

function none(out: string, target: string | undefined, seen: readonly string[]): UsageError {
  if (target === undefined || seen.length === 0) {
    return new UsageError({
      what: "There is no run to tell of",
      where: out,
      mend: "Run conformance, load or gate first, or name another folder with --out.",
    });
  }
  return new UsageError({
    what: `There is no run of the target ${JSON.stringify(target)}`,
    where: out,
    mend: didYouMean(target, seen),
  });
}
