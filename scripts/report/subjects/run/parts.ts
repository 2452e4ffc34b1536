import type { Verdict } from "../../../../conformance/requirements/verdict.ts";
import type { Results } from "../../../../schemas/contracts/results.ts";
import type { WaiverResult } from "../../../../schemas/contracts/waivers.ts";
import { type Cause, waiverLabels } from "../../../../schemas/verdicts.ts";
import { waiverFix } from "../../../../schemas/words/waiver.ts";
import { type ShownChange, shownChanges } from "../../../earlier/shown-changes.ts";
import { type Tone, waiverTones } from "../../tones.ts";
import { replayCommand } from "./commands.ts";
import { type CauseGroup, notJudgedCauses } from "./not-judged.ts";
import { worstFirst } from "./rank.ts";
import {
  isWaived,
  type ReportSection,
  type ShownRequirement,
  sectionsOf,
  shownRequirement,
  summaryOf,
} from "./requirements.ts";
import { type ShownLoad, shownLoad } from "./shown-load.ts";

/** The parts of a run in words, without the sentences about the run as a whole. */
export interface ReportParts {
  readonly results: Results;
  readonly cause: Cause;
  /** Number of requirements by verdict. */
  readonly summary: Results["summary"];
  /** A MUST failed, or a check ended in an error. */
  readonly failed: readonly ShownRequirement[];
  readonly warned: readonly ShownRequirement[];
  /** Failed or not judged, and accepted temporarily by a waiver. */
  readonly waived: readonly ShownRequirement[];
  readonly notJudged: readonly ShownRequirement[];
  /** The part of `notJudged` that the config excuses: it does not make the run incomplete. */
  readonly excused: readonly ShownRequirement[];
  readonly notJudgedCauses: readonly NotJudgedCause[];
  /** Every requirement, by the sections of the spec. */
  readonly sections: readonly ReportSection[];
  readonly load: readonly ShownLoad[];
  readonly drift: { readonly since: string; readonly changes: readonly ShownChange[] } | undefined;
  /** Expired and stale waivers first. */
  readonly waivers: readonly ShownWaiver[];
}

export type NotJudgedCause = CauseGroup<ShownRequirement>;

export interface ShownWaiver {
  readonly waiver: WaiverResult["waiver"];
  readonly state: WaiverResult["state"];
  readonly label: string;
  readonly tone: Tone;
  readonly fix: string | undefined;
}

/** Sorts requirements by verdict and puts all parts of a run into words. */
export function partsOf(results: Results, run: string): ReportParts {
  const requirements = results.requirements.map((requirement) =>
    shownRequirement(requirement, replayCommand(results, run, requirement.id)),
  );
  const having = (...verdicts: Verdict[]) => requirements.filter(({ verdict }) => verdicts.includes(verdict));
  const isExcused = ({ excused }: ShownRequirement) => excused !== undefined;
  const notJudged = having("inconclusive").toSorted((a, b) => Number(isExcused(a)) - Number(isExcused(b)));
  const { drift, waivers = [] } = results;
  return {
    results,
    cause: results.cause,
    summary: summaryOf(requirements),
    failed: worstFirst([...having("fail"), ...having("error")]),
    warned: having("warn").filter((requirement) => !isWaived(requirement)),
    waived: having("warn").filter(isWaived),
    notJudged,
    excused: notJudged.filter(isExcused),
    notJudgedCauses: notJudgedCauses(notJudged),
    sections: sectionsOf(requirements),
    load: results.load.map(shownLoad),
    drift: drift === undefined ? undefined : { since: drift.since, changes: shownChanges(drift.changes) },
    waivers: (Object.keys(waiverLabels) as WaiverResult["state"][]).flatMap((state) =>
      waivers
        .filter((one) => one.state === state)
        .map((one) => ({
          waiver: one.waiver,
          state,
          label: waiverLabels[state],
          tone: waiverTones[state],
          fix: waiverFix(one),
        })),
    ),
  };
}
