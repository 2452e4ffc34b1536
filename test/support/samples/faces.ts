import { expect, test } from "vitest";
import type { Report } from "../../../scripts/report/model.ts";
import { plainStyle } from "../../../scripts/report/terminal.ts";
import { writeConsole } from "../../../scripts/report/writers/console.ts";
import { formats } from "../../../scripts/report/writers/write.ts";

/** A test for each format of a report, as people read it, whole. Update with `vitest run -u`. */
export function testFaces(name: string, report: Report, widths: readonly number[] = [100]): void {
  test.each(widths)(`${name} on a console of %i columns`, async (width) => {
    const text = writeConsole(report, { resultsFile: "reports/a/results.json", style: plainStyle(width) });
    await expect(text).toMatchFileSnapshot(`faces/${name}.console-${width}.txt`);
  });

  test.each(Object.entries(formats))(`${name} as %s`, async (format, { write }) => {
    const text = await write(report);
    const shown = format === "html" ? pageText(text) : text;
    await expect(shown).toMatchFileSnapshot(`faces/${name}.${format}.txt`);
  });
}

/** Elements that stand in a line of text; every other element begins a new line. */
const inline =
  /<\/?(?:abbr|bdi|em|i|ins|kbd|label|option|output|q|small|span|strong|time|input|select)\b[^>]*>/g;
const entities = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };

/**
 * All that a page has for a reader, open or folded, one block a line: text, links with where they lead, headings, marked
 * places, what is said of drawings.
 */
function pageText(page: string): string {
  const text = page
    .slice(page.indexOf("<body>"))
    .replaceAll(/<(script|style)\b.*?<\/\1>/gs, "")
    .replaceAll(/<a\b[^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/gs, "[$2]($1)")
    .replaceAll(/<(mark|code)\b[^>]*>(.*?)<\/\1>/gs, (_all, name, inside) =>
      name === "mark" ? `>>${inside}<<` : `\`${inside}\``,
    )
    .replaceAll(/<button\b[^>]*>(.*?)<\/button>/gs, " <$1> ")
    .replaceAll(/<[^>]*role="img" aria-label="([^"]*)"[^>]*>/g, "\n[$1]\n")
    .replaceAll(/<h(\d)\b[^>]*>/g, (_tag, level) => `\n${"#".repeat(Number(level))} `)
    .replaceAll(/<summary\b[^>]*>/g, "\n▸ ")
    .replaceAll(/<t[dh]\b[^>]*>/g, " | ")
    .replaceAll(/<\/t[dh]>/g, "")
    .replaceAll(inline, "")
    .replaceAll(/<\/?[a-z][^>]*>/g, "\n");
  const plain = Object.entries(entities).reduce((all, [entity, sign]) => all.replaceAll(entity, sign), text);
  const lines = plain.split("\n").map((line) => line.replaceAll(/(?<=\S)[ \t]+/g, " ").trimEnd());
  return `${lines.filter((line) => !["", "|", "–", "#"].includes(line.trim())).join("\n")}\n`;
}
