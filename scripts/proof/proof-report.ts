import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { listChecks } from "../../conformance/suite/all.ts";
import { requirementOf } from "../../proof/changes/entry.ts";
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
  /** Checks that failed in no trial. Empty unless all faults were tried. */
  readonly neverFailed: readonly string[];
  readonly exitCode: 0 | 1 | 130;
}

/** Creates the report of all trials. */
export function assembleProof(
  frame: Pick<ProofReport, "seeds" | "planned"> & {
    readonly startedAt: Date;
    readonly finishedAt: Date;
    readonly everything: boolean;
    readonly interrupted: boolean;
    /** Whether the snapshot becomes what was found. */
    readonly updates: boolean;
  },
  trials: readonly Trial[],
): ProofReport {
  const { seeds, planned, startedAt, finishedAt, everything, interrupted, updates } = frame;
  const failed = new Set(trials.flatMap((trial) => trial.failed));
  const isGood = (trial: Trial) => asExpected(trial) || (updates && trial.verdict === "differs");
  const good = trials.length === planned && trials.every(isGood);
  return {
    schemaVersion: 4,
    tool: { name: "shelfcheck", version },
    seeds,
    startedAt: startedAt.toISOString(),
    finishedAt: finishedAt.toISOString(),
    planned,
    trials: trials.toSorted(byKindAndName),
    neverFailed:
      everything && !interrupted ? listChecks().flatMap(({ id }) => (failed.has(id) ? [] : [id])) : [],
    exitCode: interrupted ? 130 : good ? 0 : 1,
  };
}

const kinds = ["honest", "variant", "fault"] as const satisfies readonly Trial["kind"][];

function byKindAndName(a: Trial, b: Trial): number {
  return kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || a.name.localeCompare(b.name) || a.seed - b.seed;
}

/** Writes `proof.json` and `proof.txt` into the run's folder. */
export async function writeProof(report: ProofReport, text: string, folder: string): Promise<void> {
  await writeFile(join(folder, "proof.json"), `${JSON.stringify(report, null, 2)}\n`);
  await writeFile(join(folder, "proof.txt"), text);
}

const titles = {
  honest: "The reference service as it is: no check may fail",
  variant: "Variants, unusual but allowed: no check may fail",
  fault: "Faults: the checks for each must fail and, on the seed of the snapshot, only what it lists",
} as const satisfies Record<Trial["kind"], string>;

/** The proof as text: a line for each fault or variant with the failed checks, followed by its problems. */
export function renderProof(report: ProofReport, style: ConsoleStyle): string {
  const groups = Map.groupBy(report.trials, ({ kind }) => kind);
  const tables = [...groups].flatMap(([kind, trials]) => [
    "",
    style.strong(titles[kind]),
    ...renderGroup(trials, style),
  ]);
  return [...tables, ...renderNeverFailed(report, style), "", ...renderSummary(report, style), ""].join("\n");
}

const verdictWidth = "unexpected-failure".length;

function renderGroup(trials: readonly Trial[], style: ConsoleStyle): string[] {
  const byName = [...Map.groupBy(trials, ({ name }) => name)];
  const width = Math.max(...byName.map(([name]) => name.length));
  return byName.flatMap(([name, same]) => {
    const verdict = [...new Set(same.map((trial) => trial.verdict))].join(", ");
    const again = same.some(({ failedBefore }) => failedBefore !== undefined) ? "(second attempt) " : "";
    const paint = same.every(asExpected) ? style.good : style.bad;
    const head = `  ${name.padEnd(width)}  ${paint(verdict.padEnd(verdictWidth))}`;
    const indent = width + verdictWidth + 6;
    const room = Math.max(30, style.width - indent);
    const [first = "", ...rest] = wrap(again + failedOf(same), { width: room });
    const more = rest.map((line) => " ".repeat(indent) + line);
    return [`${head}  ${first}`.trimEnd(), ...more, ...findingsOf(same, style)];
  });
}

// `query.limit: 1, 3` for two checks of one requirement.
function failedOf(trials: readonly Trial[]): string {
  const failed = [...new Set(trials.flatMap((trial) => trial.failed))];
  return [...Map.groupBy(failed, requirementOf)]
    .map(
      ([requirement, ids]) =>
        `${requirement}: ${ids.map((id) => id.slice(requirement.length + 1)).join(", ")}`,
    )
    .join("; ");
}

function findingsOf(trials: readonly Trial[], style: ConsoleStyle): string[] {
  const bySeed = trials.filter(({ findings }) => findings.length > 0);
  const shown = bySeed
    .slice(0, 1)
    .flatMap(({ seed, findings }) =>
      findings.map((finding) => `seed ${seed}: ${clip(prose(findingText(finding)), 300)}`),
    );
  return shown.flatMap((line) => wrap(line, { width: style.width, indent: "      " }).map(style.faint));
}

function findingText({ problem, check, verdict, detail }: TrialFinding): string {
  const outcome = verdict === undefined ? "it did not run" : `its verdict: ${verdictLabels[verdict]}`;
  switch (problem) {
    case "missed":
      return `${check} must fail; ${outcome}. ${detail ?? ""}`.trimEnd();
    case "unexpected-failure":
      return `${check} must not fail; ${outcome}. ${detail}`;
    case "not-in-snapshot":
      return `${check} fails in no run of the snapshot; ${outcome}. ${detail}`;
    case "only-in-snapshot":
      return `${check} fails in the snapshot, and did not.`;
    case "not-judged":
      return `${check} must be judged: ${detail}`;
    case "not-shown":
      return `${check} does not show what it reports: ${detail}`;
    case "not-applied":
      return "It changed no response.";
    case "harness-error":
      return check === undefined ? `${detail}` : `${check} ended with an error: ${detail}`;
    default:
      return problem satisfies never;
  }
}

function renderNeverFailed({ neverFailed }: ProofReport, style: ConsoleStyle): string[] {
  if (neverFailed.length === 0) return [];
  return [
    "",
    style.unsure(style.strong("Checks that nothing makes fail")),
    ...wrap(neverFailed.join(", "), { width: style.width, indent: "  " }),
  ];
}

function renderSummary({ trials, planned, seeds, exitCode }: ProofReport, style: ConsoleStyle): string[] {
  const counts = [...Map.groupBy(trials, ({ verdict }) => verdict)].map(
    ([verdict, all]) => `${all.length} ${verdict}`,
  );
  const without = trials.filter((trial) => trial.scope === "without the rate limit").length;
  const limit =
    without === 0
      ? ""
      : ` ${counted(without, "trial")} ran without the checks of the rate limit, because no fault or variant in ${without === 1 ? "it" : "them"} affects it.`;
  const wrong = trials.find((trial) => !asExpected(trial));
  const again =
    wrong === undefined
      ? []
      : [`To repeat one trial: npx shelfcheck proof --only ${wrong.name} --seed ${wrong.seed}`];
  const intended = trials.some(({ verdict }) => verdict === "differs")
    ? ["If a difference from the snapshot is intended: npm run proof -- --update, and review the diff."]
    : [];
  const paint = exitCode === 0 ? style.good : style.bad;
  const text = `${grouped(trials.length)} of ${counted(planned, "trial")}, seed ${seeds.join(", ")}: ${counts.join(", ")}.${limit}`;
  return [
    ...wrap(text, style).map((line, index) => (index === 0 ? paint(line) : line)),
    ...again,
    ...intended,
  ];
}
