import { counted, minute } from "../../../schemas/words/format.ts";
import type { Drift } from "../../earlier/contract-change.ts";
import { driftText } from "../../earlier/contract-words.ts";
import { type ConsoleStyle, prose, wrap } from "../../report/terminal.ts";
import type { Acceptance } from "./accept.ts";

/** The recorded baseline as text for a terminal. `files`: the files that were written. */
export function renderAcceptance(
  { baseline, run, added, notJudged, stale, changes, judged }: Acceptance,
  { files, style }: { readonly files: readonly string[]; readonly style: ConsoleStyle },
): string {
  const { contract } = baseline;
  const paragraph = (text: string, indent = "  ") => wrap(prose(text), { width: style.width, indent });
  const list = (texts: readonly string[]) => texts.flatMap((text) => paragraph(text, "    "));
  const fields = new Set(Object.values(contract.fieldsByRetailer).flatMap((one) => Object.keys(one.fields)));
  const blocks = [
    [style.strong(`Baseline of ${baseline.target}, as seen on ${minute(baseline.since)}`)],
    run === undefined
      ? paragraph("The recorded contract is unchanged.")
      : paragraph(
          `Contract: ${counted(contract.retailers.length, "retailer")}, ${counted(fields.size, "field")}, ${counted(Object.values(contract.dialect).length, "name that the spec leaves open", "names that the spec leaves open")}.`,
        ),
    judged.requirements > 0 && judged.requirements < judged.of
      ? paragraph(
          `The run judged ${judged.requirements} of ${judged.of} requirements. Nothing is waived for the others.`,
        )
      : [],
    titled("Changed since it was last recorded:", changes.map(shownChange)),
    titled(
      `Waived until ${added[0]?.expires}, owner ${added[0]?.owner}, ticket ${added[0]?.ticket}:`,
      added.map(({ id, flaky }) => (flaky === true ? `${id} (fails intermittently)` : id)),
    ),
    titled("Not judged, which would make the gate incomplete (--not-judged waives them too):", notJudged),
    titled(
      "Waived, but passes now. Remove:",
      stale.map(({ waiver, where }) => `${waiver.id} (${where})`),
    ),
    [`Written: ${files.join(", ")}. Commit ${files.length === 1 ? "it" : "them"}.`],
  ];
  return `${blocks.flat().join("\n")}\n`;

  function titled(title: string, texts: readonly string[]): string[] {
    return texts.length === 0 ? [] : [...paragraph(title), ...list(texts)];
  }
}

function shownChange(change: Drift): string {
  return `${change.rank}: ${driftText(change)}`;
}
