import type { Baseline, Drift } from "../../schemas/types.ts";
import { driftText } from "../../schemas/words/contract.ts";
import type { Acceptance } from "../earlier/accept.ts";
import { type DriftRule, driftRules } from "../earlier/drift-rules.ts";
import { leastRuns } from "../earlier/latency.ts";
import { type ConsoleStyle, printable, wrap } from "./terminal.ts";

/** What was recorded, for a person. `files` are those that were written. */
export function renderAcceptance(
  { baseline, run, added, unjudged, stale, changes, judged }: Acceptance,
  { files, style }: { readonly files: readonly string[]; readonly style: ConsoleStyle },
): string {
  const { contract } = baseline;
  const paragraph = (text: string, indent = "  ") => wrap(printable(text), { width: style.width, indent });
  const list = (texts: readonly string[]) => texts.flatMap((text) => paragraph(text, "    "));
  const fields = new Set(Object.values(contract.fieldsByRetailer).flatMap((one) => Object.keys(one.fields)));
  const blocks = [
    [style.strong(`Baseline of ${baseline.target}, as met on ${baseline.since}`)],
    run === undefined
      ? paragraph("the contract stays as it was recorded")
      : paragraph(
          `contract: ${contract.retailers.length} retailers, ${fields.size} fields, ${Object.values(contract.dialect).length} names of the dialect`,
        ),
    shownLoad(baseline).flatMap((text) => paragraph(text)),
    judged.requirements > 0 && judged.requirements < judged.of
      ? paragraph(
          `the run judged ${judged.requirements} of ${judged.of} requirements: of the others nothing is waived`,
        )
      : [],
    titled("changed since it was recorded last:", changes.map(shownChange)),
    titled(
      `waived until ${added[0]?.expires}, answered for by ${added[0]?.owner} (${added[0]?.ticket}):`,
      added.map(({ id, flaky }) => (flaky === true ? `${id} (fails at times)` : id)),
    ),
    titled("could not be judged, and would make the gate incomplete (--unjudged waives them too):", unjudged),
    titled(
      "waived, and passes now; remove:",
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

// Without the spread between runs no later one can be called slower.
function shownLoad({ load }: Baseline): string[] {
  const byScenario = Map.groupBy(load?.runs ?? [], ({ scenario }) => String(scenario));
  if (byScenario.size === 0) return [];
  const counts = [...byScenario].map(([scenario, runs]) => `${scenario} of ${runs.length}`);
  const few = [...byScenario.values()].some((runs) => runs.length < leastRuns);
  const mend = few ? `; to have it judged, accept ${leastRuns} runs or more` : "";
  return [`latency: ${counts.join(", ")} runs${mend}`];
}

const effects = {
  breaking: "fails the gate",
  notable: "is shown",
  harmless: "is listed",
} as const satisfies Record<DriftRule["rank"], string>;

/** The rules of drift for a person, by rank. */
export function renderDriftRules(style: ConsoleStyle): string {
  const rules: [string, DriftRule][] = Object.entries(driftRules);
  const lines = (Object.keys(effects) as DriftRule["rank"][]).flatMap((rank) => [
    style.strong(`${rank}: ${effects[rank]}`),
    ...rules
      .filter(([, rule]) => rule.rank === rank)
      .flatMap(([id, { when, why }]) => [
        `  ${id}`,
        ...wrap(`${when}. ${why}`, { width: style.width, indent: "    " }),
      ]),
  ]);
  return `${lines.join("\n")}\n`;
}
