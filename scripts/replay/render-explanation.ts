import { type ConsoleStyle, wrap } from "../report/terminal.ts";
import type { ExplainedCheck, Explanation } from "./explanation.ts";

/** The explanations as text for a terminal. */
export function renderExplanations(explanations: readonly Explanation[], style: ConsoleStyle): string {
  return `${explanations.map((one) => renderOne(one, style).join("\n")).join("\n\n")}\n`;
}

function renderOne(explanation: Explanation, style: ConsoleStyle): string[] {
  const { id, section, level, actor, statement, checks } = explanation;
  const head = wrap(`${id}: ${section}, ${level.toUpperCase()}, binds the ${actor}`, style);
  return [
    ...head.map((line, index) => (index === 0 ? line.replace(id, style.strong(id)) : line)),
    ...wrap(statement, { width: style.width, indent: "  " }),
    ...wrap(treatmentOf(explanation), { width: style.width, indent: "  " }).map(style.faint),
    ...checks.flatMap((check) => renderCheck(check, style)),
  ];
}

function treatmentOf({ treatment, checks }: Explanation): string {
  switch (treatment.kind) {
    case "judged":
      return `Judged by ${checks.length === 1 ? "this check" : `these ${checks.length} checks`}:`;
    case "excluded":
      return `Not judged: ${treatment.why}`;
    case "gap":
      return `Not judged: the specification does not show ${treatment.what}.`;
    case "ours":
      return `Binds clients: our own client keeps it, proven by ${treatment.provenBy}.`;
    default:
      return treatment satisfies never;
  }
}

function renderCheck({ id, title, requests, faults }: ExplainedCheck, style: ConsoleStyle): string[] {
  const asks = requests === 0 ? "looks at the answers to other requests" : `at most ${requests} requests`;
  const lines = wrap(`${title} (${asks}).`, { width: style.width, indent: "      " });
  const proven = wrap(`Fails with the fault ${faults.join(", ")}.`, {
    width: style.width,
    indent: "      ",
  });
  return [`    ${id}`, ...lines, ...proven.map(style.faint)];
}
