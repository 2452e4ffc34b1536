import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { allCandidates, planTrials, proveService } from "../../proof/prove.ts";
import { parseSnapshot, snapshotFile, snapshotText, updatedSnapshot } from "../../proof/snapshot.ts";
import { faults } from "../../proof/table.ts";
import { asExpected, type Trial, type TrialFinding } from "../../proof/trial.ts";
import { verdictLabels } from "../../schemas/contracts/verdicts.ts";
import { clip, counted, grouped } from "../../schemas/words/format.ts";
import { type CommandDefinition, print } from "../cli/commands/command.ts";
import { type CommonFlags, nameFrom, repeated, withFlags } from "../cli/commands/flags.ts";
import { writeWhole } from "../files.ts";
import { oneLine } from "../report/text.ts";

interface ProofFlags extends Pick<CommonFlags, "json"> {
  readonly only?: readonly string[];
  readonly update?: boolean;
}

/** Injects each fault and expects its checks to fail, and each variant and expects no check to fail. */
export const proof: CommandDefinition<ProofFlags> = {
  flags: (command) =>
    withFlags(command, "json")
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
    const { update: updates = false, only = [] } = flags;
    const snapshot = parseSnapshot(await readFile(snapshotFile, "utf8"));
    const planned = planTrials(only, snapshot);
    io.stderr.write(`${counted(planned.length, "trial")}\n`);
    let done = 0;
    const progress = () => {
      if (++done % 50 === 0) io.stderr.write(`${grouped(done)} trials done\n`);
    };
    const trials = await proveService(planned, { signal: io.signal, progress });
    const interrupted = io.signal.aborted;
    const result = assembleProof({ planned: planned.length, trials }, { interrupted, updates });
    if (updates && !interrupted) {
      const updated = updatedSnapshot(snapshot, trials);
      await writeWhole(fileURLToPath(snapshotFile), snapshotText(updated, faults.keys()));
    }
    print(io, flags.json, { value: result, text: () => proofText(result) });
    return result.exitCode;
  },
};

/** The result of a proof, as `--json` prints it. */
export interface Proof {
  /** Number of planned trials. An interrupted proof has fewer in `trials`. */
  readonly planned: number;
  readonly trials: readonly Trial[];
  readonly exitCode: 0 | 1 | 130;
}

/** @param updates Whether the snapshot becomes what was found. */
export function assembleProof(
  found: Omit<Proof, "exitCode">,
  { interrupted, updates }: { readonly interrupted: boolean; readonly updates: boolean },
): Proof {
  const isGood = (trial: Trial) => asExpected(trial) || (updates && trial.verdict === "differs");
  const good = found.trials.length === found.planned && found.trials.every(isGood);
  // What is not as expected stands beside the last line.
  const place = (trial: Trial) => Number(!asExpected(trial));
  const trials = found.trials.toSorted((a, b) => place(a) - place(b) || a.name.localeCompare(b.name));
  return { ...found, trials, exitCode: interrupted ? 130 : good ? 0 : 1 };
}

/** A line for each trial, below it what is not as expected, and last the counts. */
export function proofText({ trials, planned, exitCode }: Proof): string {
  const isOther = trials.some(({ verdict }) => verdict === "differs");
  const counts = [...Map.groupBy(trials, ({ verdict }) => verdict)].map(
    ([verdict, { length }]) => `${length} ${verdict}`,
  );
  const lines = [
    ...trials.flatMap(({ kind, name, verdict, failedBefore, failed, findings }) => [
      [`${verdict}${failedBefore ? ", second attempt" : ""}: ${kind} ${name}`, ...failed].join(" "),
      ...findings.map((finding) => `  ${oneLine(clip(findingText(finding), 300))}`),
    ]),
    ...(isOther
      ? ["If a difference from the snapshot is intended: npm run proof -- --update, and review the diff."]
      : []),
    `Exit ${exitCode}: ${grouped(trials.length)} of ${counted(planned, "trial")}: ${counts.join(", ")}.`,
  ];
  return `${lines.join("\n")}\n`;
}

function findingText({ problem, check, verdict, detail = "" }: TrialFinding): string {
  const outcome = verdict === undefined ? "it did not run" : `its verdict: ${verdictLabels[verdict]}`;
  const texts = {
    missed: `${check} must fail; ${outcome}. ${detail}`,
    "unexpected-failure": `${check} must not fail; ${outcome}. ${detail}`,
    "not-in-snapshot": `${check} fails in no run of the snapshot; ${outcome}. ${detail}`,
    "only-in-snapshot": `${check} fails in the snapshot, and did not.`,
    "not-judged": `${check} must be judged: ${detail}`,
    "not-shown": `${check} does not show what it reports: ${detail}`,
    "not-applied": "It changed no response.",
    "harness-error": check === undefined ? detail : `${check} ended with an error: ${detail}`,
  } satisfies Record<TrialFinding["problem"], string>;
  return texts[problem].trimEnd();
}
