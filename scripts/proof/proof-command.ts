import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { allCandidates, planTrials, proveService } from "../../proof/prove.ts";
import { parseSnapshot, snapshotFile, snapshotText, updatedSnapshot } from "../../proof/snapshot.ts";
import { faults, variants } from "../../proof/table.ts";
import { asExpected, type Trial } from "../../proof/trial.ts";
import { counted, grouped } from "../../schemas/words/format.ts";
import { type CommandDefinition, print } from "../cli/commands/command.ts";
import { type EarlierRunFlags, nameFrom, repeated, withEarlierRuns } from "../cli/commands/flags.ts";
import { settingsWithoutTarget } from "../config/settings.ts";
import { writeWhole } from "../files.ts";
import type { Io } from "../io.ts";
import { consoleStyle } from "../report/terminal.ts";
import { writeConsole } from "../report/writers/console.ts";
import { makeRunFolder } from "../runs/write-run.ts";
import { assembleProof, proofReport } from "./proof-report.ts";

interface ProofFlags extends EarlierRunFlags {
  readonly only?: readonly string[];
  readonly update?: boolean;
}

/** Injects each fault and expects its checks to fail, and each variant and expects no check to fail. */
export const proof: CommandDefinition<ProofFlags> = {
  flags: (command) =>
    withEarlierRuns(command)
      .addOption(
        repeated("--only <name>", "try only this fault or variant").argParser(
          nameFrom(allCandidates.map(({ name }) => name)),
        ),
      )
      .option(
        "--update",
        "write what fails with each fault to proof/found.snapshot.txt, for review as a diff",
      ),
  run: async (flags, io) => {
    const settings = await settingsWithoutTarget(flags, io);
    const { update: updates = false, only = [] } = flags;
    const snapshot = parseSnapshot(await readFile(snapshotFile, "utf8"));
    const planned = planTrials(only, snapshot);
    const startedAt = io.now();
    const folder = await makeRunFolder(settings.out, "proof", startedAt);
    io.stderr.write(`${counted(planned.length, "trial")}\n`);
    const trials = await proveService(planned, { signal: io.signal, progress: progressTo(io) });
    const interrupted = io.signal.aborted;
    const times = { startedAt: startedAt.toISOString(), finishedAt: io.now().toISOString() };
    const result = assembleProof({ planned: planned.length, ...times, trials }, { interrupted, updates });
    await writeFile(join(folder.path, "proof.json"), `${JSON.stringify(result, null, 2)}\n`);
    if (updates && !interrupted) {
      const names = { faults: faults.keys(), variants: variants.keys() };
      await writeWhole(fileURLToPath(snapshotFile), snapshotText(updatedSnapshot(snapshot, trials), names));
    }
    const file = join(settings.outShown, folder.name, "proof.json");
    const text = () => `${writeConsole(proofReport(result), { style: consoleStyle(io) })}Proof: ${file}\n`;
    print(io, flags.json, { value: result, text });
    return result.exitCode;
  },
};

// Reports unexpected trials at once, and progress every 50 trials.
function progressTo({ stderr }: Io): (trial: Trial) => void {
  let count = 0;
  return (trial) => {
    count++;
    const { verdict, kind, name, failedBefore } = trial;
    const attempt = failedBefore === undefined ? 1 : 2;
    if (!asExpected(trial)) stderr.write(`${verdict}: ${kind} ${name}, attempt ${attempt}\n`);
    else if (count % 50 === 0) stderr.write(`${grouped(count)} trials done\n`);
  };
}
