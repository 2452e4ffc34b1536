import type { Waiver, WaiverResult } from "../../schemas/contracts/config.ts";
import type { Evidence } from "../../schemas/contracts/evidence.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import type { RequirementResult, Results } from "../../schemas/contracts/results.ts";
import { type CauseMeaning, type Verdict, verdictLabels } from "../../schemas/contracts/verdicts.ts";

// All that a writer knows: a subject (a run, a client, a comparison) is a function to a report, a writer one
// of it. Texts are sentences in which backticks enclose names and values.

/** The verdict, suites of what was judged in the order in which they are read, and background. */
export interface Report {
  readonly headline: Headline;
  /** Each item stands in one of them. */
  readonly suites: readonly Suite[];
  /** How it was made and what was discovered. */
  readonly about: readonly Fact[];
}

export type Fact = readonly [name: string, value: string];

export interface Headline {
  readonly tone: Tone;
  /** `not conformant` */
  readonly label: string;
  /** ``gate of `staging` at `https://…/v1` `` */
  readonly of: string;
  /** The deciding cause as a sentence. */
  readonly why: string;
  /** `91 requirements: 1 failed, 89 passed`, `450 requests` */
  readonly counts: readonly string[];
  /** What else failed, settings that kept requirements from being judged, what was left out for its size. */
  readonly notes: readonly string[];
  /** The command to run next. */
  readonly next?: string | undefined;
  readonly exitCode: Results["exitCode"];
  readonly startedAt: string;
  readonly finishedAt: string;
  /** Heading of these times. Default: run at */
  readonly ranAt?: string;
  /** Files beside the report, such as k6's own dashboard. */
  readonly files: readonly { readonly name: string; readonly path: string }[];
}

export interface Suite {
  /** Anchor on the page. */
  readonly id: string;
  readonly title: string;
  /** `plain`: background, for a page. */
  readonly tone: Tone;
  /** `1 failed, 7 passed`; empty where the title says it. */
  readonly summary: string;
  readonly items: readonly Item[];
  readonly tables: readonly Table[];
  readonly lines: readonly string[];
  readonly charts: readonly Chart[];
  readonly startedAt?: string | undefined;
  readonly seconds?: number | undefined;
}

/** A suite without anything in it. */
export const emptySuite = { summary: "", items: [], tables: [], lines: [], charts: [] } as const;

/** Lines over the time of a run. */
export interface Chart {
  readonly title: string;
  /** The same in words, for whoever cannot see it. */
  readonly summary: string;
  readonly unit: string;
  /** An axis by factors of ten: small and large values are readable. */
  readonly isLogarithmic: boolean;
  /** Seconds after the start. */
  readonly x: readonly number[];
  readonly lines: readonly ChartLine[];
  /** Lines across the chart, such as `p95 limit 500 ms`. */
  readonly limits: readonly { readonly at: number; readonly label: string }[];
}

export interface ChartLine {
  readonly name: string;
  readonly tone: Tone;
  /** A value for each place of the x axis; null where nothing was measured. */
  readonly values: readonly (number | null)[];
}

/** Something that was judged. */
export interface Item {
  /** Link to it, and its class in JUnit. */
  readonly id: string;
  /** A requirement's statement, a limit's name; the same in every run. */
  readonly title: string;
  readonly verdict: Verdict | "waived";
  readonly tone: Tone;
  /** `Errors, MUST`, for a requirement: its title is a sentence of its own then. */
  readonly about?: string | undefined;
  /** What a page's filter chooses by, and the suite in JUnit. */
  readonly section?: string | undefined;
  /** The words of the specification. */
  readonly quote?: string | undefined;
  /** What the same finding of this exchange decides too: each is a place of the page, and a case in JUnit. */
  readonly also?: readonly Item[] | undefined;
  readonly said: readonly ItemFinding[];
  readonly evidence: readonly Evidence[];
  /** Further commands than the curl lines of the evidence. */
  readonly commands: readonly { readonly label: string; readonly command: string }[];
  /** What accepts some or all that was found, each with the id that it covers. */
  readonly waivers?: readonly Waiver[] | undefined;
  readonly seconds?: number | undefined;
}

