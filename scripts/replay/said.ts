import type { CheckResult, Results } from "../../schemas/types.ts";
import { didYouMean } from "../config/did-you-mean.ts";
import { UsageError } from "../errors.ts";

/** What a run said about a check, or about each check of a requirement. */
export interface Said {
  readonly id: string;
  readonly checks: readonly [CheckResult, ...CheckResult[]];
}

/**
 * What a run said of a requirement or a check: of a requirement, the checks that did not pass, or all when none.
 * @throws UsageError when the run did not judge it, naming the nearest.
 */
export function saidOf(results: Results, id: string): Said {
  const all = results.requirements.flatMap(({ checks }) => checks);
  const ofRequirement = results.requirements.find((one) => one.id === id)?.checks ?? [];
  const matching = ofRequirement.length > 0 ? ofRequirement : all.filter((check) => check.id === id);
  const notPassed = matching.filter(({ verdict }) => verdict !== "pass" && verdict !== "notApplicable");
  const [first, ...rest] = notPassed.length > 0 ? notPassed : matching;
  if (first !== undefined) return { id, checks: [first, ...rest] };
  throw new UsageError({
    what: "The run judged no requirement or check of this name",
    where: `replay ${id}`,
    mend:
      all.length === 0
        ? `It was a run of ${results.command} and judged none: name a run of conformance or gate.`
        : didYouMean(id, [...results.requirements.map((one) => one.id), ...all.map((one) => one.id)]),
  });
}
