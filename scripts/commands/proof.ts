import { join } from "node:path";
import { redactionFor, redactValue } from "../../conformance/client/redaction.ts";
import { requireLoadAllowed } from "../config/load-permission.ts";
import { resolveSettings, type Settings } from "../config/settings.ts";
import type { ExitCode } from "../errors.ts";
import type { Io } from "../io.ts";
import {
  proveService,
  proveTarget,
  selectCandidates,
  serviceCandidates,
  targetCandidates,
} from "../proof/prove.ts";
import { assembleProof, type ProofReport, renderProof, writeProof } from "../proof/report.ts";
import { asExpected, type Trial, type Variation } from "../proof/trial.ts";
import { consoleStyle, plainStyle } from "../report/terminal.ts";
import { makeRunFolder } from "../run/folder.ts";
import { openTarget } from "../run/open-target.ts";
import { defineCommand } from "./command.ts";
import {
  type CommonFlags,
  collect,
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
}

/** `proof`: every fault against the check that is for it, every variant against the whole suite. */
export const proof = defineCommand<ProofFlags>({
  flags: (command) =>
    withMaxRequests(withOut(withTargetFlags(command)))
      .option("--seed <n>", "seed of the catalogue; may be repeated (default: 1, 2 and 3)", numbers)
      .option("--only <name>", "try only this fault or variant; may be repeated", collect)
      .option("--faults", "try only faults")
      .option("--variants", "try only variants and the unchanged reference service"),
  run: async (flags, io) => {
    // The environment may name a service: that one is asked only where a flag says so.
    const named = flags.target !== undefined || flags.baseUrl !== undefined;
    const settings = await resolveSettings(named ? flags : { ...flags, target: "embedded" }, io);
    const selection = {
      only: flags.only ?? [],
      faults: flags.faults === true,
      variants: flags.variants === true,
    };
    const chosen = selectCandidates(named ? targetCandidates : serviceCandidates, selection);
    const everything = !named && selection.only.length === 0 && !selection.faults && !selection.variants;
    if (named) requireLoadAllowed(settings.choice, "burst");
    const startedAt = io.now();
    const folder = await makeRunFolder(settings.out, "proof", startedAt);
    const progress = progressTo(io);
    const seeds = named ? [] : (flags.seed ?? [1, 2, 3]);
    const planned = named ? chosen.length : chosen.length * seeds.length;
    io.stderr.write(`${planned} trials\n`);
    const made = named
      ? await onTarget(
          chosen.map(({ name }) => name),
          { settings, io, progress },
        )
      : await onService(
          seeds.flatMap((seed) => chosen.map((one) => ({ ...one, seed }))),
          { io, progress },
        );
    const { target, trials, redact } = made;
    const interrupted = io.signal.aborted;
    const frame = { target, seeds, planned, startedAt, finishedAt: io.now(), everything, interrupted };
    const report = redact(assembleProof(frame, trials));
    await writeProof(report, renderProof(report, plainStyle(100)), folder.path);
    if (flags.json === true) io.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    else
      io.stdout.write(
        `${renderProof(report, consoleStyle(io))}Proof: ${join(settings.outShown, folder.name, "proof.json")}\n`,
      );
    return report.exitCode satisfies ExitCode;
  },
});

interface Made {
  readonly target: string;
  readonly trials: readonly Trial[];
  readonly redact: (report: ProofReport) => ProofReport;
}

interface Surroundings {
  readonly io: Io;
  readonly progress: (trial: Trial) => void;
}

async function onService(variations: readonly Variation[], { io, progress }: Surroundings): Promise<Made> {
  const trials = await proveService(variations, { signal: io.signal, progress });
  return { target: "the reference service", trials, redact: (report) => report };
}

async function onTarget(
  names: readonly string[],
  { settings, io, progress }: Surroundings & { settings: Settings },
): Promise<Made> {
  await using opened = await openTarget(settings);
  const { target } = opened;
  const trials: Trial[] = [];
  const done = (trial: Trial) => {
    trials.push(trial);
    progress(trial);
  };
  const { maxRequests } = settings;
  try {
    await proveTarget(names, { target, maxRequests, signal: io.signal, done });
  } catch (error) {
    if (!io.signal.aborted) throw error;
  }
  const redaction = redactionFor(target);
  return { target: target.name, trials, redact: (report) => redactValue(report, redaction) };
}

// Names what is wrong at once, and shows now and then that it goes on.
function progressTo({ stderr }: Io): (trial: Trial) => void {
  let count = 0;
  return (trial) => {
    count++;
    const { verdict, kind, name, seed, attempts = 1 } = trial;
    const seeded = seed === undefined ? "" : `, seed ${seed}`;
    if (!asExpected(trial)) stderr.write(`${verdict}: ${kind} ${name}${seeded}, attempt ${attempts}\n`);
    else if (count % 50 === 0) stderr.write(`${count} trials made\n`);
  };
}

function numbers(value: string, previous: readonly number[] = []): number[] {
  return [...previous, wholeNumber(0)(value)];
}
