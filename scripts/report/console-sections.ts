import type { RequirementResult } from "../../schemas/types.ts";
import type { ConsoleStyle } from "./style.ts";

const columns = [
  ["pass", "pass"],
  ["fail", "fail"],
  ["warn", "warn"],
  ["inconclusive", "unjudged"],
  ["notApplicable", "n/a"],
  ["error", "error"],
] as const satisfies readonly (readonly [RequirementResult["verdict"], string])[];

const title = "By section";

/** A table of verdicts by section of the spec; columns in which nothing stands are left out. */
export function renderSections(requirements: readonly RequirementResult[], style: ConsoleStyle): string[] {
  if (requirements.length === 0) return [];
  const used = columns.filter(([verdict]) => requirements.some((one) => one.verdict === verdict));
  const cell = 9;
  const longest = Math.max(title.length, ...requirements.map(({ section }) => section.length + 2));
  const nameWidth = Math.min(longest, style.width - used.length * cell);
  const row = (name: string, cells: readonly string[]): string =>
    name.slice(0, nameWidth).padEnd(nameWidth) + cells.map((text) => text.padStart(cell)).join("");
  const head = row(
    title,
    used.map(([, title]) => title),
  );
  const rows = [...Map.groupBy(requirements, ({ section }) => section)].map(([section, group]) =>
    row(
      `  ${section}`,
      used.map(([verdict]) => String(group.filter((one) => one.verdict === verdict).length || "·")),
    ),
  );
  return [style.strong(head), ...rows];
}
