import { type Document, isSeq, parseDocument } from "yaml";
import type { Waiver } from "../../schemas/types.ts";

const beginning = `# Known failures that the team has accepted for a time. Each entry: id (a requirement or a check), reason, owner,
# ticket, expires (its last day, in UTC) and, where it holds for some targets only, targets. A run fails when an entry
# is over, and when what it waives passes: then remove it.
`;

/**
 * The text of waivers.yaml with these at its end; comments and all that stands there stay as they are.
 * @param text Of the file, or undefined when there is none. It must be well-formed, see parseWaivers.
 */
export function addWaivers(text: string | undefined, added: readonly Waiver[]): string {
  const document = parseDocument(text ?? "");
  if (text === undefined) document.commentBefore = beginning.replaceAll(/^#/gm, "").trimEnd();
  const list = listOf(document);
  for (const waiver of added) list.add(document.createNode(waiver));
  return document.toString({ lineWidth: 0 });
}

function listOf(document: Document) {
  if (document.contents === null || document.toJS() === null) document.contents = document.createNode({});
  const there = document.get("waivers");
  const list = isSeq(there) ? there : document.createNode([]);
  if (list !== there) document.set("waivers", list);
  // Entries of several lines do not fit between brackets.
  list.flow = false;
  return list;
}
