import type { Discovered } from "../../schemas/types.ts";
import { printable, wrap } from "./lines.ts";
import type { ConsoleStyle } from "./style.ts";

/** What discovery found, for a person: retailers, dialect, fields, then each fixture with the mend where it is missing. */
export function renderDiscovered(discovered: Discovered, style: ConsoleStyle): string {
  const { retailers, dialect, fields, rateLimit, fixtures } = discovered;
  const lines = [
    style.strong("Retailers"),
    ...paragraph(retailers.join(", ") || "none", style),
    style.strong("Dialect"),
    ...Object.entries(dialect).flatMap(([name, value]) =>
      paragraph(`${name}: ${value || "(the body itself)"}`, style),
    ),
    style.strong("Fields seen on products"),
    ...paragraph(
      Object.entries(fields)
        .map(([path, count]) => `${path} (${count})`)
        .join(", ") || "none",
      style,
    ),
    style.strong("Fixtures"),
    ...fixtures.flatMap((fixture) => renderFixture(fixture, style)),
    ...(rateLimit.refused === 0 ? [] : [`${rateLimit.refused} answers 429 on the way`]),
  ];
  return `${lines.join("\n")}\n`;
}

function renderFixture(fixture: Discovered["fixtures"][number], style: ConsoleStyle): string[] {
  const { name, present, value = "", reason = "", mend = "" } = fixture;
  if (present) return paragraph(`${name}: ${value || "found"}`, style);
  const [first = "", ...rest] = paragraph(`missing: ${name}. ${reason} ${mend}`.trim(), style);
  return [style.unsure(first), ...rest];
}

function paragraph(text: string, { width }: ConsoleStyle): string[] {
  return wrap(printable(text), { width, indent: "  " });
}
