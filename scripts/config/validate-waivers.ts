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
    // With two waivers for the same check, it would be unclear which one is stale.
    const earlier = waivers
      .slice(0, at)
      .find((other) => waiverCovers(other.id, id) || waiverCovers(id, other.id));
    const twice = `${id} is waived twice${earlier?.id === id ? "" : `: an entry above waives ${earlier?.id}`}`;
    const noDay = `The date ${expires} does not exist`;
    return [
      ...unknownId(id).map((mistake) => ({ ...mistake, where: `${where}.id` })),
      ...(isDay(expires)
        ? []
        : [
            { what: noDay, where: `${where}.expires`, fix: "Write the last day in UTC, such as 2026-12-31." },
          ]),
      ...(earlier === undefined
        ? []
        : [{ what: twice, where: `${where}.id`, fix: "Keep one of the two entries." }]),
    ];
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
  const near = ids.filter((one) => sectionOf(one) === sectionOf(id));
  const isOfLoad = id.startsWith("load.");
  return [
    {
      what: isOfLoad
        ? "A limit of a load cannot be waived"
        : `No check, and no requirement that is judged, has the id ${JSON.stringify(id)}`,
      fix: isOfLoad
        ? "Raise it in the thresholds of a profile of your own (profiles in this file)."
        : didYouMean(id, near.length === 0 ? ids : near),
    },
  ];
}
