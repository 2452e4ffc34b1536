import { dirname, join } from "node:path";
import { verdictLabels } from "../../../../schemas/verdicts.ts";
import { counted, grouped } from "../../../../schemas/words/format.ts";
import {
  type Blocks,
  type Card,
  type CardFinding,
  type CardsBlock,
  type FoldBlock,
  group,
  type LabelledRow,
  line,
  names,
  only,
  onlyText,
  paragraph,
  requirementNouns,
  type SectionBlock,
  type Text,
} from "../../document.ts";
import { verdictTones } from "../../tones.ts";
import type { NotJudgedCause } from "./parts.ts";
import { placesOf } from "./places.ts";
import { isWaived, type ShownCheck, type ShownRequirement } from "./requirements.ts";

// What the reports of services and of clients share: requirements with what was found, why some were not judged, and
// the last lines of a console.

/** What a console says besides the report. */
export interface ConsoleFacts {
  /** Path of `results.json` from the working directory; undefined if it could not be written. */
  readonly resultsFile?: string | undefined;
  /** Whether the run ended earlier, so that its exit code is not that of the command. Default: false */
  readonly isPast?: boolean;
}

export const reportPage = "report.html";

/** What one subject adds to the finding of a check. */
type Adds = (check: ShownCheck, requirement: ShownRequirement) => Partial<CardFinding>;

/** A card for each requirement, with the checks that did not pass; requirements that one finding breaks share a card. */
export function requirementCards(
  requirements: readonly ShownRequirement[],
  adds: Adds = () => ({}),
  exchanges?: number,
): CardsBlock {
  return {
    kind: "cards",
    seen: "statement, and what was seen",
    nouns: requirementNouns,
    exchanges,
    cards: [...Map.groupBy(requirements, sameFinding).values()].flatMap(([first, ...others]) =>
      first === undefined ? [] : [requirementCard(first, others, adds)],
    ),
  };
}

/** The same for requirements with the same finding in the same exchange; others are only the same as themselves. */
function sameFinding(requirement: ShownRequirement): unknown {
  const [check, ...others] = requirement.reported;
  const exchange = check?.evidence[0];
  const finding = check === undefined ? check : likeness(check);
  if (typeof finding !== "string" || exchange === undefined || others.length > 0) return requirement;
  return JSON.stringify([finding, exchange.curl, exchange.startedAt]);
}

function requirementCard(
  requirement: ShownRequirement,
  alsoBroken: readonly ShownRequirement[],
  adds: Adds,
): Card {
  const { id, section, level, statement, quote, verdict, text, reported } = requirement;
  const groups = alike(reported);
  return {
    tone: verdictTones[verdict],
    label: labelOf(requirement),
    id,
    about: [
      section,
      { own: `, ${level.toUpperCase()}` },
      ...alsoBroken.map((other) => ({ own: `, also ${other.id}` })),
    ],
    title: statement,
    quote,
    keys: { verdict, section },
    findings:
      reported.length === 0
        ? [{ facts: text === "" ? [] : [{ text }], exchanges: [] }]
        : groups.map(([check, ...others]) => ({
            ...checkFinding(check, groups.length > 1 && addsTo(check.title, requirement)),
            also: [...others, ...alsoBroken.map((other) => ({ id: other.id, title: other.statement }))],
            ...adds(check, requirement),
          })),
  };
}

function labelOf(requirement: ShownRequirement): string {
  return isWaived(requirement) ? "waived" : verdictLabels[requirement.verdict];
}

/** Checks that found the same at the same place, as one: the one that counted how often comes first. */
function alike(reported: readonly ShownCheck[]): (readonly [ShownCheck, ...ShownCheck[]])[] {
  const groups = Map.groupBy(reported, likeness);
  const total = ({ found: [first] }: ShownCheck) => first?.data.seen?.total ?? 0;
  return [...groups.values()].flatMap((group) => {
    const [first, ...others] = group.toSorted((a, b) => total(b) - total(a));
    return first === undefined ? [] : [[first, ...others] as const];
  });
}

/** The same for checks that found the same; the check itself if it found more than one thing, or is waived. */
function likeness(check: ShownCheck): unknown {
  const { verdict, found, waiver } = check;
  const [first] = found;
  const isPlaced = first !== undefined && first.data.code !== "recorded";
  if (!isPlaced || found.length > 1 || waiver !== undefined) return check;
  const { code, path, subject, actual, expected, product } = first.data;
  return JSON.stringify([verdict, code, path, subject, actual, expected, product]);
}

/** Whether the title of a check says more than the statement of its requirement. */
function addsTo(title: string, { statement }: ShownRequirement): boolean {
  const beginning = (text: string) => text.toLowerCase().split(/\W+/).slice(0, 4).join(" ");
  return beginning(title) !== beginning(statement);
}

