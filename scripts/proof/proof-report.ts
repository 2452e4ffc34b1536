import { asExpected, type Trial, type TrialFinding } from "../../proof/trial.ts";
import { verdictLabels } from "../../schemas/contracts/verdicts.ts";
import { clip, counted, grouped } from "../../schemas/words/format.ts";
import { type ConsoleStyle, prose, wrap } from "../report/terminal.ts";
import { version } from "../version.ts";

/** The result of a proof, as written to `proof.json`. */
export interface ProofReport {
  readonly schemaVersion: 4;
  readonly tool: { readonly name: "shelfcheck"; readonly version: string };
  readonly seeds: readonly number[];
  readonly startedAt: string;
  readonly finishedAt: string;
  /** Number of planned trials. An interrupted proof has fewer in `trials`. */
  readonly planned: number;
  readonly trials: readonly Trial[];
  readonly exitCode: 0 | 1 | 130;
}

/** Creates the report of all trials. */
export function assembleProof(
  frame: Pick<ProofReport, "seeds" | "planned"> & {
    readonly startedAt: Date;
    readonly finishedAt: Date;
    readonly interrupted: boolean;
    /** Whether the snapshot becomes what was found. */
    readonly updates: boolean;
  },
  trials: readonly Trial[],
): ProofReport {
  const { startedAt, finishedAt, interrupted, updates, ...rest } = frame;
  const isGood = (trial: Trial) => asExpected(trial) || (updates && trial.verdict === "differs");
  const good = trials.length === rest.planned && trials.every(isGood);
  const place = ({ kind }: Trial) => kinds.indexOf(kind);
  return {
    schemaVersion: 4,
    tool: { name: "shelfcheck", version },
    ...rest,
    startedAt: startedAt.toISOString(),
    finishedAt: finishedAt.toISOString(),
    trials: trials.toSorted((a, b) => place(a) - place(b) || a.name.localeCompare(b.name) || a.seed - b.seed),
    exitCode: interrupted ? 130 : good ? 0 : 1,
  };
}

const titles = {
  honest: "The reference service as it is: no check may fail",
  variant: "Variants, unusual but allowed: no check may fail",
  fault: "Faults: the checks for each must fail and, on the seed of the snapshot, only what it lists",
} as const satisfies Record<Trial["kind"], string>;
const kinds = Object.keys(titles);

/** A line for each fault or variant with the failed checks, then the problems of its first seed with any. */
export function renderProof({ trials, planned, ...report }: ProofReport, style: ConsoleStyle): string {
  const tables = [...Map.groupBy(trials, ({ kind }) => kind)].flatMap(([kind, group]) => {
    const byName = [...Map.groupBy(group, ({ name }) => name)];
    const width = Math.max(...byName.map(([name]) => name.length));
    return ["", style.strong(titles[kind]), ...byName.flatMap(([, same]) => trialLines(same, width, style))];
  });
  const counts = [...Map.groupBy(trials, ({ verdict }) => verdict)].map(
    ([verdict, all]) => `${all.length} ${verdict}`,
  );
  const summary = `${grouped(trials.length)} of ${counted(planned, "trial")}, seed ${report.seeds.join(", ")}: ${counts.join(", ")}.`;
  const paint = report.exitCode === 0 ? style.good : style.bad;
  const wrong = trials.find((trial) => !asExpected(trial));
  const again = wrong && `npx shelfcheck proof --only ${wrong.name} --seed ${wrong.seed}`;
  const isOther = trials.some(({ verdict }) => verdict === "differs");
  const next = [
    again && `To repeat one trial: ${again}`,
    isOther &&
      "If a difference from the snapshot is intended: npm run proof -- --update, and review the diff.",
  ].filter((line) => typeof line === "string");
  return [...tables, "", ...wrap(summary, style).map(paint), ...next, ""].join("\n");
}

const verdictWidth = "unexpected-failure".length;

/** A fault or variant on all seeds. */
function trialLines(same: readonly Trial[], width: number, style: ConsoleStyle): string[] {
  const name = same[0]?.name ?? "";
  const verdict = [...new Set(same.map((trial) => trial.verdict))].join(", ");
  const again = same.some(({ failedBefore }) => failedBefore !== undefined) ? "(second attempt) " : "";
  const paint = same.every(asExpected) ? style.good : style.bad;
  const head = `  ${name.padEnd(width)}  ${paint(verdict.padEnd(verdictWidth))}`;
  const indent = width + verdictWidth + 6;
  const failed = [...new Set(same.flatMap((trial) => trial.failed))].join(", ");
  const [first = "", ...rest] = wrap(again + failed, { width: Math.max(30, style.width - indent) });
  const { seed, findings } = same.find((trial) => trial.findings.length > 0) ?? { seed: 0, findings: [] };
  const problems = findings.flatMap((finding) =>
    wrap(`seed ${seed}: ${clip(prose(findingText(finding)), 300)}`, { width: style.width, indent: "      " }),
  );
  return [
    `${head}  ${first}`.trimEnd(),
    ...rest.map((line) => " ".repeat(indent) + line),
    ...problems.map(style.faint),
  ];
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
