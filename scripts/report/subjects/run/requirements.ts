import { requirements } from "../../../../conformance/requirements/all.ts";
import { sections } from "../../../../conformance/requirements/requirement.ts";
import type { Verdict } from "../../../../conformance/requirements/verdict.ts";
import type { SaidFinding } from "../../../../schemas/contracts/finding.ts";
import type { CheckResult, RequirementResult, Results } from "../../../../schemas/contracts/results.ts";
import { countedLabel, verdictLabels } from "../../../../schemas/verdicts.ts";
import { counted, grouped } from "../../../../schemas/words/format.ts";
import { wordsOf } from "../../../../schemas/words/index.ts";
import { howOften, pattern } from "../../../../schemas/words/occurrence.ts";

export interface ShownRequirement extends Omit<RequirementResult, "checks"> {
  readonly text: string;
  /** The text of the spec; undefined for a requirement of another version. */
  readonly quote: string | undefined;
  /** The command that repeats the requests after a fix. */
  readonly replay: string;
  readonly checks: readonly ShownCheck[];
  /** Checks that failed, warned, were not judged or ended in an error. */
  readonly reported: readonly ShownCheck[];
}

export interface ShownCheck extends Omit<CheckResult, "findings"> {
  /** All findings in words. */
  readonly text: string;
  /** The same, one text for each finding. */
  readonly parts: readonly string[];
  readonly found: readonly ShownFinding[];
  /** ` (failed in 2 of 5 attempts)`, to follow the text; usually empty. */
  readonly remarks: string;
}

/** A finding in words, with its evidence. */
export interface ShownFinding {
  readonly text: string;
  readonly fix: string | undefined;
  /** `66 of 258 responses (25.6 %)`; undefined if the text has it. */
  readonly often: string | undefined;
  /** Where it occurred and where not. */
  readonly pattern: readonly string[];
  /** Expected content of the place. */
  readonly expected: string | undefined;
  /** Path, expected and actual value, and the exchanges that show it. */
  readonly data: SaidFinding;
}

export interface ReportSection {
  readonly name: string;
  readonly requirements: readonly ShownRequirement[];
  /** Number of requirements by verdict, worst first, without zeros. */
  readonly counts: readonly (readonly [Verdict, number])[];
  /** `1 failed, 7 passed`. */
  readonly text: string;
}

const quotes: ReadonlyMap<string, string> = new Map(requirements.map(({ id, quote }) => [id, quote]));

/** A requirement with its checks and findings in words. */
export function shownRequirement(
  { checks, ...requirement }: RequirementResult<SaidFinding>,
  replay: string,
): ShownRequirement {
  const shown = checks.map(shownCheck);
  // What decided comes first.
  const rank = Object.keys(verdictLabels);
  const reported = shown
    .filter(({ verdict }) => verdict !== "pass" && verdict !== "notApplicable")
    .toSorted((one, other) => rank.indexOf(one.verdict) - rank.indexOf(other.verdict));
  const deciding = shown.filter(({ verdict }) => verdict === requirement.verdict);
  const text = [...new Set(deciding.map((check) => check.text))].filter((one) => one !== "").join(" ");
  const { id } = requirement;
  const quote = quotes.get(id);
  return { ...requirement, text, quote, replay, checks: shown, reported };
}

function shownCheck({ findings, ...check }: CheckResult<SaidFinding>): ShownCheck {
  const { attempts, excused, findingsLeftOut: left } = check;
  // The target will never have it, so advice how to provide it would be useless.
  const parts = findings.map((finding) =>
    excused === undefined
      ? textOf(finding)
      : `${finding.message} Excused: \`optional\` in the config lists ${excused}.`,
  );
  return {
    ...check,
    text: parts.join(" "),
    parts,
    found: findings.map(shownFinding),
    remarks: [
      attempts === undefined ? "" : ` (failed in ${attempts.failed} of ${attempts.total} attempts)`,
      left === undefined ? "" : ` (and ${counted(left, "more finding")}, left out here)`,
    ].join(""),
  };
}

function shownFinding(data: SaidFinding): ShownFinding {
  return {
    text: data.message,
    fix: data.fix,
    often: wordsOf(data).howOften === "beside" ? howOften(data) : undefined,
    pattern: pattern(data),
    expected: data.expectedThere,
    data,
  };
}

/** The sentences of a finding: what it is, and its fix. */
export function textOf({ message, fix }: SaidFinding): string {
  return fix === undefined ? message : `${message} ${fix}`;
}

/** The requirements by section, in the order of the spec. Sections of another version come last. */
export function sectionsOf(requirements: readonly ShownRequirement[]): ReportSection[] {
  const names: readonly string[] = Object.values(sections);
  const place = (name: string) => (names.includes(name) ? names.indexOf(name) : names.length);
  return [...Map.groupBy(requirements, ({ section }) => section)]
    .toSorted(([one], [other]) => place(one) - place(other))
    .map(([name, group]) => {
      const asides = {
        waived: group.filter(isWaived).length,
        excused: group.filter(({ excused }) => excused !== undefined).length,
      };
      return {
        name,
        requirements: group,
        counts: countsOf(group),
        text: countsText(summaryOf(group), asides),
      };
    });
}

/** The number of requirements for each verdict, including zeros. */
export function summaryOf(requirements: readonly ShownRequirement[]): Results["summary"] {
  const none = { pass: 0, fail: 0, warn: 0, inconclusive: 0, notApplicable: 0, error: 0 };
  return { ...none, ...Object.fromEntries(countsOf(requirements)) };
}

/** The number of requirements for each verdict that occurs, worst first. */
export function countsOf(
  requirements: readonly Pick<RequirementResult, "verdict">[],
): (readonly [Verdict, number])[] {
  return (Object.keys(verdictLabels) as Verdict[])
    .map((verdict) => [verdict, requirements.filter((one) => one.verdict === verdict).length] as const)
    .filter(([, count]) => count > 0);
}

/** Whether it failed or was not judged, and a waiver covers that. */
export function isWaived({ verdict, checks }: Pick<ShownRequirement, "verdict" | "checks">): boolean {
  return verdict === "warn" && checks.some(({ waiver }) => waiver !== undefined);
}

/** Counts of verdicts in words, worst first: `3 not judged (1 excused), 1 waived, 2 warnings, 70 passed`. */
export function countsText(
  summary: Results["summary"],
  { waived = 0, excused = 0 }: { readonly waived?: number; readonly excused?: number } = {},
): string {
  const aside = excused === 0 ? "" : ` (${grouped(excused)} excused)`;
  return (Object.keys(verdictLabels) as Verdict[])
    .flatMap((verdict) => {
      const count = summary[verdict] - (verdict === "warn" ? waived : 0);
      return [
        ...(verdict === "warn" && waived > 0 ? [`${grouped(waived)} waived`] : []),
        ...(count > 0
          ? [`${grouped(count)} ${countedLabel(verdict, count)}${verdict === "inconclusive" ? aside : ""}`]
          : []),
      ];
    })
    .join(", ");
}
