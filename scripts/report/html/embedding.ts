import type { Evidence, Excerpt, LoadResult } from "../../../schemas/types.ts";
import { clip } from "../../../schemas/words/format.ts";
import type { Report } from "../model.ts";
import type { ShownCheck, ShownRequirement } from "../shown-requirements.ts";
import { bodyText } from "../text.ts";
import { renderTicket } from "../ticket.ts";
import { anchor } from "./markup.ts";

/** What the page's script builds on demand from: embedded as JSON, read by `client/page.ts`. */
export interface PageData {
  /** Each exchange once, cut to fit; the findings name them by index. */
  readonly exchanges: readonly Evidence[];
  /** Slots by index: `data-slot` of an element names the exchanges that it opens to. */
  readonly slots: readonly (readonly number[])[];
  /** Checks of a requirement that has no card of its own, by its anchor. */
  readonly rows: Readonly<Record<string, readonly RowCheck[]>>;
  readonly load: readonly ChartData[];
  /** Markdown of findings, by the number in `data-ticket`. */
  readonly tickets: readonly string[];
}

export interface RowCheck extends Pick<ShownCheck, "id" | "title" | "verdict" | "text"> {
  readonly slot?: number;
}

export interface ChartData extends Pick<LoadResult, "series" | "percentiles"> {
  /** What the charts are of, for those who do not see them. */
  readonly name: string;
  readonly limits?: readonly ChartLimit[];
  /** Where the profile plans a rate: what it leads to within how many seconds. */
  readonly planned?: readonly { readonly seconds: number; readonly rate: number }[];
}

/** A limit as a line across a chart. */
export interface ChartLimit {
  readonly at: number;
  /** `p95 limit 500 ms`. */
  readonly label: string;
}

/** What the script of the history page draws: read by `client/history.ts`. */
export interface HistoryData {
  /** Day and hour of each run, oldest first. */
  readonly runs: readonly string[];
  readonly charts: readonly TrendChart[];
}

/** Figures over the runs that share a unit. */
export interface TrendChart {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly {
    readonly name: string;
    /** One for each run, oldest first; null where there is none. */
    readonly values: readonly (number | null)[];
    readonly dashed?: boolean;
  }[];
}

const mostFindingsWithExcerpts = 300;
/** What a tracker takes: GitHub's issues hold 65,536 characters. */
const longestTicket = 20_000;

/** What a slot is for: a finding's exchanges come before those of what passed. */
type Need = "finding" | "passed";

/** Collects, while the page is rendered, what its script will build on demand. */
export class Embedding {
  /** The longest text of a finding, shorter the more findings there are. */
  readonly textLimit: number;
  /** The longest sentence in a row of the coverage. */
  readonly rowLimit: number;
  /** Excerpts stand beside the findings; with very many findings they open with the exchanges alone. */
  readonly showsExcerpts: boolean;
  readonly #slots: { readonly evidence: readonly Evidence[]; readonly need: Need }[] = [];
  readonly #tickets: string[] = [];
  readonly #report: Report;
  readonly #rows: Record<string, readonly RowCheck[]> = {};

  /** @param scale From 1 down to 0: how much of the usual length texts may have. */
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

  /** A place for exchanges; undefined when there are none. */
  slot(evidence: readonly Evidence[], need: Need = "finding"): number | undefined {
    return evidence.length === 0 ? undefined : this.#slots.push({ evidence, need }) - 1;
  }

  get ticketBytes(): number {
    return this.#tickets.reduce((sum, text) => sum + Buffer.byteLength(embeddedJson(text)), 0);
  }

  /** The number of the ticket of a check; undefined where there are too many findings to carry them. */
  ticket(id: string): number | undefined {
    const text = this.showsExcerpts ? renderTicket(this.#report, id) : undefined;
    return text === undefined ? undefined : this.#tickets.push(clip(text, longestTicket)) - 1;
  }

  /** The checks of a requirement that has no card; returns the name that the page's script finds them by. */
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

  /** All of it, with the exchanges in so many bytes of JSON; `cutAt` when findings' bodies were cut to fit. */
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

/** Exchanges as the page carries them: each once, and by slot which of them it shows. */
export interface FittedExchanges {
  readonly exchanges: readonly Evidence[];
  readonly slots: readonly (readonly number[])[];
  /** What the exchanges take, as JSON. */
  readonly bytes: number;
  /** The longest body that is shown whole; undefined when nothing was cut for room. */
  readonly cutAt?: number;
}

interface Measure {
  readonly exchanges: number;
  readonly body: number;
  /** In a tight page headers go, but for the answer's content type and Retry-After; curl has the request's. */
  readonly headers: "all" | "few";
}

// `results.schema.json` bounds a body to 4,000 characters, so the first measure cuts nothing.
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
 * Takes as much of each slot's exchanges as fits into so many bytes of JSON: the same measure for all, the most
 * generous that fits. With the tightest the first slots are served, the rest are left empty.
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
    // Cut only where nobody would paste it any more: a batch of 50 items takes about 5,000 characters.
    curl: clip(curl, 10_000),
  };
}

/** The first place without what stands around it. */
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
 * JSON that may stand in a script element, and in which nothing is unseen: no `<`, no control character, no line
 * separator, no bidi override as it is.
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
