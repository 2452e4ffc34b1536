import type { Evidence } from "../../../schemas/contracts/evidence.ts";
import { clip } from "../../../schemas/words/format.ts";
import { bodyText } from "../text.ts";

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
}

// `results.json` limits a body to 4,000 characters, so the first measure cuts nothing.
const measures: readonly Measure[] = [
  { exchanges: 10, body: 4000 },
  { exchanges: 2, body: 2000 },
  { exchanges: 1, body: 1000 },
  { exchanges: 1, body: 200 },
];

/**
 * Embeds as much of the exchanges as fits, with the most generous measure that fits all slots. If none does, the first
 * slots are filled and the rest stay empty.
 */
export function fitExchanges(slots: readonly (readonly Evidence[])[], bytes: number): FittedExchanges {
  for (const [index, measure] of measures.entries()) {
    const fitted = fitBy(measure, { slots, bytes, stopEarly: index < measures.length - 1 });
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

function cutExchange({ request, response, curl, startedAt }: Evidence, { body }: Measure): Evidence {
  return {
    request: {
      method: clip(request.method, 40),
      url: clip(request.url, 2000),
      headers: cutHeaders(request.headers),
      body: request.body === undefined ? undefined : clip(request.body, body),
    },
    response: { ...response, headers: cutHeaders(response.headers), body: bodyText(response, body) },
    startedAt,
    // Longer than any useful command: a batch of 50 items takes about 5,000 characters.
    curl: clip(curl, 10_000),
  };
}

function cutHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(headers).slice(0, 60);
  return Object.fromEntries(kept.map(([name, value]) => [clip(name, 100), clip(value, 400)]));
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
