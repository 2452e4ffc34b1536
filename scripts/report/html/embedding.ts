import type { Evidence, Excerpt } from "../../../schemas/contracts/evidence.ts";
import type { LoadResult } from "../../../schemas/contracts/load-result.ts";
import { clip } from "../../../schemas/words/format.ts";
import type { Report } from "../model.ts";
import type { ShownCheck, ShownRequirement } from "../shown-requirements.ts";
import { bodyText } from "../text.ts";
import { renderTicket } from "../ticket.ts";
import { anchor } from "./markup.ts";

/** Data of the page's script, embedded as JSON and read by `client/page.ts`. */
export interface PageData {
  /** Each exchange once, cut to fit. Slots refer to them by index. */
  readonly exchanges: readonly Evidence[];
  /** Indexes of exchanges, by the number in the `data-slot` of an element. */
  readonly slots: readonly (readonly number[])[];
  /** Checks of requirements without a card, by anchor. */
  readonly rows: Readonly<Record<string, readonly RowCheck[]>>;
  readonly load: readonly ChartData[];
  /** Markdown of findings, by the number in `data-ticket`. */
  readonly tickets: readonly string[];
}

export interface RowCheck extends Pick<ShownCheck, "id" | "title" | "verdict" | "text"> {
  readonly slot?: number;
}

export interface ChartData extends Pick<LoadResult, "series" | "percentiles"> {
  /** Name of the load run, for the text alternative of a chart. */
  readonly name: string;
  readonly limits?: readonly ChartLimit[];
  /** The planned rate at the end of each stage, if the profile plans one. */
  readonly planned?: readonly { readonly seconds: number; readonly rate: number }[];
}

/** A limit as a line across a chart. */
export interface ChartLimit {
  readonly at: number;
  /** `p95 limit 500 ms`. */
  readonly label: string;
}

/** Data of the history page, read by `client/history.ts`. */
export interface HistoryData {
  /** Day and hour of each run, oldest first. */
  readonly runs: readonly string[];
  readonly charts: readonly TrendChart[];
}

/** Figures with the same unit over the runs. */
export interface TrendChart {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly {
    readonly name: string;
    /** One value for each run, oldest first; null if not measured. */
    readonly values: readonly (number | null)[];
    readonly dashed?: boolean;
  }[];
}

const mostFindingsWithExcerpts = 300;
/** Maximum length of a ticket, well below the 65,536 characters of a GitHub issue. */
const longestTicket = 20_000;

/** Exchanges of findings get room before those of passed checks. */
type Need = "finding" | "passed";

/** Collects the data for the script while the page is rendered. */
export class Embedding {
  /** Maximum length of a finding, shorter with more findings. */
  readonly textLimit: number;
  /** Maximum length of a sentence in the coverage. */
  readonly rowLimit: number;
  /** Whether excerpts are shown at once; with very many findings they open together with the exchanges. */
  readonly showsExcerpts: boolean;
  readonly #slots: { readonly evidence: readonly Evidence[]; readonly need: Need }[] = [];
  readonly #tickets: string[] = [];
  readonly #report: Report;
  readonly #rows: Record<string, readonly RowCheck[]> = {};

  /** @param scale Share of the usual text length, from 0 to 1. */
  constructor(report: Report, scale = 1) {
    const { sections } = report;
    this.#report = report;
    const requirements = sections.flatMap((section) => section.requirements);
    const findings = requirements.reduce((sum, { reported }) => sum + reported.length, 0);
    this.showsExcerpts = scale === 1 && findings <= mostFindingsWithExcerpts;
    const most = Math.max(findings, requirements.length, 1);
    this.textLimit = Math.max(40, scale * Math.max(200, Math.min(1500, Math.floor(1_500_000 / most))));
    this.rowLimit = Math.max(20, scale * Math.max(60, Math.min(400, Math.floor(300_000 / most))));
  }

  /** Adds a slot for exchanges; undefined without exchanges. */
  slot(evidence: readonly Evidence[], need: Need = "finding"): number | undefined {
    return evidence.length === 0 ? undefined : this.#slots.push({ evidence, need }) - 1;
  }

  get ticketBytes(): number {
    return this.#tickets.reduce((sum, text) => sum + Buffer.byteLength(embeddedJson(text)), 0);
  }

  /** Number of the ticket of a check; undefined if there are too many findings to embed tickets. */
  ticket(id: string): number | undefined {
    const text = this.showsExcerpts ? renderTicket(this.#report, id) : undefined;
    return text === undefined ? undefined : this.#tickets.push(clip(text, longestTicket)) - 1;
  }

  /** Adds the checks of a requirement without a card; returns their key. */
  row({ id, checks, verdict }: ShownRequirement): string {
    const name = anchor(id);
    const need = verdict === "inconclusive" ? "finding" : "passed";
    this.#rows[name] = checks.map((check) => {
      const slot = this.slot(check.evidence, need);
      return {
        id: check.id,
        title: clip(check.title, this.textLimit),
        verdict: check.verdict,
        text: clip(check.text, this.textLimit),
        ...(slot === undefined ? {} : { slot }),
      };
    });
    return name;
  }

  /** The data, with exchanges in up to `bytes` bytes of JSON; `cutAt` is set if bodies of findings were cut to fit. */
  data(bytes: number, load: readonly ChartData[]): { data: PageData; cutAt: number | undefined } {
    const of = (need: Need): (readonly Evidence[])[] =>
      this.#slots.map((slot) => (slot.need === need ? slot.evidence : []));
    const findings = fitExchanges(of("finding"), bytes);
    const passed = fitExchanges(of("passed"), bytes - findings.bytes);
    const offset = findings.exchanges.length;
    const slots = findings.slots.map((places, index) => [
      ...places,
      ...(passed.slots[index] ?? []).map((place) => place + offset),
    ]);
    const exchanges = [...findings.exchanges, ...passed.exchanges];
    return {
      data: { exchanges, slots, rows: this.#rows, load, tickets: this.#tickets },
      cutAt: findings.cutAt,
    };
  }
}