function checkFinding(check: ShownCheck, isTitled: boolean): CardFinding {
  const { id, title, text, parts, found, remarks, evidence, waiver } = check;
  return {
    id,
    title: isTitled ? title : undefined,
    facts: (found.length === 0 ? [text] : parts).map((one, at) => {
      const { often, pattern = [] } = found[at] ?? {};
      return { text: one, where: [...(often === undefined ? [] : [often]), ...pattern] };
    }),
    remarks: [
      { own: remarks.trim() },
      ...(waiver === undefined
        ? []
        : [
            line`Waived until ${waiver.expires} by ${waiver.owner}, ${{ code: waiver.ticket }}: ${waiver.reason}`,
          ]),
    ],
    places: () => placesOf(check),
    exchanges: evidence,
  };
}

/** Number of ids named for one cause in Markdown. */
const mostIds = 30;

/** Requirements that were not judged, by their causes, since a cause is what can be fixed. */
export function notJudgedSection(causes: readonly NotJudgedCause[], count: number): SectionBlock {
  const title = "Not judged";
  return {
    kind: "section",
    id: "not-judged",
    title: [onlyText(["console"], { tone: "unsure", label: title }), onlyText(["markdown", "html"], title)],
    count,
    blocks: [
      {
        kind: "list",
        only: ["console", "markdown"],
        most: { shown: 50, one: "cause" },
        items: causes.map(({ cause, requirements, also }) => {
          const ids = [...requirements, ...also].map(({ id }) => id);
          const shown = ids.slice(0, mostIds);
          const left = shown.length < ids.length ? ` (${shown.length} of ${grouped(ids.length)} shown)` : "";
          return {
            text: line`${{ own: counted(ids.length, "requirement") }}: ${cause}`,
            below: [
              [
                onlyText(["console"], { faint: names(ids) }),
                onlyText(["markdown"], [...names(shown), { own: left }]),
              ],
            ],
          };
        }),
      },
      ...causes.map((cause) => causeFold(cause)),
    ],
  };
}

/** A cause on a page: it opens to its requirements, and each of them to its checks. */
function causeFold({ text, fix, requirements, also }: NotJudgedCause): FoldBlock {
  return {
    kind: "fold",
    only: ["html"],
    filtered: true,
    tone: "unsure",
    title: [{ strong: text }, { own: " " }, fix],
    aside: { own: counted(requirements.length + also.length, "requirement") },
    blocks: [
      {
        kind: "rows",
        rows: requirements.map((requirement) => {
          const { id, statement, section, level, verdict } = requirement;
          const about = { faint: line`${{ code: id }} ${{ own: level.toUpperCase() }}, ${section}` };
          return {
            text: line`${statement} ${about}`,
            id,
            keys: { verdict, section },
            blocks: checkBlocks(requirement),
          };
        }),
      },
      also.length > 0 &&
        paragraph(
          line`Also needed by ${also.flatMap(({ id }) => [{ own: " " }, { link: { code: id }, to: `#${id}` }])}`,
        ),
    ],
  };
}

/** A requirement as a row, which leads to its card, or opens to its checks. */
export function requirementRow(requirement: ShownRequirement): LabelledRow {
  const { id, verdict, section } = requirement;
  const row = {
    tone: verdictTones[verdict],
    label: labelOf(requirement),
    text: statementText(requirement),
    keys: { verdict, section },
  };
  return verdict === "pass" || verdict === "notApplicable"
    ? { ...row, id, blocks: checkBlocks(requirement) }
    : { ...row, to: `#${id}` };
}

/** The text of the spec, and below it what it demands. */
export function statementText({
  id,
  quote,
  statement,
}: Pick<ShownRequirement, "id" | "quote" | "statement">): Text {
  return { lines: [quote ?? "", { faint: [statement, { own: " " }, { code: id }] }] };
}

/** The checks of a requirement without a card, each with its verdict and its exchanges. */
function checkBlocks({ checks, verdict: whole }: ShownRequirement): Blocks {
  if (checks.length === 0) return [paragraph({ faint: "It has no checks." })];
  return checks.flatMap(
    ({ id, title, verdict, text, evidence }): Blocks => [
      paragraph([{ tone: verdictTones[verdict], label: verdictLabels[verdict] }, { own: " " }, title]),
      text === "" ? undefined : paragraph(text),
      paragraph({ faint: { code: id } }),
      { kind: "exchange", exchanges: whole === "inconclusive" ? evidence : [] },
    ],
  );
}

interface Ending {
  readonly exitCode: number;
  /** What decided, as a sentence. */
  readonly why: string;
  /** What to do, and what else went wrong. */
  readonly says: Blocks;
}

/** What to do, and in the last line of a console the exit code with its cause. */
export function ending(
  { exitCode, why, says }: Ending,
  { resultsFile, isPast = false }: ConsoleFacts,
): SectionBlock {
  return only(
    ["console"],
    group(
      resultsFile !== undefined && paragraph({ own: `Results: ${resultsFile}` }),
      resultsFile !== undefined && paragraph({ own: `Report: ${join(dirname(resultsFile), reportPage)}` }),
      ...says,
      paragraph([{ own: `${isPast ? "The run ended with exit code" : "Exit"} ${exitCode}: ` }, why]),
    ),
  );
}
