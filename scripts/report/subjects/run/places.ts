import { mostRetailers } from "../../../../conformance/rules/judge-all.ts";
import { endpointLabel } from "../../../../schemas/api.ts";
import type { Evidence } from "../../../../schemas/contracts/evidence.ts";
import type { Finding, SaidFinding, SharedFields } from "../../../../schemas/contracts/finding.ts";
import { clip, counted, grouped, outOf } from "../../../../schemas/words/format.ts";
import { headLines } from "../../../../schemas/words/head-lines.ts";
import { shownBy, wordsOf } from "../../../../schemas/words/index.ts";
import { code } from "../../../../schemas/words/values.ts";
import type { PlaceLine, ShownPlace } from "../../model.ts";
import { bodyText, prettyJson } from "../../text.ts";

/** Number of findings of a check with their place. */
const mostPlaces = 2;

/**
 * The places of each finding: of the first ones, each once, after the one that it was compared with.
 * @param from Number of the first exchange of the check in the evidence of its item.
 */
export function placesOf(
  findings: readonly SaidFinding[],
  evidence: readonly Evidence[],
  from = 0,
): ShownPlace[][] {
  const once = new Set<string>();
  return findings.map((finding) => {
    const { exchange = 0, path = "", comparedWith, comparedPath = path } = finding;
    const key = `${exchange} ${path} ${comparedWith}`;
    const shown = evidence[exchange];
    if (shown === undefined || once.has(key) || once.size === mostPlaces) return [];
    once.add(key);
    const seen = { exchange: from + exchange, ...placeOf(shown, finding) };
    const other = comparedWith === undefined ? undefined : evidence[comparedWith];
    if (comparedWith === undefined || other === undefined) return [seen];
    const { headings } = wordsOf(finding);
    const [before, after] = headings ?? ["Compared with", "Seen"];
    const compared = {
      exchange: from + comparedWith,
      heading: before,
      isReference: headings === undefined,
      lines: linesAt(other, comparedPath) ?? headOf(other, undefined),
    };
    return [compared, { ...seen, heading: after }];
  });
}

function placeOf(exchange: Evidence, finding: SaidFinding): Pick<ShownPlace, "lines" | "hasHead"> {
  const isInHead = shownBy(finding) !== undefined || finding.code === "not-json";
  const around = isInHead ? undefined : linesAt(exchange, finding.path);
  return around === undefined ? { lines: headOf(exchange, finding), hasHead: true } : { lines: around };
}

/** The body around a place; without a path, around the first place that was kept. */
function linesAt({ response: { excerpts = [] } }: Evidence, path: string | undefined) {
  return (excerpts.find((one) => one.path === (path ?? "")) ?? (path === undefined ? excerpts[0] : undefined))
    ?.lines;
}

/** Maximum number of lines of a body without an excerpt. */
const mostBodyLines = 10;

/** Status, relevant headers, beginning of the body; before them the request's, if the status is about it. */
function headOf({ request, response }: Evidence, finding: Finding | undefined): PlaceLine[] {
  const sent =
    request.body === undefined || finding === undefined || shownBy(finding) !== "status"
      ? []
      : [{ text: clip(request.body, 400), mark: "left-out" as const }, { text: "" }];
  const head = headLines({ request, response, curl: "" }, finding).map(
    ({ text, isMarked, expected }): PlaceLine => ({ text, expected, mark: isMarked ? "place" : undefined }),
  );
  return [...sent, ...head, ...(response.body === "" ? [] : bodyStart(bodyText(response, 4000)))];
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

/** Maximum number of places that are named. */
const mostNamed = 4;

/** How often a finding occurred, and out of how many: `66 of 258 responses (25.6 %)`. */
export function howOften({ seen }: Pick<SharedFields, "seen">): string | undefined {
  if (seen === undefined) return undefined;
  const { count, total, of } = seen;
  if (total === undefined) return counted(count, of.slice(0, -1));
  return count === total && total > 1
    ? `all ${grouped(total)} ${of}`
    : outOf(count, total, of.slice(0, -1), of);
}

interface Place {
  readonly name: string;
  readonly count: number;
  readonly total: number;
}

const isOther = ({ endpoint }: { readonly endpoint: string }) => endpoint === "other";

/** For retailers and endpoints: `Affected of the products seen: all 23 at maison & fils`. None for one place. */
export function pattern({ byRetailer = [], byEndpoint = [] }: SharedFields): string[] {
  return [
    ...patternOf(
      "Affected of the products seen",
      byRetailer.map(({ retailer, ...often }) => ({ name: code(retailer), ...often })),
    ),
    ...patternOf(
      // Other requests may be of these endpoints as well.
      `Affected of the checked responses${byEndpoint.some(isOther) ? ", where unusual requests are a group of their own" : ""}`,
      byEndpoint.map(({ endpoint, ...often }) => ({
        name: isOther({ endpoint }) ? "unusual requests" : endpointLabel(endpoint),
        ...often,
      })),
    ),
  ];
}

function patternOf(noun: string, all: readonly Place[]): string[] {
  const checked = all.filter(({ total }) => total > 0);
  const hit = checked.filter(({ count }) => count > 0).toSorted((a, b) => b.count - a.count);
  if (hit.length === 0 || checked.length === 1) return [];
  // A single one more is named, in as many words.
  const shown = hit.length === mostNamed + 1 ? hit : hit.slice(0, mostNamed);
  const named = shown.map(({ name, count, total }) => {
    const some = count === total ? `all ${grouped(total)}` : `${grouped(count)} of ${grouped(total)}`;
    return `${total === 1 ? "the only one" : some} at ${name}`;
  });
  const others = hit.slice(shown.length);
  const isCut = hit.length === mostRetailers;
  const some = !isCut && others.every(({ count, total }) => count === total) ? "all" : "some";
  const more = others.length > 0 ? [`${some} at ${grouped(others.length)}${isCut ? " or" : ""} more`] : [];
  const rest = hit.length < checked.length ? ["none elsewhere"] : [];
  return [`${noun}: ${[...named, ...more, ...rest].join(", ")}`];
}
