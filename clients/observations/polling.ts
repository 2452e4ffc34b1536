import type { ClientExchange } from "../lab/exchange.ts";
import { isLookupOf } from "../lab/exchange.ts";
import { type ClientRun, merged, type Observed } from "./observation.ts";
import { unsearched } from "./retailers.ts";

/** Repetitions that no task asks for and no refusal explains: most of the gaps are within a tenth of their median. */
export function polling(run: ClientRun): Observed {
  const kept = run.tasks.find((task) => task.do === "keep-looking-up")?.products ?? [];
  const rounds = run.tasks.find((task) => task.do === "search-retailers")?.rounds ?? 0;
  const succeeded = unsearched(run).filter(
    (one) =>
      one.request.method === "GET" &&
      one.response.status === 200 &&
      !kept.some((product) => isLookupOf(one, product)),
  );
  const [polled] = [...Map.groupBy(succeeded, ({ target }) => target).values()].flatMap((group) => {
    const every = intervalOf(group, 5 + rounds);
    return every === undefined ? [] : [{ group, every }];
  });
  const sightings =
    polled === undefined
      ? []
      : [{ shows: polled.group, details: { everyMilliseconds: Math.round(polled.every) } }];
  const seen = { total: succeeded.length, of: "requests", count: polled?.group.length ?? 0 } as const;
  return { chances: succeeded.length, findings: merged("polled", sightings, seen) };
}

/** The interval between requests in milliseconds, if it is a fixed one. */
function intervalOf(group: readonly ClientExchange[], fewest: number): number | undefined {
  const gaps = group.slice(1).map((one, at) => one.at - (group[at]?.at ?? 0));
  const median = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0;
  const regular = gaps.filter((gap) => Math.abs(gap - median) <= median / 10);
  const isFixed = gaps.length >= fewest && median >= 200 && regular.length >= gaps.length * 0.7;
  return isFixed ? median : undefined;
}
