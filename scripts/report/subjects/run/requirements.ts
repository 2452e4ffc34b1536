import { requirements } from "../../../../conformance/requirements/all.ts";
import { sections } from "../../../../conformance/requirements/requirement.ts";
import type { Finding, SaidFinding } from "../../../../schemas/contracts/finding.ts";
import type { CheckResult, RequirementResult } from "../../../../schemas/contracts/results.ts";
import { countedLabel, type Verdict, verdictLabels } from "../../../../schemas/contracts/verdicts.ts";
import { capitalized, counted, grouped } from "../../../../schemas/words/format.ts";
import { causeOf, type WordsTable, wordsOf } from "../../../../schemas/words/index.ts";
import { type Item, type ItemFinding, itemLabels, verdictTones } from "../../model.ts";
import { howOften, pattern, placesOf } from "./places.ts";

export type SaidRequirement = RequirementResult<SaidFinding>;
type SaidCheck = CheckResult<SaidFinding>;

const quotes: ReadonlyMap<string, string> = new Map(requirements.map(({ id, quote }) => [id, quote]));

/**
 * Requirements as items; those that one finding of one exchange breaks are one item.
 *
 * @param where How often and where a finding was seen.
 */
export function requirementItems(
  all: readonly SaidRequirement[],
  commandsOf: (requirement: SaidRequirement) => Item["commands"],
  where = whereOf,
): Item[] {
  return [...Map.groupBy(all, sameFinding).values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const also = others.map((one) => requirementItem(one, [], where));
    const item = requirementItem(first, commandsOf(first), where);
    return also.length === 0 ? item : { ...item, also };
  });
}

/** The same for one finding in one exchange; others are only the same as themselves. */
function sameFinding(requirement: SaidRequirement): unknown {
  const [check, ...others] = reportedOf(requirement);
  const exchange = check?.evidence[0];
  const finding = check === undefined ? check : likeness(check);
  if (typeof finding !== "string" || exchange === undefined || others.length > 0) return requirement;
  return JSON.stringify([finding, exchange.curl, exchange.startedAt]);
}

/** With what was found by checks that did not pass; of a passed one, which allowed reading was seen. */
function requirementItem(
  requirement: SaidRequirement,
  commands: Item["commands"],
  where: typeof whereOf,
): Item {
  const { id, section, level, statement, verdict, checks } = requirement;
  const groups = alike(reportedOf(requirement));
  const found = groups.map(([check]) => check);
  const isCalm = groups.length === 0;
  const decided = isWaived(requirement) ? "waived" : verdict;
  const waivers = new Map(found.flatMap(({ waiver }) => (waiver === undefined ? [] : [[waiver.id, waiver]])));
  const took = checks.flatMap(({ milliseconds }) => milliseconds ?? []);
  return {
    id,
    title: statement,
    verdict: decided,
    tone: verdictTones[verdict],
    about: `${section}, ${level.toUpperCase()}`,
    section,
    quote: quotes.get(id),
    said: isCalm
      ? checks.flatMap((check) => saidBy(check, { check: check.title, level, where }))
      : groups.flatMap(([check, ...others], at) =>
          saidBy(check, {
            check: groups.length > 1 ? titleOf(check, decided) : undefined,
            level,
            where,
            others: others.length,
            from: found.slice(0, at).reduce((sum, { evidence }) => sum + evidence.length, 0),
          }),
        ),
    evidence: found.flatMap(({ evidence }) => evidence),
    commands: isCalm ? [] : commands,
    waivers: [...waivers.values()],
    seconds: took.length === 0 ? undefined : took.reduce((sum, one) => sum + one, 0) / 1000,
  };
}

/** What a check tried, and its verdict, where it is not that of the requirement. */
function titleOf({ title, verdict, waiver }: SaidCheck, decided: Item["verdict"]): string {
  const own = waiver === undefined ? verdict : "waived";
  return own === decided ? title : `${capitalized(itemLabels[own])}: ${title}`;
}

interface SaidOptions extends Pick<SaidRequirement, "level"> {
  readonly where: typeof whereOf;
  readonly check?: string | undefined;
  /** Number of further checks that found the same. */
  readonly others?: number;
  /** Number of the first of its exchanges in the evidence of the item. */
  readonly from?: number;
}

/** The findings of a check. The first ones have their places, each place once. */
function saidBy(
  { findings, evidence, attempts, excused, findingsLeftOut, verdict, waiver }: SaidCheck,
  { check, level, where, others = 0, from }: SaidOptions,
): ItemFinding[] {
  const places = from === undefined ? findings.map(() => []) : placesOf(findings, evidence, from);
  // The same failure twice decides, and fails a MUST; these were not the same.
  const isWarning = level === "must" && verdict === "warn" && waiver === undefined;
  const isVarying = isWarning && (attempts?.failed ?? 0) > 1;
  return findings.map((finding, at) => ({
    check: at === 0 ? check : undefined,
    ...withExcuse(finding, excused),
    where: [
      ...where(finding),
      ...(at === 0 && attempts !== undefined
        ? [
            `the check failed in ${attempts.failed} of ${attempts.total} attempts${isVarying ? ", each in another way" : ""}`,
          ]
        : []),
      ...(at === 0 && others > 0 ? [`similar in ${counted(others, "more check")}`] : []),
      ...(at === findings.length - 1 && findingsLeftOut !== undefined
        ? [`${counted(findingsLeftOut, "more finding")} left out`]
        : []),
    ],
    places: places[at] ?? [],
  }));
}

