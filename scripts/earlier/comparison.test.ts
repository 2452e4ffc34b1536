import { expect, test } from "vitest";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { LoadResult, Threshold } from "../../schemas/contracts/load-result.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import {
  exampleLoad,
  exampleRequirement,
  exampleResults,
  exampleThreshold,
  timed,
} from "../../test/support/samples/example.ts";
import { type Comparison, compareRuns } from "./comparison.ts";

type Change = Partial<Results<Finding>>;

function compared(before: Change, after: Change): Comparison {
  const run = (day: number, change: Change) => {
    const startedAt = `2026-11-0${day}T00:00:00.000Z`;
    return { name: `run-${day}`, path: "", results: exampleResults({ startedAt, ...change }) };
  };
  return compareRuns(run(1, before), run(2, after));
}

const judged = (
  verdict: Results["requirements"][number]["verdict"],
  level: "must" | "should" = "must",
): Change => ({
  requirements: [exampleRequirement({ verdict, level })],
});
const retailers = (...slugs: string[]): Change => ({
  ...judged("pass"),
  discovered: { ...exampleResults().discovered, retailers: slugs },
});

const limit = exampleThreshold();
const crossed: Threshold = { ...limit, met: false };
const notJudged: Threshold = { ...crossed, notJudged: { samples: 30, needed: 300 } };
const load = (threshold: Threshold, change: Partial<LoadResult> = {}): Change => ({
  load: [exampleLoad({ thresholds: [threshold], ...change })],
});
const invalid = load(limit, { verdict: "invalid" });
const on = (host: string) => ({ conditions: { profile: "abc", host } });
const only: Change = { command: "load", requirements: [] };
const probe = (perSecond: number): Change => {
  const found = { perSecond, low: perSecond * 0.9, high: perSecond * 1.1, burst: 10 };
  const rateLimit = { mode: "probe", limit: found } as const;
  return { ...only, load: [exampleLoad({ scenario: "rate-limit", rateLimit })] };
};
const problem = { what: "The target does not respond", where: "http://127.0.0.1:1/v1", fix: "Start it." };

test.each<[string, before: Change, after: Change, 0 | 1 | 4]>([
  ["nothing changed", judged("pass"), judged("pass"), 0],
  ["a new failure", judged("pass"), judged("fail"), 1],
  ["a failure that is fixed", judged("fail"), judged("pass"), 0],
  ["a failure that was not judged before", judged("inconclusive"), judged("fail"), 4],
  ["a MUST no longer judged", judged("pass"), judged("inconclusive"), 4],
  ["a SHOULD no longer judged", judged("pass", "should"), judged("inconclusive", "should"), 0],
  ["a breaking change", retailers("acme"), retailers(), 1],
  ["a change that does not break", retailers("acme"), retailers("acme", "bolt"), 0],
  ["a run that did not finish", { ...only }, { ...only, verdict: "error", exitCode: 3, problem }, 4],
  ["a limit newly exceeded", load(limit), load(crossed), 1],
  ["one that both exceed", load(crossed), load(crossed), 0],
  ["one exceeded on the run itself", load(limit), load({ ...crossed, guards: "run" }), 0],
  ["one above, by too few samples to judge", load(limit), load(notJudged), 0],
  ["one exceeded, not judged before", load(notJudged), load(crossed), 4],
  ["one no longer exceeded", load(crossed), load(limit), 0],
  ["one exceeded, not measured before", invalid, load(crossed), 4],
  ["one exceeded with another profile", load(limit, { profile: "peak" }), load(crossed), 4],
  ["one exceeded on another machine", load(limit, on("one")), load(crossed, on("another")), 4],
  ["a load that is missing", load(limit), { load: [] }, 4],
  ["a load that is not measured", load(limit), invalid, 4],
  ["a load that was never measured", invalid, invalid, 0],
  ["a run of another command, without load", load(limit), { command: "conformance", load: [] }, 0],
  ["only load, with limits", { ...only, ...load(limit) }, { ...only, ...load(limit) }, 0],
  ["nothing to compare", only, only, 4],
  ["half the rate limit", probe(40), probe(20), 1],
  ["the same rate limit", probe(40), probe(40), 0],
])("%s", (_title, before, after, exitCode) => {
  const verdict = { 0: "same", 1: "worse", 4: "not judged" }[exitCode];
  expect(compared(before, after)).toMatchObject({ exitCode, verdict });
});

test("latency is shown, and decides nothing", () => {
  const lookup = (...values: [number, number, number, number]): Change => ({
    ...only,
    load: [exampleLoad({ metrics: timed({ "lookup-by-id": values }), thresholds: [limit] })],
  });
  const { verdict, load: loads } = compared(lookup(1000, 10, 20, 30), lookup(1000, 15, 30, 45));
  expect(verdict).toBe("same");
  const [first, ...others] = loads[0]?.latency ?? [];
  expect(first).toMatchObject({ endpoint: "lookup-by-id", before: 10, after: 15, change: 0.5 });
  expect(others).toHaveLength(2);
});
