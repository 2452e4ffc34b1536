import type { Results } from "../../schemas/contracts/results.ts";
import { causes, runLabel } from "../../schemas/verdicts.ts";
import { defaultWords, type WordsContext } from "../../schemas/words/finding-words.ts";
import { counted, grouped } from "../../schemas/words/format.ts";
import { findingText } from "../../schemas/words/index.ts";
import { nextOf, type Step, stepsOf, type TopFinding, topOf } from "./next-steps.ts";
import { alsoOf, warningsOf, whyOf } from "./reasons.ts";
import { partsOf, type ReportParts } from "./report-parts.ts";
import { countsOf, countsText } from "./shown-requirements.ts";
import { runTones, type Tone } from "./tones.ts";

/** A run in words, with its verdicts and counts, for all formats. */
export interface Report extends ReportParts {
  /** Name of the run in commands. */
  readonly run: string;
  /** The deciding cause in a word or two: `not conformant`, `waiver stale`. */
  readonly label: string;
  readonly tone: Tone;
  /** The deciding cause as a sentence. */
  readonly why: string;
  /** Further problems, as a sentence; undefined if there are none. */
  readonly also: string | undefined;
  /** The part of `also` that counts findings; undefined if there are none. */
  readonly others: string | undefined;
  /** Requests without a response, as a sentence; undefined if all got one. Part of `also`. */
  readonly lost: string | undefined;
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
}

/** Facts that the report needs beside the results. */
export interface ReportOptions {
  /** Name of the run in commands. Default: latest */
  readonly run?: string;
}

/** Makes the report of a run; every format renders this value and nothing else. */
export function reportOf(results: Results, { run = "latest" }: ReportOptions = {}): Report {
  const { scope, requests, requirements, target } = results;
  const words: WordsContext = { keyVariables: target.keyVariables ?? defaultWords.keyVariables };
  const parts = partsOf(results, words, run);
  const { cause, excused } = parts;
  const lost = requests.lost && findingText(requests.lost, words);
  const others = alsoOf(parts);
  const all = counted(scope?.of ?? requirements.length, "requirement");
  const selected = scope === undefined ? all : `${grouped(requirements.length)} of ${all}`;
  return {
    ...parts,
    run,
    label: runLabel(cause, results),
    tone: runTones[causes[cause].verdict],
    why: whyOf(parts, words),
    others,
    also: [others, lost].filter((sentence) => sentence !== undefined).join(" ") || undefined,
    lost,
    top: topOf(parts).slice(0, 3),
    next: nextOf(parts, run),
    steps: stepsOf(parts, run),
    notice:
      target.builtIn === true
        ? "This run judged the reference service built into shelfcheck. Your own service was not tested."
        : undefined,
    warnings: warningsOf(parts, words),
    counts: `${selected}: ${countsText(countsOf(requirements), excused.length)}`,
  };
}
