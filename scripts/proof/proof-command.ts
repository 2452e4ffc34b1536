import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Option } from "commander";
import { allCandidates, planTrials, proveService } from "../../proof/prove.ts";
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
import { type CommandDefinition, print } from "../cli/commands/command.ts";
import { settingsWithoutTarget } from "../cli/commands/earlier-runs.ts";
import { numberRanges, repeated, withFlags } from "../cli/commands/flags.ts";
import { didYouMean } from "../config/did-you-mean.ts";
import { UsageError } from "../errors.ts";
import { writeWhole } from "../files.ts";
import type { Io } from "../io.ts";
import { consoleStyle, plainStyle } from "../report/terminal.ts";
import { makeRunFolder } from "../runs/write-run.ts";
import { assembleProof, renderProof } from "./proof-report.ts";

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

/** Injects each fault and expects its checks to fail, and each variant and expects no check to fail. */
export const proof: CommandDefinition<ProofFlags> = {
  flags: (command) =>
    withFlags(command, "out", "config", "json")
      .option(
        "--seed <n>",
        `seed of the catalog, or a range such as 1-20; may be repeated (default: ${fixedSeed}, that of the snapshot)`,
        numberRanges,
      )
      .addOption(repeated("--only <name>", "try only this fault or variant"))
      .addOption(new Option("--faults", "try only faults").conflicts("only"))
      .addOption(
        new Option("--variants", "try only variants and the unchanged reference service").conflicts([
          "only",
          "faults",
        ]),
      )
      .option(
        "--update",
        "write what fails with each fault to proof/found.snapshot.txt, for review as a diff",
      ),
  run: async (flags, io) => {
    const settings = await settingsWithoutTarget(flags, io);
    const { seed: seeds = [fixedSeed], update: updates = false, only = [] } = flags;
    mustFit(only, updates, seeds);
    const snapshot = parseSnapshot(await readFile(snapshotFile, "utf8"));
    const kinds = { faults: flags.faults === true, variants: flags.variants === true };
    const planned = planTrials({ only, ...kinds }, seeds, snapshot);
    const startedAt = io.now();
    const folder = await makeRunFolder(settings.out, "proof", startedAt);
    io.stderr.write(`${counted(planned.length, "trial")}\n`);
    const trials = await proveService(planned, { signal: io.signal, progress: progressTo(io) });
    const interrupted = io.signal.aborted;
    const times = { startedAt, finishedAt: io.now() };
    const report = assembleProof({ seeds, planned: planned.length, ...times, interrupted, updates }, trials);
    await writeFile(join(folder.path, "proof.json"), `${JSON.stringify(report, null, 2)}\n`);
    await writeFile(join(folder.path, "proof.txt"), renderProof(report, plainStyle(100)));
    if (updates && !interrupted) {
      const names = { faults: faults.keys(), variants: variants.keys() };
      await writeWhole(fileURLToPath(snapshotFile), snapshotText(updatedSnapshot(snapshot, trials), names));
    }
    const file = join(settings.outShown, folder.name, "proof.json");
    const text = () => `${renderProof(report, consoleStyle(io))}Proof: ${file}\n`;
    print(io, flags.json, { value: report, text });
    return report.exitCode;
  },
};

/** @throws UsageError for an unknown name, and for another seed than that of the snapshot to update. */
function mustFit(only: readonly string[], updates: boolean, seeds: readonly number[]): void {
  const known = allCandidates.map(({ name }) => name);
  const unknown = only.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const what = "There is no fault or variant with this name";
    throw new UsageError({ what, where: `--only ${unknown}`, fix: didYouMean(unknown, known) });
  }
  const other = seeds.find((seed) => seed !== fixedSeed);
  if (!updates || other === undefined) return;
  const what = `The snapshot has only the seed ${fixedSeed}`;
  throw new UsageError({ what, where: `--update --seed ${other}`, fix: "Omit --seed, or --update." });
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
