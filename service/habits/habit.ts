import type { Change } from "../variants/answer-changes.ts";
import type { Plug } from "../variants/variant.ts";

/** Makes the habits that concern one section: name, topic, the sentence that leaves the choice, and how. */
export function habitsOf(
  section: string,
  entries: readonly (readonly [name: string, topic: string, sentence: string, change: Change])[],
): readonly Plug[] {
  return entries.map(([name, topic, sentence, change]) => ({
    name,
    kind: "habit",
    section,
    topic,
    sentence,
    ...change,
  }));
}
