import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { listChecks } from "../../conformance/suite/all.ts";
import { version } from "../version.ts";
import { asExpected, type Trial } from "./trial.ts";

/** What a proof found out, as `proof.json` holds it. */
export interface ProofReport {
  readonly schemaVersion: 1;
  readonly tool: { readonly name: "shelfcheck"; readonly version: string };
  readonly target: string;
  readonly seeds: readonly number[];
  readonly startedAt: string;
  readonly finishedAt: string;
  /** Trials that were to be made; fewer were when the proof was interrupted. */
  readonly planned: number;
  readonly trials: readonly Trial[];
  /** Checks that no trial turned red; told only where everything was tried. */
  readonly neverRed: readonly string[];
  readonly exitCode: 0 | 1 | 130;
}

/** Makes the report of all trials. */
export function assembleProof(
  frame: Pick<ProofReport, "target" | "seeds" | "planned"> & {
    readonly startedAt: Date;
    readonly finishedAt: Date;
    readonly everything: boolean;
    readonly interrupted: boolean;
  },
  trials: readonly Trial[],
): ProofReport {
  const { target, seeds, planned, startedAt, finishedAt, everything, interrupted } = frame;
  const red = new Set(trials.flatMap((trial) => trial.red));
  const good = trials.length === planned && trials.every(asExpected);
  return {
    schemaVersion: 1,
    tool: { name: "shelfcheck", version },
    target,
    seeds,
    startedAt: startedAt.toISOString(),
    finishedAt: finishedAt.toISOString(),
    planned,
    trials: trials.toSorted(byKindAndName),
    neverRed: everything && !interrupted ? listChecks().flatMap(({ id }) => (red.has(id) ? [] : [id])) : [],
    exitCode: interrupted ? 130 : good ? 0 : 1,
  };
}

const kinds = ["honest", "variant", "fault", "injection"] as const satisfies readonly Trial["kind"][];

function byKindAndName(a: Trial, b: Trial): number {
  return kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || a.name.localeCompare(b.name) || a.seed - b.seed;
}

/** Writes `proof.json` and `proof.txt` into the run's folder. */
export async function writeProof(report: ProofReport, text: string, folder: string): Promise<void> {
  await writeFile(join(folder, "proof.json"), `${JSON.stringify(report, null, 2)}\n`);
  await writeFile(join(folder, "proof.txt"), text);
}
