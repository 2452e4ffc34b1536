/** Elements that stand in a line of text; every other element begins a new line. */
const inline = new Set(
  "a abbr b bdi button code em i ins kbd label mark option output q small span strong time".split(" "),
);

/** The text of a page that a reader can see, open or folded, one block a line. */
export function visibleLines(page: string): string {
  const own = page.slice(page.indexOf("<body>")).replaceAll(/<(script|style)\b.*?<\/\1>/gs, "");
  const body = withoutDrawings(own);
  const text = body.replaceAll(/<\/?([a-z][a-z0-9]*)\b[^>]*>/g, (_tag, name: string) => {
    if (name === "td" || name === "th") return " | ";
    if (name === "small") return " ";
    return inline.has(name) ? "" : "\n";
  });
  const lines = decoded(text)
    .split("\n")
    .map((line) =>
      line
        .replaceAll(/\s+/g, " ")
        .replaceAll(/(\| )+/g, "| ")
        .trim(),
    );
  return `${lines.filter((line) => line !== "" && line !== "|").join("\n")}\n`;
}

/** An SVG may hold others. */
function withoutDrawings(text: string): string {
  const less = text.replaceAll(/<svg\b(?:(?!<svg\b).)*?<\/svg>/gs, "");
  return less === text ? text : withoutDrawings(less);
}

function decoded(text: string): string {
  const entities = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };
  return Object.entries(entities).reduce(
    (all, [entity, character]) => all.replaceAll(entity, character),
    text,
  );
}
