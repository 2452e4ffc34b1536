import { covers, namesOf } from "../../conformance/engine/select.ts";
import { type Requirement, requirements } from "../../conformance/requirements/all.ts";
import { sectionOf, sections } from "../../conformance/requirements/requirement.ts";
import { listChecks } from "../../conformance/suite/all.ts";
import { counted } from "../../schemas/words/format.ts";
import { didYouMean } from "../config/did-you-mean.ts";
import { UsageError } from "../errors.ts";
import { type ConsoleStyle, prose, wrap } from "../report/terminal.ts";

/** What a capability knows of what is explained, in sentences. */
export interface Explains {
  readonly check?: (id: string) => string;
  /** How a requirement on clients is judged. */
  readonly requirement?: (id: string) => readonly string[];
}

export interface Explanation extends Requirement {
  /** Heading of its section in the spec. */
  readonly section: string;
  /** Whether and how it is judged. */
  readonly judged: string;
  readonly checks: readonly {
    readonly id: string;
    readonly title: string;
    readonly requests: number;
    readonly notes: readonly string[];
  }[];
}

/**
 * Explains a requirement, the requirement that a check judges, or all requirements of a section of the spec.
 *
 * @param name The id of a requirement or check, or the key or heading of a section. Default: all requirements
 * @throws UsageError for an unknown name.
 */
export function explanationsOf(name: string | undefined, known: readonly Explains[]): Explanation[] {
  const all = listChecks();
  const matching = all.filter((check) => name === undefined || covers(name, check));
  const found = requirements.flatMap((requirement) => {
    const { id } = requirement;
    const checks = matching
      .filter((check) => check.requirement === id)
      .map(({ id, title, requests }) => {
        return { id, title, requests, notes: known.flatMap((one) => one.check?.(id) ?? []) };
      });
    if (name !== undefined && checks.length === 0 && !covers(name, { requirement: id })) return [];
    const judged = judgedBy(requirement, checks.length, known);
    return [{ ...requirement, section: sections[sectionOf(id)], judged, checks }];
  });
  if (name === undefined || found.length > 0) return found;
  throw new UsageError({
    what: "There is no requirement, check or section with this id",
    where: `explain ${name}`,
    fix: didYouMean(name, namesOf([...requirements.map(({ id }) => ({ requirement: id })), ...all])),
  });
}

function judgedBy({ id, treatment }: Requirement, checks: number, known: readonly Explains[]): string {
  switch (treatment.kind) {
    case "judged":
      return `Judged by ${checks === 1 ? "this check" : `these ${checks} checks`}:`;
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

const treatmentLabels = {
  judged: "",
  excluded: ", not judged",
  gap: ", not judged",
  client: ", of clients",
} as const satisfies Record<Requirement["treatment"]["kind"], string>;

/** Sections with their requirements, each in one line. */
export function renderIds(explanations: readonly Explanation[], style: ConsoleStyle): string {
  const width = Math.max(...explanations.map(({ id }) => id.length));
  const lines = [...Map.groupBy(explanations, ({ id }) => sectionOf(id))].flatMap(([section, group]) => [
    `${style.strong(section)}: ${prose(sections[section])}`,
    ...group.map(({ id, level, treatment }) => {
      const about = `${level.toUpperCase()}${treatmentLabels[treatment.kind]}`;
      return `  ${id.padEnd(width)}  ${style.faint(about)}`;
    }),
  ]);
  return `${lines.join("\n")}\n\nTo see one, and why it is not judged: npx shelfcheck explain ID\n`;
}

export function renderExplanations(explanations: readonly Explanation[], style: ConsoleStyle): string {
  return `${explanations.map((one) => renderOne(one, style).join("\n")).join("\n\n")}\n`;
}

function renderOne(explanation: Explanation, style: ConsoleStyle): string[] {
  const { id, section, level, actor, statement, quote, judged, checks } = explanation;
  const lines = (text: string, depth: number) =>
    wrap(prose(text), { width: style.width, indent: " ".repeat(depth) });
  return [
    ...lines(`${id}: ${section}, ${level.toUpperCase()}, binds the ${actor}`, 0).map(style.strong),
    ...lines(statement, 2),
    ...lines(`The spec: "${quote}"`, 2),
    ...lines(judged, 2).map(style.faint),
    ...checks.flatMap(({ id, title, requests, notes }) => {
      const most = `at most ${counted(requests, "request")}`;
      const sent = requests === 0 ? "examines the responses to other requests" : most;
      return [
        `    ${id}`,
        ...lines(`${title} (${sent}).`, 6),
        ...notes.flatMap((note) => lines(note, 6).map(style.faint)),
      ];
    }),
  ];
}