/** Embedded exchanges, each once, and the indexes of each slot. */
export interface FittedExchanges {
  readonly exchanges: readonly Evidence[];
  readonly slots: readonly (readonly number[])[];
  /** Size of the exchanges as JSON. */
  readonly bytes: number;
  /** Maximum length of a body; undefined if none was cut. */
  readonly cutAt?: number;
}

interface Measure {
  readonly exchanges: number;
  readonly body: number;
  /** Without room, only Content-Type and Retry-After of the response are kept; the curl line has the request's headers. */
  readonly headers: "all" | "few";
}

// `results.schema.json` limits a body to 4,000 characters, so the first measure cuts nothing.
const measures: readonly Measure[] = [
  { exchanges: 10, body: 4000, headers: "all" },
  { exchanges: 3, body: 4000, headers: "all" },
  { exchanges: 2, body: 2000, headers: "all" },
  { exchanges: 1, body: 1000, headers: "all" },
  { exchanges: 1, body: 400, headers: "few" },
  { exchanges: 1, body: 120, headers: "few" },
  { exchanges: 1, body: 40, headers: "few" },
];

/**
 * Embeds as much of the exchanges as fits, with the most generous measure that fits all slots. If none does, the first
 * slots are filled and the rest stay empty.
 */
export function fitExchanges(slots: readonly (readonly Evidence[])[], bytes: number): FittedExchanges {
  for (const [index, measure] of measures.entries()) {
    const last = index === measures.length - 1;
    const fitted = fitBy(measure, { slots, bytes, stopEarly: !last });
    if (fitted !== undefined) return index === 0 ? fitted : { ...fitted, cutAt: measure.body };
  }
  return { exchanges: [], slots: slots.map(() => []), bytes: 0, cutAt: 0 };
}

function fitBy(
  measure: Measure,
  { slots, bytes, stopEarly }: { slots: readonly (readonly Evidence[])[]; bytes: number; stopEarly: boolean },
): FittedExchanges | undefined {
  const places = new Map<string, number>();
  const exchanges: Evidence[] = [];
  const taken: number[][] = [];
  let size = 0;
  for (const evidence of slots) {
    const shown = [];
    for (const exchange of evidence.slice(0, measure.exchanges)) {
      const cut = cutExchange(exchange, measure);
      const text = embeddedJson(cut);
      let place = places.get(text);
      if (place === undefined) {
        const grown = size + Buffer.byteLength(text) + 1;
        if (grown > bytes) {
          if (stopEarly) return undefined;
          continue;
        }
        size = grown;
        place = exchanges.push(cut) - 1;
        places.set(text, place);
      }
      shown.push(place);
    }
    taken.push(shown);
  }
  return { exchanges, slots: taken, bytes: size };
}

function cutExchange({ request, response, curl }: Evidence, { body, headers }: Measure): Evidence {
  return {
    request: {
      method: clip(request.method, 40),
      url: clip(request.url, 2000),
      headers: headers === "few" ? {} : cutHeaders(request.headers),
      ...(request.body === undefined ? {} : { body: clip(request.body, body) }),
    },
    response: {
      ...response,
      headers: cutHeaders(response.headers, headers === "few" ? /^(content-type|retry-after)$/i : /./),
      body: bodyText(response, body),
      ...(response.excerpts === undefined
        ? {}
        : { excerpts: headers === "few" ? placesAlone(response.excerpts) : response.excerpts }),
    },
    // Longer than any useful command: a batch of 50 items takes about 5,000 characters.
    curl: clip(curl, 10_000),
  };
}

/** The first excerpt without the lines around its place. */
function placesAlone(excerpts: readonly Excerpt[]): Excerpt[] {
  return excerpts.slice(0, 1).map(({ path, lines }) => ({
    path: clip(path, 200),
    lines: lines
      .filter(({ mark }) => mark === "place")
      .slice(0, 3)
      .map(({ text }) => ({ text: clip(text.trim(), 200), mark: "place" as const })),
  }));
}

function cutHeaders(headers: Readonly<Record<string, string>>, kept = /./): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => kept.test(name))
      .slice(0, 60)
      .map(([name, value]) => [clip(name, 100), clip(value, 400)]),
  );
}

/**
 * JSON for a script element: `<`, control characters, line separators and bidirectional characters are escaped.
 */
export function embeddedJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll("<", "\\u003c")
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escapedUnits);
}

function escapedUnits(character: string): string {
  let escaped = "";
  for (let at = 0; at < character.length; at++)
    escaped += `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`;
  return escaped;
}
