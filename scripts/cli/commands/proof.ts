import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { redactionFor, redactValue } from "../../../conformance/client/redaction.ts";
import type { Candidate } from "../../../proof/combination.ts";
import {
  type ProofSelection,
  ProofSelectionError,
  planTrials,
  proveService,
  proveTarget,
  selectCandidates,
  serviceCandidates,
  targetCandidates,
} from "../../../proof/prove.ts";
import {
  fixedSeeds,
  parseSnapshot,
  snapshotFile,
  snapshotText,
  updatedSnapshot,
} from "../../../proof/snapshot.ts";
import { faults, variants } from "../../../proof/table.ts";
import { asExpected, type PlannedVariation, type Trial } from "../../../proof/trial.ts";
import { counted, grouped } from "../../../schemas/words/format.ts";
import { didYouMean } from "../../config/did-you-mean.ts";
import { requireLoadAllowed } from "../../config/load-permission.ts";
import { resolveSettings, type Settings } from "../../config/settings.ts";
import { type ExitCode, UsageError } from "../../errors.ts";
import { writeWhole } from "../../files.ts";
import type { Io } from "../../io.ts";
import { assembleProof, type ProofReport, renderProof, writeProof } from "../../report/proof.ts";
import { consoleStyle, plainStyle } from "../../report/terminal.ts";
import { makeRunFolder } from "../../runs/folder.ts";
import { commandError } from "../../runs/stages/conformance-stage.ts";
import { openTarget } from "../../runs/stages/open-target.ts";
import { defineCommand, print } from "./command.ts";
import {
  type CommonFlags,
  collect,
  numberRanges,
  wholeNumber,
  withMaxRequests,
  withOut,
  withTargetFlags,
} from "./flags.ts";

interface ProofFlags extends CommonFlags {
  readonly seed?: readonly number[];
  readonly only?: readonly string[];
  readonly faults?: boolean;
  readonly variants?: boolean;
  readonly pairs?: number;
  readonly update?: boolean;
}

/** `proof`: injects each fault and expects its checks to fail, and each variant and expects no check to fail. */
export const proof = defineCommand<ProofFlags>({
  flags: (command) =>
    withMaxRequests(withOut(withTargetFlags(command)))
      .option(
        "--seed <n>",
        "seed of the catalog, or a range such as 1-20; may be repeated (default: 1-2, those of the snapshot)",
        numberRanges,
      )
      .option("--only <name>", "try only this fault, variant or FAULT+VARIANT; may be repeated", collect)
      .option("--faults", "try only faults")
      .option("--variants", "try only variants and the unchanged reference service")
      .option("--pairs <n>", "also try n random pairs of a fault and a variant for each seed", wholeNumber(1))
      .option(
        "--update",
        "write what fails with each fault to proof/found.snapshot.txt, for review as a diff",
      ),
  run: async (flags, io) => {
    // A service in the environment is used only if a flag names a target.
    const named = flags.target !== undefined || flags.baseUrl !== undefined;
    const settings = await resolveSettings(named ? flags : { ...flags, target: "embedded" }, io);
    const { pairs = 0, seed: seeds = fixedSeeds } = flags;
    const updates = flags.update === true;
    if (updates) mustBeFixed(seeds);
    const snapshot = parseSnapshot(await readFile(snapshotFile, "utf8"));
    const selection = {
      only: flags.only ?? [],
      faults: flags.faults === true,
      variants: flags.variants === true,
      pairs,
    };
    const chosen = named
      ? select(selection, () => selectCandidates(targetCandidates, selection)).map(({ name }) => name)
      : [];
    const variations = named ? [] : select(selection, () => planTrials(selection, seeds, snapshot));
    if (named) {
      mustNotCombine(selection);
      requireLoadAllowed(settings.choice, "burst");
    }
    const startedAt = io.now();
    const folder = await makeRunFolder(settings.out, "proof", startedAt);
    const progress = progressTo(io);
    const planned = chosen.length + variations.length;
    io.stderr.write(`${counted(planned, "trial")}\n`);
    const writeReport = async ({ target, trials, redact }: Made, interrupted: boolean) => {
      const frame = {
        target,
        seeds: named ? [] : seeds,
        planned,
        startedAt,
        finishedAt: io.now(),
        everything:
          selection.only.length === 0 && serviceCandidates.every((one) => isPlanned(one, variations)),
        interrupted,
        updates,
      };
      const report = redact(assembleProof(frame, trials));
      await writeProof(report, renderProof(report, plainStyle(100)), folder.path);
      return report;
    };
    // If the process is killed during the second attempts, the first ones are there.
    const onFirstAttempts = async (made: Made) => {
      await writeReport(made, true);
    };
    const made = named
      ? await onTarget(chosen, { settings, io, progress })
      : await onService(variations, { io, progress, onFirstAttempts });
    const report = await writeReport(made, io.signal.aborted);
    if (updates && !io.signal.aborted) {
      const updated = updatedSnapshot(snapshot, made.trials);
      const text = snapshotText(updated, { faults: faults.keys(), variants: variants.keys() });
      await writeWhole(fileURLToPath(snapshotFile), text);
    }
    const file = join(settings.outShown, folder.name, "proof.json");
    const text = () => `${renderProof(report, consoleStyle(io))}Proof: ${file}\n`;
    print(io, { json: flags.json, value: report, text });
    return report.exitCode satisfies ExitCode;
  },
});

