import type { Change } from "../changes/answer-changes.ts";
import type { Plug } from "../changes/change.ts";

/** Makes the faults of one section: name, topic of the requirement, the sentence that it breaks, and how. */
export function faultsOf(
  section: string,
  entries: readonly (readonly [name: string, topic: string, sentence: string, change: Change])[],
): readonly Plug[] {
  return entries.map(([name, topic, sentence, change]) => ({
    name,
    kind: "fault",
    section,
    topic,
    sentence,
    ...change,
  }));
}
