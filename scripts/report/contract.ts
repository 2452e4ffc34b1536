import type { Drift } from "../../schemas/contracts/drift.ts";
import { driftLabels } from "../../schemas/verdicts.ts";
import { driftSubject, driftText } from "../../schemas/words/contract.ts";
import type { TableBlock } from "./document.ts";
import { driftTones, type Tone } from "./tones.ts";

/** A change of the contract in words. */
export interface ShownChange extends Pick<Drift, "rank" | "rule" | "kind"> {
  readonly label: string;
  readonly tone: Tone;
  /** What changed, in a few words. */
  readonly subject: string;
  readonly text: string;
}

/** Changes in words, breaking ones first. */
export function shownChanges(changes: readonly Drift[]): ShownChange[] {
  const ranks = Object.keys(driftLabels) as Drift["rank"][];
  return ranks.flatMap((rank) =>
    changes
      .filter((one) => one.rank === rank)
      .map((one) => ({
        rank,
        rule: one.rule,
        kind: one.kind,
        label: driftLabels[rank],
        tone: driftTones[rank],
        subject: driftSubject(one),
        text: driftText(one),
      })),
  );
}

/** Changes of the contract; a console has a sentence for each. */
export function contractTable(changes: readonly ShownChange[]): TableBlock {
  return {
    kind: "table",
    caption: "Changes of the contract, breaking ones first",
    inLines: true,
    most: { shown: 50, one: "change" },
    columns: ["rank", "change", { head: "subject", only: ["html"] }, "rule"],
    rows: changes.map(({ label, tone, text, subject, rule }) => ({
      cells: [{ tone, label }, text, { code: subject }, { code: rule }],
      sentence: [{ tone, label }, { own: ": " }, `${text} (${rule})`],
    })),
  };
}
