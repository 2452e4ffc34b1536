import { asExpected, type Trial, type TrialFinding } from "../../proof/trial.ts";
import { verdictLabels } from "../../schemas/contracts/verdicts.ts";
import { clip, counted, grouped } from "../../schemas/words/format.ts";
import { emptySuite, type Report, type Suite } from "../report/model.ts";
import { runCommand } from "../report/subjects/run/commands.ts";

/** The result of a proof, as written to `proof.json`. */
export interface Proof {
  readonly startedAt: string;
  readonly finishedAt: string;
  /** Number of planned trials. An interrupted proof has fewer in `trials`. */
  readonly planned: number;
  readonly trials: readonly Trial[];
  readonly exitCode: 0 | 1 | 130;
}

const titles = {
  honest: "The reference service as it is: no check may fail",
  variant: "Variants, unusual but allowed: no check may fail",
  fault: "Faults: the checks for each must fail, and only what the snapshot lists",
} as const satisfies Record<Trial["kind"], string>;
const kinds = Object.keys(titles);

/** @param updates Whether the snapshot becomes what was found. */
export function assembleProof(
  found: Omit<Proof, "exitCode">,
  { interrupted, updates }: { readonly interrupted: boolean; readonly updates: boolean },
): Proof {
  const isGood = (trial: Trial) => asExpected(trial) || (updates && trial.verdict === "differs");
  const good = found.trials.length === found.planned && found.trials.every(isGood);
  const place = ({ kind }: Trial) => kinds.indexOf(kind);
  return {
    ...found,
    trials: found.trials.toSorted((a, b) => place(a) - place(b) || a.name.localeCompare(b.name)),
    exitCode: interrupted ? 130 : good ? 0 : 1,
  };
}

/** A row for each fault or variant with the failed checks, and below it what is not as expected. */
export function proofReport({ trials, planned, ...proof }: Proof): Report {
  const counts = [...Map.groupBy(trials, ({ verdict }) => verdict)].map(
    ([verdict, all]) => `${all.length} ${verdict}`,
  );
  const wrong = trials.find((trial) => !asExpected(trial));
  return {
    headline: {
      ...proof,
      tone: proof.exitCode === 0 ? "good" : "bad",
      label: { 0: "passed", 1: "failed", 130: "interrupted" }[proof.exitCode],
      of: "proof of the suite",
      why: `${grouped(trials.length)} of ${counted(planned, "trial")}: ${counts.join(", ")}.`,
      ...{ counts: [], notes: [], files: [] },
      next: wrong && runCommand(`proof --only ${wrong.name}`),
    },
    suites: [...Map.groupBy(trials, ({ kind }) => kind)].map(([kind, all]) => suiteOf(kind, all)),
    about: [],
  };
}

function suiteOf(kind: Trial["kind"], trials: readonly Trial[]): Suite {
  const rows = trials.map((trial) => {
    const { name, verdict, failedBefore, failed } = trial;
    const outcome = failedBefore === undefined ? verdict : `${verdict} (second attempt)`;
    return {
      cells: [name, outcome, failed.join(", ")],
      tone: asExpected(trial) ? undefined : "bad",
    } as const;
  });
  const isOther = trials.some(({ verdict }) => verdict === "differs");
  return {
    ...emptySuite,
    id: kind,
    title: titles[kind],
    tone: trials.every(asExpected) ? "good" : "bad",
    tables: [{ title: titles[kind], head: ["name", "outcome", "failed checks"], rows }],
    lines: [
      ...trials.flatMap(({ name, findings }) =>
        findings.map((finding) => `${name}: ${clip(findingText(finding), 300)}`),
      ),
      ...(isOther
        ? ["If a difference from the snapshot is intended: npm run proof -- --update, and review the diff."]
        : []),
    ],
  };
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
