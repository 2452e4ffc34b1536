/** Elements that stand in a line of text; every other element begins a new line. */
const inline = new Set(
  "a abbr b bdi button code em i ins kbd label mark option output q small span strong time".split(" "),
);

/** What stands for the beginning and the end of an element whose meaning is more than its text. */
const marks: Readonly<Record<string, readonly [begin: string, end: string]>> = {
  a: ["[", "]"],
  button: ["<", ">"],
  code: ["`", "`"],
  h1: ["\n# ", "\n"],
  h2: ["\n## ", "\n"],
  h3: ["\n### ", "\n"],
  h4: ["\n#### ", "\n"],
  ins: ["{expected: ", "}"],
  mark: [">>", "<<"],
  small: [" ", ""],
  summary: ["\n▸ ", "\n"],
  td: [" | ", ""],
  th: [" | ", ""],
};

/** A space of an indentation, until all other ones are collapsed. */
const indent = "\uE000";

/**
 * All that a page has for a reader, open or folded, one block a line: text, links with where they lead, ids that can be
 * linked to, marked places, what is said of drawings, and the tickets that its buttons copy.
 */
export function pageText(page: string): string {
  let href = "";
  const text = page
    .slice(page.indexOf("<body>"))
    .replaceAll(/<(script|style)\b.*?<\/\1>/gs, "")
    .replaceAll(/<pre\b.*?<\/pre>/gs, (lines) =>
      lines.replaceAll(/^ +/gm, (all) => indent.repeat(all.length)),
    )
    .replaceAll(
      /<(\/?)([a-z][a-z0-9]*)\b([^>]*)>/g,
      (_tag, closing: string, name: string, attributes: string) => {
        const [begin, end] = marks[name] ?? (inline.has(name) ? ["", ""] : ["\n", "\n"]);
        if (closing) return name === "a" ? `${end}(${href})` : end;
        const { id, chip, drawing, href: target } = attributesOf(attributes);
        href = target ?? href;
        return `${id === undefined ? "" : `\n{#${id}}\n`}${begin}${chip === undefined ? "" : `(${chip}) `}${drawing === undefined ? "" : `[${drawing}]`}`;
      },
    );
  const lines = decoded(text)
    .split("\n")
    .map((line) => line.replaceAll(/[ \t]+/g, " ").trim());
  const shown = lines
    .filter((line) => !["", "|", "–"].includes(line))
    .map((line) => line.replaceAll(indent, " "));
  return `${shown.join("\n")}\n`;
}

/** The id of an element, the colour of a label, the words of a drawing, and where a link leads. */
function attributesOf(
  attributes: string,
): Readonly<Record<"id" | "chip" | "drawing" | "href", string | undefined>> {
  const value = (pattern: RegExp) => attributes.match(pattern)?.[1];
  return {
    id: value(/\sid="([^"]*)"/),
    chip: value(/class="chip ([^"]*)"/),
    drawing: value(/role="img" aria-label="([^"]*)"/),
    href: value(/\shref="([^"]*)"/),
  };
}

function decoded(text: string): string {
  const entities = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };
  return Object.entries(entities).reduce(
    (all, [entity, character]) => all.replaceAll(entity, character),
    text,
  );
}
