import { covers, namesOf } from "../../conformance/engine/select.ts";
import { type Requirement, requirements } from "../../conformance/requirements/all.ts";
import { sectionOf, sections } from "../../conformance/requirements/requirement.ts";
import { type Listed, listChecks } from "../../conformance/suite/all.ts";
import { counted } from "../../schemas/words/format.ts";
import { didYouMean } from "../config/did-you-mean.ts";
import { UsageError } from "../errors.ts";
import { type ConsoleStyle, prose, wrap } from "../report/terminal.ts";

/** What capabilities know of what is explained. */
export interface Explains {
  /** Of a check: fields for `--json`, and the same as a sentence. */
  readonly check?: (id: string) => { readonly fields: object; readonly sentence: string };
  /** How a requirement on clients is judged, in sentences. */
  readonly requirement?: (id: string) => readonly string[];
}

type ExplainedCheck = Pick<Listed, "id" | "title" | "requests">;

export interface Explanation extends Requirement {
  /** Heading of its section in the spec. */
  readonly section: string;
  /** With what capabilities know of them. */
  readonly checks: readonly ExplainedCheck[];
}

/**
 * Explains a requirement, the requirement that a check judges, or all requirements of a section of the spec.
 * @param name The id of a requirement or check, or the key or heading of a section.
 * @throws UsageError for an unknown name.
 */
export function explanationsOf(name: string, known: readonly Explains[]): Explanation[] {
  const checks = listChecks();
  const matching = checks.filter((check) => covers(name, check));
  const found = requirements.filter(
    ({ id }) => covers(name, { requirement: id }) || matching.some(({ requirement }) => requirement === id),
  );
  if (found.length === 0) throw unknown(name, checks);
  return found.map((one) => ({
    ...one,
    section: sections[sectionOf(one.id)],
    checks: matching
      .filter(({ requirement }) => requirement === one.id)
      .map(({ id, title, requests }) => ({
        id,
        title,
        requests,
        ...Object.assign({}, ...known.map((one) => one.check?.(id).fields)),
      })),
  }));
}

/** Every requirement with its section, its level, and whether and how it is judged. */
export function requirementIds() {
  return requirements.map(({ id, level, treatment: { kind } }) => ({
    id,
    section: sectionOf(id),
    level,
    treatment: kind,
  }));
}

const treatmentLabels = {
  judged: "",
  excluded: ", not judged",
  gap: ", not judged",
  client: ", of clients",
} as const satisfies Record<Requirement["treatment"]["kind"], string>;

/** Sections with their requirements, each in one line. */
export function renderIds(style: ConsoleStyle): string {
  const width = Math.max(...requirements.map(({ id }) => id.length));
  const lines = [...Map.groupBy(requirementIds(), ({ section }) => section)].flatMap(([section, group]) => [
    `${style.strong(section)}: ${prose(sections[section])}`,
    ...group.map(
      ({ id, level, treatment }) =>
        `  ${id.padEnd(width)}  ${style.faint(`${level.toUpperCase()}${treatmentLabels[treatment]}`)}`,
    ),
  ]);
  return `${lines.join("\n")}\n\nTo see one, and why it is not judged: npx shelfcheck explain ID\n`;
}

function unknown(name: string, checks: readonly Listed[]): UsageError {
  const known = namesOf([...requirements.map(({ id }) => ({ requirement: id })), ...checks]);
  return new UsageError({
    what: "There is no requirement, check or section with this id",
    where: `explain ${name}`,
    fix: didYouMean(name, known),
  });
}

export function renderExplanations(
  explanations: readonly Explanation[],
  known: readonly Explains[],
  style: ConsoleStyle,
): string {
  return `${explanations.map((one) => renderOne(one, known, style).join("\n")).join("\n\n")}\n`;
}

function renderOne(explanation: Explanation, known: readonly Explains[], style: ConsoleStyle): string[] {
  const { id, section, level, actor, statement, checks } = explanation;
  const head = wrap(`${id}: ${section}, ${level.toUpperCase()}, binds the ${actor}`, style);
  return [
    ...head.map((line, index) => (index === 0 ? line.replace(id, style.strong(id)) : line)),
    ...wrap(prose(statement), { width: style.width, indent: "  " }),
    ...wrap(prose(treatmentOf(explanation, known)), { width: style.width, indent: "  " }).map(style.faint),
    ...checks.flatMap((check) => renderCheck(check, known, style)),
  ];
}

function treatmentOf({ id, treatment, checks }: Explanation, known: readonly Explains[]): string {
  switch (treatment.kind) {
    case "judged":
      return `Judged by ${checks.length === 1 ? "this check" : `these ${checks.length} checks`}:`;
    case "excluded":
      return `Not judged: ${treatment.why}`;
    case "gap":
      return `Not judged: the specification does not show ${treatment.what}.`;
    case "client":
      return known.flatMap((one) => one.requirement?.(id) ?? []).join(" ");
    default:
      return treatment satisfies never;
  }
}

function renderCheck(
  { id, title, requests }: ExplainedCheck,
  known: readonly Explains[],
  style: ConsoleStyle,
): string[] {
  const indented = { width: style.width, indent: "      " };
  const sent =
    requests === 0 ? "examines the responses to other requests" : `at most ${counted(requests, "request")}`;
  const more = known.flatMap((one) => one.check?.(id).sentence ?? []);
  return [
    `    ${id}`,
    ...wrap(`${title} (${sent}).`, indented),
    ...more.flatMap((sentence) => wrap(sentence, indented).map(style.faint)),
  ];
}
