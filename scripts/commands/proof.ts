import { availableParallelism } from "node:os";
import { join } from "node:path";
import { redactionFor } from "../../conformance/redaction.ts";
import { resolveSettings, type Settings } from "../config/settings.ts";
import type { ExitCode } from "../errors.ts";
import type { Io } from "../io.ts";
import { injectionOf } from "../proof/injections.ts";
import { tryAll } from "../proof/pool.ts";
import { proveThroughProxy } from "../proof/prove-target.ts";
import { renderProof } from "../proof/render.ts";
import { assembleProof, type ProofReport, writeProof } from "../proof/report.ts";
import { embeddedCandidates, injectionCandidates, selectCandidates } from "../proof/select.ts";
import { asExpected, type Trial } from "../proof/trial.ts";
import { consoleStyle, plainStyle } from "../reports/style.ts";
import { makeRunFolder } from "../results/folder.ts";
import { redactValue } from "../results/redact.ts";
import { openTarget } from "../target/open.ts";
import {
  type CommonFlags,
  collect,
  wholeNumber,
  withMaxRequests,
  withOut,
  withTargetFlags,
} from "./flags.ts";
import { defineVerb } from "./verb.ts";

interface ProofFlags extends CommonFlags {
  readonly seed?: readonly number[];
  readonly only?: readonly string[];
  readonly faults?: boolean;
  readonly habits?: boolean;
}

/** `proof`: every fault against the check that is for it, every habit against the whole suite. */
export const proof = defineVerb<ProofFlags>({
  flags: (command) =>
    withMaxRequests(withOut(withTargetFlags(command)))
      .option("--seed <n>", "seed of the catalogue; may be repeated (default: 1, 2 and 3)", numbers)
      .option("--only <name>", "try only this fault or habit; may be repeated", collect)
      .option("--faults", "try only faults")
      .option("--habits", "try only habits, and the reference service as it is"),
  run: async (flags, io) => {
    // The environment may name a service: that one is asked only where a flag says so.
    const named = flags.target !== undefined || flags.baseUrl !== undefined;
    const settings = await resolveSettings(named ? flags : { ...flags, target: "embedded" }, io);
    const selection = {
      only: flags.only ?? [],
      faults: flags.faults === true,
      habits: flags.habits === true,
    };
    const chosen = selectCandidates(named ? injectionCandidates() : embeddedCandidates(), selection);
    const everything = !named && selection.only.length === 0 && !selection.faults && !selection.habits;
    const startedAt = io.now();
    const folder = await makeRunFolder(settings.out, "proof", startedAt);
    const trials: Trial[] = [];
    const done = (trial: Trial) => {
      trials.push(trial);
      if (!asExpected(trial))
        io.stderr.write(`${trial.verdict}: ${trial.kind} ${trial.name}, seed ${trial.seed}\n`);
      else if (trials.length % 50 === 0) io.stderr.write(`${trials.length} trials made\n`);
    };
    const seeds = named ? [] : (flags.seed ?? [1, 2, 3]);
    const planned = named ? chosen.length : chosen.length * seeds.length;
    io.stderr.write(`${planned} trials\n`);
    let redact = (report: ProofReport) => report;
    let target = "the reference service";
    if (named) {
      const opened = await onTarget(
        chosen.map(({ name }) => injectionOf(name)),
        { settings, io, done },
      );
      redact = opened.redact;
      target = opened.name;
    } else {
      const variations = seeds.flatMap((seed) => chosen.map((one) => ({ ...one, seed })));
      await tryAll(variations, { threads: availableParallelism(), signal: io.signal, done });
    }
    const interrupted = io.signal.aborted;
    const frame = { target, seeds, planned, startedAt, finishedAt: io.now(), everything, interrupted };
    const report = redact(assembleProof(frame, trials));
    await writeProof(report, renderProof(report, plainStyle()), folder.path);
    if (flags.json === true) io.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    else
      io.stdout.write(
        `${renderProof(report, consoleStyle(io))}Proof: ${join(settings.outShown, folder.name, "proof.json")}\n`,
      );
    return report.exitCode satisfies ExitCode;
  },
});

async function onTarget(
  injections: readonly ReturnType<typeof injectionOf>[],
  { settings, io, done }: { settings: Settings; io: Io; done: (trial: Trial) => void },
): Promise<{ name: string; redact: (report: ProofReport) => ProofReport }> {
  await using opened = await openTarget(settings);
  const { target } = opened;
  const { maxRequests } = settings;
  try {
    await proveThroughProxy(injections, { target, maxRequests, signal: io.signal, done });
  } catch (error) {
    if (!io.signal.aborted) throw error;
  }
  const redaction = redactionFor(target.keys);
  return { name: target.name, redact: (report) => redactValue(report, redaction) };
}

function numbers(value: string, previous: readonly number[] = []): number[] {
  return [...previous, wholeNumber(0)(value)];
}
