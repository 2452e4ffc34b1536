import { printable, shorten, wrap } from "../report/lines.ts";
import type { ConsoleStyle } from "../report/style.ts";
import { requirementOf } from "./expectation.ts";
import type { ProofReport } from "./report.ts";
import { asExpected, type Trial } from "./trial.ts";

const titles = {
  honest: "The reference service as it is: nothing may go red",
  variant: "Variants, allowed though unusual: nothing may go red",
  fault: "Faults of the reference service: the check that is for it goes red, and nothing else",
  injection: "Faults that the proxy puts on honest answers: the same",
} as const satisfies Record<Trial["kind"], string>;

/** The table of a proof: a line for each variant with the checks that went red, and below it what is wrong. */
export function renderProof(report: ProofReport, style: ConsoleStyle): string {
  const groups = Map.groupBy(report.trials, ({ kind }) => kind);
  const tables = [...groups].flatMap(([kind, trials]) => [
    "",
    style.strong(titles[kind]),
    ...renderGroup(trials, style),
  ]);
  return [...tables, ...renderNeverRed(report, style), "", ...renderSummary(report, style), ""].join("\n");
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
    const [first = "", ...rest] = wrap(again + redOf(same), { width: room });
    const more = rest.map((line) => " ".repeat(width + 14) + line);
    return [`${head}  ${first}`.trimEnd(), ...more, ...findingsOf(same, style)];
  });
}

// `query.limit: 1, 3` for two checks of one requirement.
function redOf(trials: readonly Trial[]): string {
  const red = [...new Set(trials.flatMap((trial) => trial.red))];
  return [...Map.groupBy(red, requirementOf)]
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
      findings.map((finding) => `seed ${seed}: ${shorten(printable(finding), 300)}`),
    );
  return shown.flatMap((line) => wrap(line, { width: style.width, indent: "      " }).map(style.faint));
}

function renderNeverRed({ neverRed }: ProofReport, style: ConsoleStyle): string[] {
  if (neverRed.length === 0) return [];
  return [
    "",
    style.unsure(style.strong("Checks that nothing turned red")),
    ...wrap(neverRed.join(", "), { width: style.width, indent: "  " }),
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
    ? " Where that was enough, only the checks for a fault and those of the same sections were run: others were not looked at."
    : "";
  const paint = exitCode === 0 ? style.good : style.bad;
  const seeded = seeds.length === 0 ? "" : `, seed ${seeds.join(", ")}`;
  const text = `${trials.length} of ${planned} trials on ${target}${seeded}: ${counts.join(", ")}.${scope}`;
  return wrap(text, style).map((line, index) => (index === 0 ? paint(line) : line));
}
