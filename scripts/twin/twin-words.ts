import { endpointLabel } from "../../schemas/api.ts";
import { walkName } from "../../schemas/scenarios.ts";
import { capitalized, change, counted, grouped, listed, outOf } from "../../schemas/words/format.ts";
import type { TwinDifference, TwinLatency, TwinResult } from "./twin-result.ts";

// Two deployments that were asked the same, in words: "old", and "new", the target of the run.

/** Outcome of two deployments that were asked the same, worst first. */
export const twinLabels = {
  different: "different",
  slower: "slower",
  inconclusive: "not judged",
  faster: "faster",
  same: "same",
} as const satisfies Record<TwinResult["outcome"], string>;

/** Name of a kind of request that both deployments were asked. */
export function twinRequestName(kind: string): string {
  if (kind === walkName) return "Walk through a category";
  return kind === "unusual" ? "Unusual request" : endpointLabel(kind);
}

/** Differences in words. One field that differs in several kinds of request is one difference, with its first example. */
export function twinDifferenceTexts(
  differences: readonly TwinDifference[],
): { readonly text: string; readonly example: TwinDifference }[] {
  const groups = Map.groupBy(differences, ({ change: kind, path }) => `${kind} ${fieldOf(path)}`);
  return [...groups.values()].flatMap(([example, ...others]) => {
    if (example === undefined) return [];
    const byRequest = new Map([example, ...others].toReversed().map((one) => [one.request, one]));
    const where = [...byRequest.values()].toReversed().map(oftenText);
    const text = `${capitalized(placeText(example.path))} ${changeText(example)}: ${listed(where)}.`;
    return [{ text, example }];
  });
}

/** The place within the last item of a list: a field of a product is the same wherever the product is. */
function fieldOf(path: string): string {
  return path.slice(path.lastIndexOf("/*") + 1).replace("*", "");
}

/** `Lookup by id (3 of 40 requests)`. */
function oftenText({ request, count, total }: TwinDifference): string {
  return `${twinRequestName(request)} (${grouped(count)} of ${counted(total, "request")})`;
}

function placeText(path: string): string {
  if (path === "") return "the body";
  return path.startsWith("/") ? `\`${path}\`` : `the ${path.replace("-", " ")}`;
}

function changeText({ change: kind, old, new: now }: TwinDifference): string {
  switch (kind) {
    case "missing":
      return "is missing from the new deployment";
    case "added":
      return `is returned by the new deployment only${now === undefined ? "" : `, as ${shown(now)}`}`;
    case "varies":
      return `is always ${shown(old)} at the old deployment, and varies at the new one`;
    case "status":
    case "value":
    case "type":
      return `is ${shown(old)} at the old deployment, ${shown(now)} at the new one`;
    default:
      return kind satisfies never;
  }
}

function shown(value: unknown): string {
  return value === undefined ? "something else" : `\`${JSON.stringify(value)}\``;
}

/** An interval that reaches from a tenth, or to ten times, says nothing. */
const [leastOfUse, mostOfUse] = [-0.9, 9];

/** `Lookup by id: +12 % (+8.1 % to +15 %), 412 pairs: slower`. */
export function twinIntervalText({
  change: middle,
  low,
  high,
}: Pick<TwinLatency, "change" | "low" | "high">): string {
  if (middle === undefined) return "not measured";
  const isNothing =
    low !== undefined &&
    high !== undefined &&
    low < 0 &&
    high > 0 &&
    (low <= leastOfUse || high >= mostOfUse);
  if (isNothing) return "not measurable with these pairs";
  const ends = [low, high].map((end) => (end === undefined ? "unknown" : change(end)));
  return low === undefined && high === undefined
    ? `${change(middle)}, too few pairs`
    : `${change(middle)} (${ends.join(" to ")})`;
}

/** What is missing to judge a latency; undefined if it was judged, or if its interval says so. */
export function twinUndecidedText({
  outcome,
  low,
  high,
  smallest,
}: Pick<TwinLatency, "outcome" | "low" | "high" | "smallest">): string | undefined {
  if (outcome !== "inconclusive" || (low === undefined && high === undefined)) return undefined;
  // So far two processes of one build may differ.
  const allowed = (1 + smallest) ** 0.25 - 1;
  const isClear = (low ?? 0) > allowed || (high ?? 0) < 1 / (1 + allowed) - 1;
  return isClear ? "too few seconds" : "interval too wide";
}

/** How often requests failed at either deployment. */
export function twinFailuresText({ outcome, old, new: now }: TwinResult["responses"]["failures"]): string {
  const figures = `${outOf(now.count, now.total, "request")} failed at the new deployment, ${outOf(old.count, old.total)} at the old one`;
  return outcome === "different" ? `${figures}: that is more, and not by chance.` : `${figures}.`;
}
