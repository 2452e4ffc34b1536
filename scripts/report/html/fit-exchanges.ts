import type { Evidence } from "../../../schemas/types.ts";
import { clip } from "./visible-text.ts";

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
      body: clip(response.body, body),
    },
    // Cut only where nobody would paste it any more: a batch of 50 items takes about 5,000 characters.
    curl: clip(curl, 10_000),
  };
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
