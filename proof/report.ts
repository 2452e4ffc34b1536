import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { listChecks } from "../conformance/suite/all.ts";
import { verdictLabels } from "../schemas/verdicts.ts";
import { clip, counted, grouped } from "../schemas/words/format.ts";
import { type ConsoleStyle, prose, wrap } from "../scripts/report/terminal.ts";
import { version } from "../scripts/version.ts";
import { requirementOf } from "./fault.ts";
import { asExpected, type Trial, type TrialFinding } from "./trial.ts";

/** The result of a proof, as written to `proof.json`. */
export interface ProofReport {
  readonly schemaVersion: 2;
  readonly tool: { readonly name: "shelfcheck"; readonly version: string };
  readonly target: string;
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
  frame: Pick<ProofReport, "target" | "seeds" | "planned"> & {
    readonly startedAt: Date;
    readonly finishedAt: Date;
    readonly everything: boolean;
    readonly interrupted: boolean;
  },
  trials: readonly Trial[],
): ProofReport {
  const { target, seeds, planned, startedAt, finishedAt, everything, interrupted } = frame;
  const failed = new Set(trials.flatMap((trial) => trial.failed));
  const good = trials.length === planned && trials.every(asExpected);
  return {
    schemaVersion: 2,
    tool: { name: "shelfcheck", version },
    target,
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

const kinds = ["honest", "variant", "set", "fault", "pair"] as const satisfies readonly Trial["kind"][];

function byKindAndName(a: Trial, b: Trial): number {
  return (
    kinds.indexOf(a.kind) - kinds.indexOf(b.kind) ||
    a.name.localeCompare(b.name) ||
    (a.seed ?? 0) - (b.seed ?? 0)
  );
}

/** Writes `proof.json` and `proof.txt` into the run's folder. */
export async function writeProof(report: ProofReport, text: string, folder: string): Promise<void> {
  await writeFile(join(folder, "proof.json"), `${JSON.stringify(report, null, 2)}\n`);
  await writeFile(join(folder, "proof.txt"), text);
}

const titles = {
  honest: "The reference service as it is: no check may fail",
  variant: "Variants, unusual but allowed: no check may fail",
  set: "Variants together: no check may fail",
  fault: "Faults: the checks for each fault must fail, and no others",
  pair: "Faults in an unusual service: the checks for each fault must fail, and no others",
} as const satisfies Record<Trial["kind"], string>;

/** The proof as text: a line for each fault or variant with the failed checks, followed by its problems. */
export function renderProof(report: ProofReport, style: ConsoleStyle): string {
  const groups = Map.groupBy(report.trials, ({ kind }) => kind);
  const tables = [...groups].flatMap(([kind, trials]) => [
    "",
    style.strong(titles[kind]),
    ...renderGroup(trials, style),
  ]);
  return [
    ...tables,
    ...renderSeeds(report, style),
    ...renderNeverFailed(report, style),
    "",
    ...renderSummary(report, style),
    "",
  ].join("\n");
}

function renderGroup(trials: readonly Trial[], style: ConsoleStyle): string[] {
  const byName = [...Map.groupBy(trials, ({ name }) => name)];
  const width = Math.max(...byName.map(([name]) => name.length));
  return byName.flatMap(([name, same]) => {
    const verdict = [...new Set(same.map((trial) => trial.verdict))].join(", ");
    const again = same.some(({ attempts }) => attempts === 2) ? "(second attempt) " : "";
    const paint = same.every(asExpected) ? style.good : style.bad;
    const head = `  ${name.padEnd(width)}  ${paint(verdict.padEnd(8))}`;
    const room = Math.max(30, style.width - width - 14);
    const [first = "", ...rest] = wrap(again + failedOf(same), { width: room });
    const more = rest.map((line) => " ".repeat(width + 14) + line);
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
    case "blamed":
      return `${check} must not fail; ${outcome}. ${detail}`;
    case "notJudged":
      return `${check} must be judged: ${detail}`;
    case "notTried":
      return `${check} must pass without the fault; ${outcome}, so it can prove nothing.`;
    case "notShown":
      return `${check} does not show what it reports: ${detail}`;
    case "notApplied":
      return "The fault changed no response of this target.";
    case "broke":
      return check === undefined ? `${detail}` : `${check} ended with an error: ${detail}`;
    default:
      return problem satisfies never;
  }
}

/** With more seeds, the report has a table with a column for each. */
const seedsInLines = 3;

// A column for each seed: a dot where the outcome is as expected, otherwise the exit code of the run.
function renderSeeds({ trials, seeds }: ProofReport, style: ConsoleStyle): string[] {
  if (seeds.length <= seedsInLines) return [];
  const faulty = trials.filter(({ kind }) => kind === "fault");
  if (faulty.length === 0) return [];
  const byName = [...Map.groupBy(faulty, ({ name }) => name)];
  const unexpected = byName.filter(([, same]) => !same.every(asExpected));
  const width = Math.max(0, ...unexpected.map(([name]) => name.length));
  const rows = unexpected.flatMap(([name, same]) => {
    const cells = seeds.map((seed) => cellOf(same.find((trial) => trial.seed === seed)));
    const reasons = same.flatMap(({ seed, verdict, findings }) =>
      asExpected({ verdict })
        ? []
        : [`seed ${seed}: ${clip(prose(findings.map(findingText).join(" ")), 300)}`],
    );
    const lines = reasons.flatMap((line) => wrap(line, { width: style.width, indent: "      " }));
    return [`  ${name.padEnd(width)}  ${cells.join(" ")}`, ...lines.map(style.faint)];
  });
  const caught = `${byName.length - unexpected.length} of ${byName.length} faults were caught on each of ${seeds.length} seeds.`;
  const legend =
    "A column for each seed: a dot where the fault was caught, otherwise the exit code of the run; - where it was not tried.";
  return [
    "",
    style.strong("Faults by seed"),
    `  ${caught}`,
    ...(rows.length === 0 ? [] : [...wrap(legend, { width: style.width, indent: "  " }), ...rows]),
  ];
}

function cellOf(trial: Trial | undefined): string {
  if (trial === undefined) return "-";
  return asExpected(trial) ? "." : String(trial.exitCode ?? "?");
}

function renderNeverFailed({ neverFailed }: ProofReport, style: ConsoleStyle): string[] {
  if (neverFailed.length === 0) return [];
  return [
    "",
    style.unsure(style.strong("Checks that nothing makes fail")),
    ...wrap(neverFailed.join(", "), { width: style.width, indent: "  " }),
  ];
}

function renderSummary(
  { trials, planned, seeds, target, exitCode }: ProofReport,
  style: ConsoleStyle,
): string[] {
  const counts = [...Map.groupBy(trials, ({ verdict }) => verdict)].map(
    ([verdict, all]) => `${all.length} ${verdict}`,
  );
  const partial = trials.some(({ scope }) => scope === "selected checks");
  const scope = partial
    ? " Some trials ran only the checks for their fault and those of the same sections."
    : "";
  const without = trials.filter((trial) => trial.scope === "without the rate limit").length;
  const alone = trials.filter((trial) => trial.scope === "rate limit alone").map(({ name }) => name);
  const limit =
    without === 0
      ? ""
      : ` ${counted(without, "trial")} ran without the checks of the rate limit, because no fault or variant in ${without === 1 ? "it" : "them"} affects it. --full runs them in every trial.`;
  const slow =
    alone.length === 0
      ? ""
      : ` Only the checks of the rate limit ran with variants that take minutes: ${[...new Set(alone)].join(", ")}. --full runs everything.`;
  const [wrong] = trials.filter((trial) => !asExpected(trial) && trial.seed !== undefined);
  const again =
    wrong === undefined
      ? []
      : [`To repeat one trial: shelfcheck proof --only ${wrong.name} --seed ${wrong.seed}`];
  const paint = exitCode === 0 ? style.good : style.bad;
  const seeded = seeds.length === 0 ? "" : `, seed ${seeds.join(", ")}`;
  const text = `${grouped(trials.length)} of ${counted(planned, "trial")} on ${target}${seeded}: ${counts.join(", ")}.${scope}${limit}${slow}`;
  return [...wrap(text, style).map((line, index) => (index === 0 ? paint(line) : line)), ...again];
}