/** @throws UsageError for a selection that cannot be tried */
function select<T>(selection: ProofSelection, choose: () => T): T {
  try {
    return choose();
  } catch (error) {
    throw error instanceof ProofSelectionError ? selectionMistake(error, selection) : error;
  }
}

function selectionMistake({ mistake }: ProofSelectionError, selection: ProofSelection): UsageError {
  switch (mistake.kind) {
    case "unknown name":
      return new UsageError({
        what: "There is no fault or variant with this name",
        where: `--only ${mistake.name}`,
        fix: didYouMean(mistake.name, mistake.known),
      });
    case "only on the reference service":
      return new UsageError({
        what: "This can be tried only on the built-in reference service",
        where: `--only ${mistake.name}`,
        fix: "Omit --target and --base-url: what this changes cannot be changed from outside the service.",
      });
    case "nothing left":
      return new UsageError({
        what: "Nothing is selected",
        where: [
          ...selection.only.map((name) => `--only ${name}`),
          ...(selection.faults ? ["--faults"] : []),
          ...(selection.variants ? ["--variants"] : []),
        ].join(" "),
        fix: "Remove one of them: together they exclude everything.",
      });
    default:
      return mistake satisfies never;
  }
}

function mustBeFixed(seeds: readonly number[]): void {
  const other = seeds.find((seed) => !fixedSeeds.includes(seed));
  if (other === undefined) return;
  throw new UsageError({
    what: `The snapshot has only the seeds ${fixedSeeds.join(" and ")}`,
    where: `--update --seed ${other}`,
    fix: "Omit --seed, or --update.",
  });
}

function mustNotCombine({ pairs }: ProofSelection): void {
  if (pairs === 0) return;
  throw new UsageError({
    what: "Pairs can be tried only on the built-in reference service",
    where: "--pairs",
    fix: "Omit --target and --base-url.",
  });
}

function isPlanned({ name }: Candidate, variations: readonly PlannedVariation[]): boolean {
  return variations.some((variation) => variation.name === name);
}

interface Made {
  readonly target: string;
  readonly trials: readonly Trial[];
  readonly redact: (report: ProofReport) => ProofReport;
}

interface ProofOutput {
  readonly io: Io;
  readonly progress: (trial: Trial) => void;
}

async function onService(
  variations: readonly PlannedVariation[],
  { io, progress, onFirstAttempts }: ProofOutput & { onFirstAttempts: (made: Made) => Promise<void> },
): Promise<Made> {
  const madeOf = (trials: readonly Trial[]): Made => ({
    target: "the reference service",
    trials,
    redact: (report) => report,
  });
  const trials = await proveService(variations, {
    signal: io.signal,
    progress,
    onFirstAttempts: (first) => onFirstAttempts(madeOf(first)),
  });
  return madeOf(trials);
}

async function onTarget(
  names: readonly string[],
  { settings, io, progress }: ProofOutput & { settings: Settings },
): Promise<Made> {
  await using opened = await openTarget(settings);
  const { target } = opened;
  const trials: Trial[] = [];
  const done = (trial: Trial) => {
    trials.push(trial);
    progress(trial);
  };
  const { maxRequests, maxSeconds } = settings;
  try {
    await proveTarget(names, { target, maxRequests, maxSeconds, signal: io.signal, done });
  } catch (error) {
    if (!io.signal.aborted) throw commandError(error, target);
  }
  const redaction = redactionFor(target);
  return { target: target.name, trials, redact: (report) => redactValue(report, redaction) };
}

// Reports unexpected trials at once, and progress every 50 trials.
function progressTo({ stderr }: Io): (trial: Trial) => void {
  let count = 0;
  return (trial) => {
    count++;
    const { verdict, kind, name, seed, failedBefore } = trial;
    const seeded = seed === undefined ? "" : `, seed ${seed}`;
    if (!asExpected(trial))
      stderr.write(`${verdict}: ${kind} ${name}${seeded}, attempt ${failedBefore === undefined ? 1 : 2}\n`);
    else if (count % 50 === 0) stderr.write(`${grouped(count)} trials done\n`);
  };
}