/** The target will never have what is excused, so advice how to provide it would be useless. */
function withExcuse({ message, fix }: SaidFinding, excused = "") {
  if (excused === "") return { message, fix };
  return { message: `${message} Excused: \`optional\` in the config lists ${excused}.`, fix: undefined };
}

/** How often, and where it was seen and where not. */
function whereOf(finding: SaidFinding): string[] {
  const often = wordsOf(finding).howOften === "beside" ? howOften(finding) : undefined;
  return [...(often === undefined ? [] : [often]), ...pattern(finding)];
}

/** Checks that did not pass, what decided first. Beside a failure, what was not judged changes nothing. */
function reportedOf({ verdict: decided, checks }: SaidRequirement): SaidCheck[] {
  const rank = Object.keys(verdictLabels);
  return checks
    .filter(({ verdict }) => verdict !== "pass" && verdict !== "notApplicable")
    .filter(({ verdict }) => decided !== "fail" || verdict !== "inconclusive")
    .toSorted((one, other) => rank.indexOf(one.verdict) - rank.indexOf(other.verdict));
}

/** Checks that found the same at the same place, as one: the one that counted how often comes first. */
function alike(reported: readonly SaidCheck[]): (readonly [SaidCheck, ...SaidCheck[]])[] {
  const total = ({ findings: [first] }: SaidCheck) => first?.seen?.total ?? 0;
  return [...Map.groupBy(reported, likeness).values()].flatMap((group) => {
    const [first, ...others] = group.toSorted((a, b) => total(b) - total(a));
    return first === undefined ? [] : [[first, ...others] as const];
  });
}

/** The same for checks that found the same; the check itself if it found several things, or is waived. */
function likeness(check: SaidCheck): unknown {
  const { verdict, findings, waiver } = check;
  const [first] = findings;
  if (first === undefined || findings.length > 1 || waiver !== undefined) return check;
  const { code, path, subject, actual, expected, product } = first;
  return JSON.stringify([verdict, code, path, subject, actual, expected, product]);
}

/** The requirements by section, in the order of the spec. Sections of another version come last. */
export function sectionsOf(requirements: readonly SaidRequirement[]) {
  const names: readonly string[] = Object.values(sections);
  const place = (name: string) => (names.includes(name) ? names.indexOf(name) : names.length);
  return [...Map.groupBy(requirements, ({ section }) => section)]
    .toSorted(([one], [other]) => place(one) - place(other))
    .map(([name, group]) => ({ name, requirements: group, text: countsText(group) }));
}

/** Whether it failed or was not judged, and a waiver covers that. */
export function isWaived({ verdict, checks }: Pick<SaidRequirement, "verdict" | "checks">): boolean {
  return verdict === "warn" && checks.some(({ waiver }) => waiver !== undefined);
}

/** `8 requirements: 1 failed, 7 passed`; of a part, how many of all it has. */
export function requirementCounts(
  requirements: readonly SaidRequirement[],
  of = requirements.length,
): string {
  const all = counted(of, "requirement");
  const selected = of === requirements.length ? all : `${grouped(requirements.length)} of ${all}`;
  return `${selected}: ${countsText(requirements)}`;
}

/** Counts of verdicts in words, worst first: `3 not judged (1 excused), 1 waived, 2 warnings, 70 passed`. */
function countsText(requirements: readonly SaidRequirement[]): string {
  const excused = requirements.filter((one) => one.excused !== undefined);
  const waived = requirements.filter(isWaived);
  return (Object.keys(verdictLabels) as Verdict[])
    .flatMap((verdict) => {
      const all = requirements.filter((one) => one.verdict === verdict);
      const count = all.length - (verdict === "warn" ? waived.length : 0);
      const aside =
        verdict === "inconclusive" && excused.length > 0 ? ` (${grouped(excused.length)} excused)` : "";
      return [
        ...(verdict === "warn" && waived.length > 0 ? [`${grouped(waived.length)} waived`] : []),
        ...(count > 0 ? [`${grouped(count)} ${countedLabel(verdict, count)}${aside}`] : []),
      ];
    })
    .join(", ");
}

/** A cause for which requirements were not judged: one thing to fix. */
export interface NotJudgedCause {
  readonly finding: Finding;
  /** The cause in words. */
  readonly text: string;
  readonly fix: string | undefined;
  /** Requirements with this cause, those first that no more frequent one has. */
  readonly requirements: readonly SaidRequirement[];
}

/** The most frequent cause first. `table` has the words of their codes. */
export function notJudgedCauses(
  requirements: readonly SaidRequirement[],
  table?: WordsTable,
): NotJudgedCause[] {
  const groups = new Map<string, NotJudgedCause & { readonly requirements: SaidRequirement[] }>();
  for (const requirement of requirements) {
    const own = new Map(causesOf(requirement, table).map((cause) => [cause.key, cause]));
    for (const [key, cause] of own) {
      const known = groups.get(key) ?? { ...cause, requirements: [] };
      known.requirements.push(requirement);
      groups.set(key, known);
    }
  }
  return [...groups.values()].toSorted((a, b) => b.requirements.length - a.requirements.length);
}

function causesOf(requirement: SaidRequirement, table?: WordsTable) {
  const found = reportedOf(requirement)
    .filter(({ verdict }) => verdict === "inconclusive")
    .flatMap(({ findings, excused = "" }) =>
      findings.map((finding) => {
        const { message: text, fix } = withExcuse(finding, excused);
        return { key: `${excused} ${causeOf(finding, table)}`, finding, text, fix };
      }),
    );
  const finding: Finding = { code: "not-reached" };
  return found.length > 0 ? found : [{ key: "not-reached", finding, text: "", fix: undefined }];
}
