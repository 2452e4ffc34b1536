import { wrap } from "../../report/lines.ts";
import type { ConsoleStyle } from "../../report/style.ts";
import { type DriftRule, driftRules } from "./rules.ts";

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
