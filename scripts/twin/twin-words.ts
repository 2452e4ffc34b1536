import { endpointLabel } from "../../schemas/api.ts";
import { walkName } from "../../schemas/scenarios.ts";
import { change, counted, grouped, listed, outOf } from "../../schemas/words/format.ts";
import {
  fieldOf,
  type TwinDifference,
  type TwinLatency,
  type TwinResult,
  unusualName,
} from "./twin-result.ts";

/** Each deployment by its own name, as it stands in sentences. */
export type DeploymentNames = Readonly<Record<"old" | "new", string>>;

/** The names of the deployments; their addresses, if both have the same name. */
export function deploymentNames(old: TwinResult["old"], target: TwinResult["old"]): DeploymentNames {
  const key = old.name === target.name ? "baseUrl" : "name";
  return { old: `\`${old[key]}\``, new: `\`${target[key]}\`` };
}

/** Name of a kind of request that both deployments were asked. */
export function twinRequestName(kind: string): string {
  if (kind === walkName) return "Walk through a category";
  return kind === unusualName ? "Unusual request" : endpointLabel(kind);
}

/** Differences in words. One field that differs in several kinds of request is one difference, with its first example. */
export function twinDifferenceTexts(
  differences: readonly TwinDifference[],
  names: DeploymentNames,
): { readonly text: string; readonly example: TwinDifference }[] {
  const groups = Map.groupBy(differences, ({ change: kind, path }) => `${kind} ${fieldOf(path)}`);
  return [...groups.values()].flatMap((all) => {
    const [example] = all;
    if (example === undefined) return [];
    const { path } = example;
    const place =
      path === "" ? "The body" : path.startsWith("/") ? `\`${path}\`` : `The ${path.replace("-", " ")}`;
    const firsts = [...Map.groupBy(all, ({ request }) => request).values()].flatMap(([first]) => first ?? []);
    const where = firsts.map(
      ({ request, count, total }) =>
        `${twinRequestName(request)} (${grouped(count)} of ${counted(total, "request")})`,
    );
    return [{ text: `${place} ${changeText(example, names)}: ${listed(where)}.`, example }];
  });
}

function changeText({ change: kind, old, new: now }: TwinDifference, names: DeploymentNames): string {
  const shown = (value: unknown) => (value === undefined ? "present" : `\`${JSON.stringify(value)}\``);
  if (kind === "varies") return `is always ${shown(old)} at ${names.old}, and varies at ${names.new}`;
  const [before, after] = [
    kind === "added" ? "missing" : shown(old),
    kind === "missing" ? "missing" : shown(now),
  ];
  return `is ${before} at ${names.old}, ${after} at ${names.new}`;
}

/** `+12 % (+8.1 % to +15 %)`. */
export function twinIntervalText({ change: middle, low, high }: TwinLatency): string {
  if (middle === undefined || low === undefined || high === undefined) return "not measured";
  return `${change(middle)} (${change(low)} to ${change(high)})`;
}

/** The verdict of a kind of request. */
export function twinVerdictText({ outcome, low = 0, high }: TwinLatency): string {
  const isSmall = low > 0 || (high ?? 0) < 0;
  if (outcome === "same") return isSmall ? "difference too small to count" : "no difference found";
  if (outcome !== "inconclusive") return outcome;
  return high === undefined ? "not judged: too few pairs" : "not judged: responses vary too much";
}

/** How often requests failed at either deployment. */
export function twinFailuresText(
  { outcome, old, new: now }: TwinResult["responses"]["failures"],
  names: DeploymentNames,
): string {
  const figures = `${outOf(old.count, old.total, "request")} failed at ${names.old}, ${outOf(now.count, now.total)} at ${names.new}`;
  return outcome === "different" ? `${figures}: that is more, and not by chance.` : `${figures}.`;
}
