import type { Change } from "../changes/answer-changes.ts";
import type { Plug } from "../changes/change.ts";

/** Makes the variants that concern one section: name, topic, the sentence that leaves the choice, and how. */
export function variantsOf(
  section: string,
  entries: readonly (readonly [name: string, topic: string, sentence: string, change: Change])[],
): readonly Plug[] {
  return entries.map(([name, topic, sentence, change]) => ({
    name,
    kind: "variant",
    section,
    topic,
    sentence,
    ...change,
  }));
}
