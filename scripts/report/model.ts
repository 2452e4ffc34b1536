import type { Results } from "../../schemas/types.ts";
import { causes, runLabel } from "../../schemas/verdicts.ts";
import { defaultWords, type WordsContext } from "../../schemas/words/finding-words.ts";
import { counted, grouped } from "../../schemas/words/format.ts";
import { findingText } from "../../schemas/words/index.ts";
import { nextOf, type Step, stepsOf, type TopFinding, topOf } from "./next-steps.ts";
import { alsoOf, warningsOf, whyOf } from "./reasons.ts";
import { partsOf, type ReportParts } from "./report-parts.ts";
import { countsOf, countsText } from "./shown-requirements.ts";
import { runTones, type Tone } from "./tones.ts";

/** What every format shows of a run: verdicts, counts and words are made here, once. */
export interface Report extends ReportParts {
  /** The run as commands name it. */
  readonly run: string;
  /** What decided the run, in a word or two: `not conformant`, `waiver stale`. */
  readonly label: string;
  readonly tone: Tone;
  /** The deciding cause as a sentence. */
  readonly why: string;
  /** What else there is to know, as a sentence; undefined when nothing else is wrong. */
  readonly also: string | undefined;
  /** Requests that got no response, as a sentence; undefined when each got one. Part of `also`. */
  readonly lost: string | undefined;
  /** The first three findings behind the cause. */
  readonly top: readonly TopFinding[];
  /** The command to run next. */
  readonly next: string | undefined;
  /** What to do about the verdict, the first thing first. */
  readonly steps: readonly Step[];
  /** Shown prominently when the run judged the built-in service, and none of the user's. */
  readonly notice: string | undefined;
  /** Settings that kept requirements from being judged, whatever the verdict: a category without products, for example. */
  readonly warnings: readonly string[];
  /** `8 requirements: 1 failed, 7 passed`. */
  readonly counts: string;
}

/** What the report says beside the results. */
export interface ReportOptions {
  /** The run as commands name it. Default: latest */
  readonly run?: string;
}

/** Makes the report of a run; every format renders this value and nothing else. */
export function reportOf(results: Results, { run = "latest" }: ReportOptions = {}): Report {
  const { scope, requests, requirements, target } = results;
  const words: WordsContext = { keyVariables: target.keyVariables ?? defaultWords.keyVariables };
  const parts = partsOf(results, words, run);
  const { cause, excused } = parts;
  const lost = requests.lost && findingText(requests.lost, words);
  const all = counted(scope?.of ?? requirements.length, "requirement");
  const selected = scope === undefined ? all : `${grouped(requirements.length)} of ${all}`;
  return {
    ...parts,
    run,
    label: runLabel(cause, results),
    tone: runTones[causes[cause].verdict],
    why: whyOf(parts),
    also: [alsoOf(parts), lost].filter((sentence) => sentence !== undefined).join(" ") || undefined,
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