/** A finding: what, how to fix it, how often, and the places that show it. */
export interface ItemFinding {
  /** What was tried, where the item does not say it. */
  readonly check?: string | undefined;
  readonly message: string;
  readonly fix?: string | undefined;
  /** `66 of 258 responses (25.6 %)` */
  readonly where: readonly string[];
  /** First and again side by side: two places. */
  readonly places: readonly ShownPlace[];
}

export interface ShownPlace {
  readonly heading?: string | undefined;
  /** Number of the exchange in the item's evidence. */
  readonly exchange: number;
  /** Empty where the whole exchange shows it. */
  readonly lines: readonly PlaceLine[];
  /** Its lines begin with what was sent and the head of the response. */
  readonly hasHead?: boolean | undefined;
  /** It shows what is right, for comparison. */
  readonly isReference?: boolean | undefined;
}

export interface PlaceLine {
  readonly text: string;
  readonly mark?: "place" | "left-out" | undefined;
  /** What should stand there, as a sentence. */
  readonly expected?: string | undefined;
}

export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  /** Columns that are aligned right. */
  readonly figures?: readonly number[];
  readonly rows: readonly { readonly cells: readonly string[]; readonly tone?: Tone | undefined }[];
}

/** Meaning of a label; the page (`page/page.css`) and the console have a colour and a sign for each. */
export type Tone = "good" | "bad" | "unsure" | "notice" | "plain";

export const verdictTones = {
  fail: "bad",
  error: "unsure",
  inconclusive: "unsure",
  warn: "notice",
  pass: "good",
  notApplicable: "plain",
} as const satisfies Record<RequirementResult["verdict"], Tone>;

const runTones = {
  violations: "bad",
  error: "unsure",
  incomplete: "unsure",
  partial: "notice",
  conformant: "good",
} as const satisfies Record<Results["verdict"], Tone>;

/** The tone of a run that a cause decided. Red is for failures of the target only. */
export function causeTone({ verdict, isAgreed }: CauseMeaning): Tone {
  return isAgreed ? "unsure" : runTones[verdict];
}

export const loadTones = {
  pass: "good",
  fail: "bad",
  invalid: "unsure",
} as const satisfies Record<LoadResult["verdict"], Tone>;

// What the writers say of an item in the same way.

/** Whether an item is told of. What was not judged stands under its causes, and what passed is counted. */
export function isToldOf(item: Item): boolean {
  return isFailed(item) || item.verdict === "warn" || item.verdict === "waived";
}

/** Whether an item is told of with an exchange. */
export function isFailed({ verdict }: Item): boolean {
  return verdict === "fail" || verdict === "error";
}

/** An item, and those that the same finding decides besides: the counts of a run are of all. */
export function withAlso(item: Item): Item[] {
  return [item, ...(item.also ?? [])];
}

export const itemLabels: Readonly<Record<Item["verdict"], string>> = { ...verdictLabels, waived: "waived" };

/** The first place that shows a finding, and not the one that it is compared with. */
export function placeOf({ said }: Item): ShownPlace | undefined {
  const shown = said.find(({ places }) => places.length > 0)?.places;
  return shown?.findLast(({ isReference }) => isReference !== true);
}

/** The exchanges that show the first finding that has places; without places, the first exchange. */
export function shownExchanges({ said, evidence }: Item): Evidence[] {
  const places = said.find((one) => one.places.length > 0)?.places ?? [{ exchange: 0 }];
  return [...new Set(places.map(({ exchange }) => exchange))].flatMap((at) => evidence[at] ?? []);
}

/** A finding with the check that it is of, where the item does not say it. */
export function saidText({ check, message }: ItemFinding): string {
  return check === undefined ? message : `${check}: ${message}`;
}

export function waivedText({ id, expires, owner, ticket, reason }: Waiver): string {
  return `Waiver of \`${id}\` until ${expires} by ${owner}, \`${ticket}\`: ${reason}`;
}

/** What to do about a waiver that is stale or expired; undefined for any other. */
export function waiverFix({ waiver, state, where }: WaiverResult): string | undefined {
  const place = where === undefined ? "" : `: ${where}`;
  switch (state) {
    case "stale":
      return `Nothing that it covers failed. Remove this waiver${place}.`;
    case "expired":
      return `It held until ${waiver.expires}. Fix what it covers and remove it, or agree on a later date with ${waiver.owner}${place}.`;
    case "active":
    case "unused":
      return undefined;
    default:
      return state satisfies never;
  }
}
