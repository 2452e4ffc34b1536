import type { Evidence } from "../../../../schemas/contracts/evidence.ts";
import type { Finding } from "../../../../schemas/contracts/finding.ts";
import { clip, counted } from "../../../../schemas/words/format.ts";
import { headLines } from "../../../../schemas/words/head-lines.ts";
import { shownBy, wordsOf } from "../../../../schemas/words/index.ts";
import type { PlaceBlock, PlaceExcerpt, PlaceLine } from "../../document.ts";
import { bodyText, prettyJson } from "../../text.ts";
import type { ShownCheck, ShownFinding } from "./requirements.ts";

/** Number of findings of a check with their place. */
const mostPlaces = 2;

/** The places that show the first findings of a check, beside the exchange that they were compared with. */
export function placesOf({ found, evidence }: Pick<ShownCheck, "found" | "evidence">): PlaceBlock[] {
  const placed = found.filter(({ data }) => evidence[data.exchange ?? 0] !== undefined).slice(0, mostPlaces);
  if (placed.length === 0) return evidence.slice(0, 1).map((exchange) => placeOf(exchange));
  const once = new Set<string>();
  return placed.flatMap((finding) => {
    const { exchange = 0, path = "", comparedWith, comparedPath = path } = finding.data;
    const key = `${exchange} ${path} ${comparedWith}`;
    const shown = evidence[exchange];
    if (shown === undefined || once.has(key)) return [];
    once.add(key);
    const other = comparedWith === undefined ? undefined : evidence[comparedWith];
    const { example, headings } = wordsOf(finding.data);
    const seen = placeOf(shown, { finding, path, isReference: example !== undefined });
    if (other === undefined) return [{ ...seen, heading: example }];
    const [before, after] = headings ?? ["Compared with", "Seen"];
    const reference = placeOf(other, { path: comparedPath, isReference: headings === undefined });
    return [{ ...seen, heading: after, beside: { ...reference, heading: before } }];
  });
}

interface PlaceParts {
  readonly finding?: ShownFinding;
  /** JSON Pointer to the place to show. */
  readonly path?: string;
  readonly isReference?: boolean;
}

function placeOf(
  exchange: Evidence,
  { finding, path = "", isReference = false }: PlaceParts = {},
): PlaceBlock {
  const { excerpts = [] } = exchange.response;
  const data = finding?.data;
  const excerpt =
    excerpts.find((one) => one.path === path) ?? (data?.path === undefined ? excerpts[0] : undefined);
  const isInHead = data !== undefined && (shownBy(data) !== undefined || data.code === "not-json");
  if (excerpt === undefined || isInHead) return { kind: "place", exchange, excerpt: headOf(exchange, data) };
  return { kind: "place", exchange, excerpt: { ...excerptOf(excerpt, finding?.expected), isReference } };
}

/** The body around a place, with what is expected there. */
export function excerptOf(
  { path, lines }: NonNullable<Evidence["response"]["excerpts"]>[number],
  expected: string | undefined,
): PlaceExcerpt {
  const last = lines.findLastIndex(({ mark }) => mark === "place");
  return {
    name: `Body around ${path || "its root"}`,
    lines: lines.map((line, at) =>
      at === last && expected !== undefined ? { ...line, expected: `expected ${expected}` } : line,
    ),
  };
}

/** Maximum number of lines of a body without an excerpt. */
const mostBodyLines = 14;

/** Status, relevant headers, and the beginning of the body; before them the request's body, if the status is about it. */
function headOf({ request, response }: Evidence, finding: Finding | undefined): PlaceExcerpt {
  const sent =
    request.body === undefined || finding === undefined || shownBy(finding) !== "status"
      ? []
      : [{ text: clip(request.body, 400), mark: "left-out" as const }, { text: "" }];
  const head = headLines({ request, response, curl: "" }, finding).map(
    ({ text, isMarked, expected }): PlaceLine => ({ text, expected, mark: isMarked ? "place" : undefined }),
  );
  const hasCode =
    finding?.details !== undefined &&
    "errorCode" in finding.details &&
    finding.details.errorCode !== undefined;
  const isEmpty = !hasCode && response.body === "";
  return {
    name: "Response",
    lines: [...sent, ...head, ...(isEmpty ? [] : bodyStart(bodyText(response, 4000)))],
  };
}

function bodyStart(body: string): PlaceLine[] {
  const lines = prettyJson(body).split("\n");
  const left = lines.length - mostBodyLines;
  return [
    { text: "" },
    ...lines.slice(0, mostBodyLines).map((line) => ({ text: clip(line, 300) })),
    ...(left > 0 ? [{ text: `… ${counted(left, "more line")}`, mark: "left-out" as const }] : []),
  ];
}
