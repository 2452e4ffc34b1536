import { isSeq, parseDocument, stringify } from "yaml";
import type { Waiver } from "../../../schemas/types.ts";

const beginning = `# Known failures that the team has accepted for a time. Each entry: id (a requirement or a check), reason, owner,
# ticket, expires (its last day, in UTC) and, where it holds for some targets only, targets. A run fails when an entry
# is over, and when what it waives passes: then remove it.
waivers:
`;

/**
 * The text of waivers.yaml with these after its last entry; all else stays as it was written, comments too.
 * @param text Of the file, or undefined when there is none. It must be well-formed, see parseWaivers.
 */
export function addWaivers(text: string | undefined, added: readonly Waiver[]): string {
  if (text === undefined) return beginning + entriesOf(added, 2);
  const document = parseDocument(text);
  const list = document.get("waivers");
  if (!isSeq(list) || list.flow === true || !list.range || list.items.length === 0) {
    return rebuilt(text, added);
  }
  const [start, end] = list.range;
  const column = start - (text.lastIndexOf("\n", start - 1) + 1);
  const before = text.slice(0, end);
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const entries = entriesOf(added, column).replaceAll("\n", lineEnd);
  return before + (before.endsWith("\n") ? "" : lineEnd) + entries + text.slice(end);
}

function entriesOf(waivers: readonly Waiver[], column: number): string {
  return stringify(waivers, { lineWidth: 0 }).replaceAll(/^(?=.)/gm, " ".repeat(column));
}

// Without a list of entries to add to there is little to keep: the comments.
function rebuilt(text: string, added: readonly Waiver[]): string {
  const document = parseDocument(text);
  const root: unknown = document.toJS();
  if (root === null) {
    const comments = text.trimEnd();
    return `${comments}${comments === "" ? "" : "\n"}waivers:\n${entriesOf(added, 2)}`;
  }
  const there = document.get("waivers");
  const list = isSeq(there) ? there : document.createNode([]);
  if (list !== there) document.set("waivers", list);
  list.flow = false;
  for (const waiver of added) list.add(document.createNode(waiver));
  return document.toString({ lineWidth: 0 });
}
