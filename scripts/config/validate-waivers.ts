import { requirements } from "../../conformance/requirements/all.ts";
import { sectionOf, sections } from "../../conformance/requirements/requirement.ts";
import { waiverFor } from "../../conformance/requirements/verdict.ts";
import { listChecks } from "../../conformance/suite/all.ts";
import type { Waiver } from "../../schemas/contracts/waivers.ts";
import { added } from "../core/added.ts";
import { errorOfMistakes } from "../errors.ts";
import { didYouMean, nearest } from "./did-you-mean.ts";

/**
 * Checks what the schema of a config cannot: that its waivers name what exists, on a day that exists, and each check once.
 *
 * @param file Name of the config file, for messages.
 * @throws UsageError with key, mistake and fix for every mistake.
 */
export function requireKnownWaivers(waivers: readonly Waiver[], file: string): void {
  const mistakes = waivers.flatMap((waiver, at) => {
    const where = `${file}, waivers[${at}]`;
    const { expires } = waiver;
    return [
      ...idMistake(waiver.id).map((one) => ({ ...one, where: `${where}.id` })),
      ...(isDay(expires)
        ? []
        : [
            {
              what: `The date ${expires} does not exist`,
              where: `${where}.expires`,
              fix: "Write the last day in UTC, such as 2026-12-31.",
            },
          ]),
      ...repetition(waiver, waivers.slice(0, at)).map((one) => ({ ...one, where: `${where}.id` })),
    ];
  });
  if (mistakes.length > 0) throw errorOfMistakes(mistakes, { subject: "the waivers", file });
}

function isDay(text: string): boolean {
  const start = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(start.getTime()) && start.toISOString().startsWith(text);
}

interface Mistake {
  readonly what: string;
  readonly fix: string;
}

function idMistake(id: string): Mistake[] {
  const checks = listChecks();
  if (checks.some((check) => check.requirement === id || check.id === id)) return [];
  if (added.some(({ isWaivable }) => isWaivable?.(id) === true)) return [];
  if (id.startsWith("load."))
    return [
      {
        what: "A limit of a load cannot be waived",
        fix: "Raise it in the thresholds of a profile of your own (profiles in this file).",
      },
    ];
  if (id in sections)
    return [
      {
        what: `${JSON.stringify(id)} is a section of the spec`,
        fix: "Waive its requirements or checks one by one; a section is too broad.",
      },
    ];
  if (requirements.some((one) => one.id === id))
    return [
      { what: `No check judges the requirement ${id}`, fix: "Remove the waiver: there is nothing to waive." },
    ];
  const ids = [...new Set(checks.flatMap((check) => [check.requirement, check.id]))];
  const near = ids.filter((one) => sectionOf(one) === sectionOf(id));
  const isFar = near.length === 0 && nearest(id, ids) === undefined;
  return [
    {
      what: `No requirement or check has the id ${JSON.stringify(id)}`,
      fix: isFar
        ? "To list all: npx shelfcheck conformance --plan"
        : didYouMean(id, near.length === 0 ? ids : near),
    },
  ];
}

// With two waivers for the same check, it would be unclear which one is stale.
function repetition(waiver: Waiver, before: readonly Waiver[]): Mistake[] {
  const covered = listChecks().filter(({ id }) => waiverFor(id, [waiver]) !== undefined);
  const twin = before.find(
    (other) => other.id === waiver.id || covered.some(({ id }) => waiverFor(id, [other]) !== undefined),
  );
  if (twin === undefined) return [];
  const by = twin.id === waiver.id ? "" : `: an entry above waives ${twin.id}`;
  return [{ what: `${waiver.id} is waived twice${by}`, fix: "Keep one of the two entries." }];
}
