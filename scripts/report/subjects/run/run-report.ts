import type { Finding } from "../../../../schemas/contracts/finding.ts";
import type { Results } from "../../../../schemas/contracts/results.ts";
import { runLabel } from "../../../../schemas/verdicts.ts";
import { counted, grouped } from "../../../../schemas/words/format.ts";
import { capabilities } from "../../../core/capability.ts";
import { causeTones, type Tone } from "../../tones.ts";
import { causeInWords, type Step, type TopFinding } from "./causes.ts";
import { partsOf, type ReportParts } from "./parts.ts";
import { countsText } from "./requirements.ts";

/** A run in words, with its verdicts and counts, for all formats. */
export interface Report extends ReportParts {
  /** Name of the run in commands. */
  readonly run: string;
  /** The outcome in a word or two: `not conformant`. */
  readonly label: string;
  readonly tone: Tone;
  /** The deciding cause as a sentence. */
  readonly why: string;
  /** What is said beside it, whatever decided: that the run was interrupted or partial, and which requests failed. */
  readonly besides: readonly string[];
  /** What else failed, as a sentence. */
  readonly others: string | undefined;
  /** The first three findings behind the cause. */
  readonly top: readonly TopFinding[];
  /** The command to run next. */
  readonly next: string | undefined;
  /** Next steps, in order. */
  readonly steps: readonly Step[];
  /** Shown prominently when the run judged the built-in service, and none of the user's. */
  readonly notice: string | undefined;
  /** Settings that kept requirements from being judged, whatever the verdict: a category without products, for example. */
  readonly warnings: readonly string[];
  /** `8 requirements: 1 failed, 7 passed`. */
  readonly counts: string;
  /** The requests of conformance: `852 requests, 400 of them to exceed the rate limit`. */
  readonly sent: string;
}

/** Facts that the report needs beside the results. */
export interface ReportOptions {
  /** Name of the run in commands. Default: latest */
  readonly run?: string;
}

/** Makes the report of a run; every format renders this value and nothing else. */
export function reportOf(results: Results, { run = "latest" }: ReportOptions = {}): Report {
  const { scope, requirements, target, requests } = results;
  const { total, burst = 0 } = requests;
  const parts = partsOf(results, run);
  const { cause, summary, excused, waived } = parts;
  const all = counted(scope?.of ?? requirements.length, "requirement");
  const selected = scope === undefined ? all : `${grouped(requirements.length)} of ${all}`;
  return {
    ...parts,
    ...causeInWords(parts, run),
    run,
    label:
      capabilities.map((one) => one.label?.(results)).find((one) => one !== undefined) ??
      runLabel(cause, results.command),
    tone: causeTones[cause],
    notice:
      target.builtIn === true
        ? "This run judged the reference service built into shelfcheck. Your own service was not tested."
        : undefined,
    warnings: warningsOf(parts),
    counts: `${selected}: ${countsText(summary, { waived: waived.length, excused: excused.length })}`,
    sent: `${counted(total, "request")}${burst === 0 ? "" : `, ${grouped(burst)} of them to exceed the rate limit`}`,
  };
}

/** Each notice in words, with the number of requirements that were not judged because of it. */
function warningsOf({ results, cause, notJudgedCauses: causes }: ReportParts): string[] {
  return (results.notices ?? []).flatMap((notice) => {
    // Then the verdict says it.
    if (cause === "not-judged" && causes[0]?.finding.code === notice.code) return [];
    const { length } = causes
      .filter(({ finding }) => costs(notice, finding))
      .flatMap(({ requirements, also }) => [...requirements, ...also]);
    // Without requirements that need a category, its absence does not matter.
    if (notice.code === "no-category" && length === 0) return [];
    const cost =
      length === 0
        ? []
        : [
            `As a result, ${grouped(length)} of ${counted(results.requirements.length, "requirement")} ${length === 1 ? "was" : "were"} not judged.`,
          ];
    return [[notice.message, ...cost, notice.fix].filter(Boolean).join(" ")];
  });
}

/** Whether requirements were not judged because of what the notice reports. */
function costs({ code, seen }: Finding, { code: reason, subject }: Finding): boolean {
  if (code === "no-category") return reason === "no-category";
  const isAll = code === "category-shows-nothing" && seen?.count === seen?.total;
  return isAll && ((reason === "no-product" && subject === undefined) || reason === "category-not-browsable");
}
