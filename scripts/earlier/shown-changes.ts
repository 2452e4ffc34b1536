import type { TableBlock } from "../report/document.ts";
import type { Tone } from "../report/tones.ts";
import type { Drift } from "./contract-change.ts";
import { arrayText, driftLabels, driftSubject, driftText } from "./contract-words.ts";

const driftTones = {
  breaking: "bad",
  notable: "notice",
  harmless: "plain",
} as const satisfies Record<Drift["rank"], Tone>;

/** A change of the contract in words. */
export interface ShownChange extends Pick<Drift, "rank" | "rule" | "kind"> {
  readonly label: string;
  readonly tone: Tone;
  /** What changed, in a few words. */
  readonly subject: string;
  readonly text: string;
}

/** Changes in words, breaking ones first. A field that became an array, or was one, is one change and not two. */
export function shownChanges(changes: readonly Drift[]): ShownChange[] {
  const ranks = Object.keys(driftLabels) as Drift["rank"][];
  const sorted = changes.toSorted((one, other) => ranks.indexOf(one.rank) - ranks.indexOf(other.rank));
  const seen = new Set<string>();
  return sorted.flatMap((one) => {
    const { rank, rule, kind } = one;
    const shown = { rank, rule, kind, label: driftLabels[rank], tone: driftTones[rank] };
    const field = one.subject.replace(/\[\]$/, "");
    const wasArray = kind === "field" ? wasArrayOf(field, sorted) : undefined;
    if (wasArray === undefined) return { ...shown, subject: driftSubject(one), text: driftText(one) };
    if (seen.has(field)) return [];
    seen.add(field);
    return { ...shown, subject: field, text: arrayText(field, wasArray) };
  });
}

/** Whether a field that changed its type was an array; undefined if it did not. */
function wasArrayOf(field: string, changes: readonly Drift[]): boolean | undefined {
  const countOf = (subject: string, when: "before" | "after") =>
    changes
      .flatMap((one) => (one.kind === "field" && one.subject === subject ? one.retailers : []))
      .reduce<number | undefined>((sum, one) => (sum ?? 0) + one[when].count, undefined);
  const goes = (subject: string) => countOf(subject, "after") === 0;
  const comes = (subject: string) => countOf(subject, "before") === 0;
  if (goes(`${field}[]`) && comes(field)) return true;
  return comes(`${field}[]`) && goes(field) ? false : undefined;
}

/** Changes of the contract; a console has a sentence for each. */
export function contractTable(changes: readonly ShownChange[]): TableBlock {
  return {
    kind: "table",
    caption: "Changes of the contract, breaking ones first",
    inLines: true,
    most: { shown: 50, one: "change" },
    columns: ["rank", "change"],
    rows: changes.map(({ label, tone, text }) => ({
      cells: [{ tone, label }, text],
      sentence: [{ tone, label }, { own: ": " }, text],
    })),
  };
}
