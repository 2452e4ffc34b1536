import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { allCandidates, type ProofSelection, planTrials, proveService } from "../../proof/prove.ts";
import {
  fixedSeed,
  parseSnapshot,
  snapshotFile,
  snapshotText,
  updatedSnapshot,
} from "../../proof/snapshot.ts";
import { faults, variants } from "../../proof/table.ts";
import { asExpected, type Trial } from "../../proof/trial.ts";
import { counted, grouped } from "../../schemas/words/format.ts";
import { defineCommand, print } from "../cli/commands/command.ts";
import { settingsWithoutTarget } from "../cli/commands/earlier-runs.ts";
import { numberRanges, repeated, withFlags } from "../cli/commands/flags.ts";
import { didYouMean } from "../config/did-you-mean.ts";
import { type ExitCode, UsageError } from "../errors.ts";
import { writeWhole } from "../files.ts";
import type { Io } from "../io.ts";
import { consoleStyle, plainStyle } from "../report/terminal.ts";
import { makeRunFolder } from "../runs/write-run.ts";
import { assembleProof, renderProof, writeProof } from "./proof-report.ts";

interface ProofFlags {
  readonly seed?: readonly number[];
  readonly only?: readonly string[];
  readonly faults?: boolean;
  readonly variants?: boolean;
  readonly update?: boolean;
  readonly out?: string;
  readonly config?: string;
  readonly json?: boolean;
}

/** `proof`: injects each fault and expects its checks to fail, and each variant and expects no check to fail. */
export const proof = defineCommand<ProofFlags>({
  flags: (command) =>
    withFlags(command, "out", "config", "json")
      .option(
        "--seed <n>",
        `seed of the catalog, or a range such as 1-20; may be repeated (default: ${fixedSeed}, that of the snapshot)`,
        numberRanges,
      )
      .addOption(repeated("--only <name>", "try only this fault or variant"))
      .option("--faults", "try only faults")
      .option("--variants", "try only variants and the unchanged reference service")
      .option(
        "--update",
        "write what fails with each fault to proof/found.snapshot.txt, for review as a diff",
      ),
  run: async (flags, io) => {
    const settings = await settingsWithoutTarget(flags, io);
    const { seed: seeds = [fixedSeed] } = flags;
    const updates = flags.update === true;
    if (updates) mustBeFixed(seeds);
    const snapshot = parseSnapshot(await readFile(snapshotFile, "utf8"));
    const selection = {
      only: flags.only ?? [],
      faults: flags.faults === true,
      variants: flags.variants === true,
    };
    mustBeKnown(selection.only);
    const planned = planTrials(selection, seeds, snapshot);
    if (planned.length === 0) throw nothingSelected(selection);
    const startedAt = io.now();
    const folder = await makeRunFolder(settings.out, "proof", startedAt);
    io.stderr.write(`${counted(planned.length, "trial")}\n`);
    const writeReport = async (trials: readonly Trial[], interrupted: boolean) => {
      const frame = {
        seeds,
        planned: planned.length,
        startedAt,
        finishedAt: io.now(),
        interrupted,
        updates,
      };
      const report = assembleProof(frame, trials);
      await writeProof(report, renderProof(report, plainStyle(100)), folder.path);
      return report;
    };
    const trials = await proveService(planned, {
      signal: io.signal,
      progress: progressTo(io),
      // If the process is killed during the second attempts, the first ones are there.
      onFirstAttempts: async (first) => void (await writeReport(first, true)),
    });
    const report = await writeReport(trials, io.signal.aborted);
    if (updates && !io.signal.aborted) {
      const names = { faults: faults.keys(), variants: variants.keys() };
      await writeWhole(fileURLToPath(snapshotFile), snapshotText(updatedSnapshot(snapshot, trials), names));
    }
    const file = join(settings.outShown, folder.name, "proof.json");
    const text = () => `${renderProof(report, consoleStyle(io))}Proof: ${file}\n`;
    print(io, { json: flags.json, value: report, text });
    return report.exitCode satisfies ExitCode;
  },
});

/** @throws UsageError for an unknown name */
function mustBeKnown(names: readonly string[]): void {
  const known = allCandidates.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new UsageError({
    what: "There is no fault or variant with this name",
    where: `--only ${unknown}`,
    fix: didYouMean(unknown, known),
  });
}

/** The error for names and kinds that exclude each other. */
function nothingSelected({ only, faults, variants }: ProofSelection): UsageError {
  const names = only.map((name) => `--only ${name}`);
  return new UsageError({
    what: "Nothing is selected",
    where: [...names, ...(faults ? ["--faults"] : []), ...(variants ? ["--variants"] : [])].join(" "),
    fix: "Remove one of them: together they exclude everything.",
  });
}

function mustBeFixed(seeds: readonly number[]): void {
  const other = seeds.find((seed) => seed !== fixedSeed);
  if (other === undefined) return;
  throw new UsageError({
    what: `The snapshot has only the seed ${fixedSeed}`,
    where: `--update --seed ${other}`,
    fix: "Omit --seed, or --update.",
  });
}

// Reports unexpected trials at once, and progress every 50 trials.
function progressTo({ stderr }: Io): (trial: Trial) => void {
  let count = 0;
  return (trial) => {
    count++;
    const { verdict, kind, name, seed, failedBefore } = trial;
    const attempt = failedBefore === undefined ? 1 : 2;
    if (!asExpected(trial)) stderr.write(`${verdict}: ${kind} ${name}, seed ${seed}, attempt ${attempt}\n`);
    else if (count % 50 === 0) stderr.write(`${grouped(count)} trials done\n`);
  };
}
