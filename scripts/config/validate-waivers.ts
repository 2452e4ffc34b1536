import { sectionOf } from "../../conformance/requirements/requirement.ts";
import { waiverCovers } from "../../conformance/requirements/verdict.ts";
import { listChecks } from "../../conformance/suite/all.ts";
import type { Waiver } from "../../schemas/contracts/waivers.ts";
import { added } from "../core/added.ts";
import { errorOfMistakes, type ProblemText } from "../errors.ts";
import { didYouMean } from "./did-you-mean.ts";

/**
 * Checks what the schema of a config cannot: that its waivers name what exists, and each check once.
 *
 * @param file Name of the config file, for messages.
 * @throws UsageError with key, mistake and fix for every mistake.
 */
export function requireKnownWaivers(waivers: readonly Waiver[], file: string): void {
  const ids: readonly string[] = [...new Set(listChecks().flatMap((check) => [check.requirement, check.id]))];
  const isKnown = (id: string) =>
    ids.includes(id) || added.some(({ isWaivable }) => isWaivable?.(id) === true);
  const mistakes = waivers.flatMap(({ id }, at): ProblemText[] => {
    const where = `${file}, waivers[${at}].id`;
    // With two waivers for the same check, it would be unclear which one is stale.
    const covers = (other: Waiver) => waiverCovers(other.id, id) || waiverCovers(id, other.id);
    const earlier = waivers.slice(0, at).find(covers);
    if (earlier !== undefined) {
      const how = earlier.id === id ? "" : `: an entry above waives ${earlier.id}`;
      return [{ what: `${id} is waived twice${how}`, where, fix: "Keep one of the two entries." }];
    }
    if (isKnown(id)) return [];
    const near = ids.filter((one) => sectionOf(one) === sectionOf(id));
    const what = `No check, and no requirement that is judged, has the id ${JSON.stringify(id)}`;
    return [{ what, where, fix: didYouMean(id, near.length === 0 ? ids : near) }];
  });
  if (mistakes.length > 0) throw errorOfMistakes(mistakes, { subject: "the waivers", file });
}
