import { sectionOf } from "../../conformance/requirements/requirement.ts";
import { waiverCovers } from "../../conformance/requirements/verdict.ts";
import { listChecks } from "../../conformance/suite/all.ts";
import type { Waiver } from "../../schemas/contracts/waivers.ts";
import { added } from "../core/added.ts";
import { errorOfMistakes, type ProblemText } from "../errors.ts";
import { didYouMean } from "./did-you-mean.ts";

/**
 * Checks what the schema of a config cannot: that its waivers name what exists, on a day that exists, and each check once.
 *
 * @param file Name of the config file, for messages.
 * @throws UsageError with key, mistake and fix for every mistake.
 */
export function requireKnownWaivers(waivers: readonly Waiver[], file: string): void {
  const mistakes = waivers.flatMap(({ id, expires }, at): ProblemText[] => {
    const where = `${file}, waivers[${at}]`;
    const found = unknownId(id).map((mistake) => ({ ...mistake, where: `${where}.id` }));
    if (!isDay(expires)) {
      const fix = "Write the last day in UTC, such as 2026-12-31.";
      found.push({ what: `The date ${expires} does not exist`, where: `${where}.expires`, fix });
    }
    // With two waivers for the same check, it would be unclear which one is stale.
    const covers = (other: Waiver) => waiverCovers(other.id, id) || waiverCovers(id, other.id);
    const earlier = waivers.slice(0, at).find(covers);
    if (earlier === undefined) return found;
    const how = earlier.id === id ? "" : `: an entry above waives ${earlier.id}`;
    const fix = "Keep one of the two entries.";
    return [...found, { what: `${id} is waived twice${how}`, where: `${where}.id`, fix }];
  });
  if (mistakes.length > 0) throw errorOfMistakes(mistakes, { subject: "the waivers", file });
}

function isDay(text: string): boolean {
  const start = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(start.getTime()) && start.toISOString().startsWith(text);
}

function unknownId(id: string): Omit<ProblemText, "where">[] {
  const ids: readonly string[] = [...new Set(listChecks().flatMap((check) => [check.requirement, check.id]))];
  if (ids.includes(id) || added.some(({ isWaivable }) => isWaivable?.(id) === true)) return [];
  if (id.startsWith("load.")) {
    const fix = "Raise it in the thresholds of a profile of your own (profiles in this file).";
    return [{ what: "A limit of a load cannot be waived", fix }];
  }
  const near = ids.filter((one) => sectionOf(one) === sectionOf(id));
  const what = `No check, and no requirement that is judged, has the id ${JSON.stringify(id)}`;
  return [{ what, fix: didYouMean(id, near.length === 0 ? ids : near) }];
}
