import { describe } from "vitest";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import {
  type JudgedFinding,
  type JudgedRow,
  type Periods,
  type RunFigures,
  testJudgement,
} from "../../test/support/judged-load.ts";

// How a search for the capacity is judged: its figures, then verdict, findings and notes.

/** A search up to 400/s whose p99 has a limit of 3 s. */
const search: RunFigures = {
  scenario: "lookup",
  profile: { stages: constantRate(400, 60), findsCapacity: true },
  limits: { p99Milliseconds: 3000, droppedShare: 0.01 },
};
const byId = "http_req_duration{name:lookup-by-id,status:200}";
const dropped = "dropped_iterations";
const lag = "schedule_lag";

const atLimit = (actual: number, subject: string, limit = 3000, limitUnit = "ms"): JudgedFinding => ({
  ...{ code: "capacity-reached", subject, actual, unit: "requests/s", details: { limit, limitUnit } },
});
const within = (actual: number): JudgedFinding => ({
  ...{ code: "capacity-not-reached", actual, unit: "requests/s" },
});

/** Every search that recorded figures says last what it saw. */
function testSearches(rows: readonly JudgedRow[]): void {
  testJudgement(
    rows.map(([title, figures, verdict, findings = [], notes = [], thresholds = {}]) => {
      const seen: JudgedFinding[] = figures.periods === undefined ? [] : ["search-seen"];
      return [title, { busy: 0.4, ...figures }, verdict, findings, [...notes, ...seen], thresholds];
    }),
  );
}

describe("a search", () => {
  const of = (periods: Periods, more: RunFigures = {}): RunFigures => ({ ...search, ...more, periods });
  const rate = [10, 20, 30, 40];
  const slowFrom = (place: number): RunFigures =>
    of({ rate, p99: rate.map((_, at) => (at < place ? 10 : 4000)) }, { crossed: [byId] });
  const searched = { guards: "search" };
  const refusals = { [dropped]: 324, refusals: 2299, http_reqs: 13_699 };
  const failedById = "http_req_failed{name:lookup-by-id}";
  const gone = { target_responded_after: { value: 0 } };
  testSearches([
    ["within its limits", of({ rate: [100, 200, 400], p99: [10, 20, 30] }), "pass", [], [within(200)]],
    [
      "becomes slow",
      of({ rate: [100, 200, 300, 390, 400], p99: [10, 20, 20, 3400, 5000] }, { crossed: [byId] }),
      "pass",
      [],
      [atLimit(390, "p99")],
      { [byId]: searched },
    ],
    [
      "is slow for a single second",
      of({ rate: [100, 200, 300, 400], p99: [10, 5000, 20, 20] }, { crossed: [byId] }),
      "pass",
      [],
      [within(300)],
    ],
    [
      "is exactly at its limit",
      of({ rate: [100, 200, 300], p99: [10, 3000, 3000] }),
      "pass",
      [],
      [within(200)],
    ],
    ["is slow from the second second", slowFrom(1), "fail", [atLimit(20, "p99")]],
    ["is slow from the third second", slowFrom(2), "pass", [], [atLimit(30, "p99")]],
    ["is slow in the last second", slowFrom(3), "pass", [], [within(30)]],
    [
      "is refused",
      of({ rate: [100, 200, 300, 400], refused: [0, 0, 100, 200] }, { crossed: [dropped], counts: refusals }),
      "pass",
      [],
      [
        {
          ...{ code: "rate-limit-reached", expected: 400, actual: 200 },
          seen: { count: 2299, total: 13_699, of: "responses" },
        },
      ],
    ],
    [
      "fails",
      of(
        { rate: [100, 200, 300, 400, 410], failed: [0, 0, 0, 90, 95] },
        { crossed: [failedById], shares: { [failedById]: [20, 100] } },
      ),
      "fail",
      // Of one kind, and of all.
      ["failed-requests", "failed-requests"],
      // Of what was completed without a failure.
      [atLimit(310, "failed requests", 0.01, "share")],
    ],
    [
      "fails while this machine has no CPU left",
      of(
        { rate: [100, 200, 300, 400, 410], failed: [0, 0, 0, 90, 95] },
        { crossed: [failedById], shares: { [failedById]: [20, 100] }, busy: 0.95 },
      ),
      "invalid",
      ["search-on-busy-machine", "failed-requests", "failed-requests"],
    ],
    [
      "fails while iterations start late",
      of(
        { rate: [100, 200, 300, 400, 410], failed: [0, 0, 0, 90, 95], late: [0, 0, 0, 300, 400] },
        { crossed: [failedById], shares: { [failedById]: [20, 100] } },
      ),
      "invalid",
      ["iterations-late", "failed-requests", "failed-requests"],
    ],
    [
      "loses iterations to slow responses",
      of(
        { rate: [100, 390, 200], p99: [10, 10, 10] },
        {
          crossed: [dropped],
          counts: { [dropped]: 324 },
          metrics: { [byId]: { count: 20_000, "p(99)": 3100 } },
        },
      ),
      "pass",
      [],
      [{ code: "capacity-reached", subject: undefined, actual: 200, details: undefined }],
      { [dropped]: searched, [lag]: { guards: "run" }, [failedById]: { guards: "target" } },
    ],
    [
      "ends with a target that is gone",
      of({ rate: [100, 200, 300], p99: [10, 20, 3400] }, { metrics: gone }),
      "fail",
      ["target-gone-under-load"],
    ],
  ]);
});

describe("a search without a limit for p99", () => {
  const of = (periods: Periods): RunFigures => ({
    ...{ scenario: "lookup", profile: { stages: constantRate(400, 60), findsCapacity: true }, periods },
  });
  testSearches([
    ["has none", of({ rate: [10, 20, 30, 40], p99: [10, 9000, 9000, 9000] }), "pass", [], [within(30)]],
    [
      "ends at the p95, in two periods in a row",
      of({ rate: [10, 20, 30, 40, 50], p95: [10, 1001, 10, 1001, 1001] }),
      "pass",
      [],
      [atLimit(40, "p95", 1000)],
    ],
    [
      "ends at more failures than may be chance, in two periods in a row",
      of({ rate: [10, 150, 150, 300, 310], failed: [0, 2, 1, 14, 15] }),
      "pass",
      [],
      [atLimit(286, "failed requests", 0.01, "share")],
    ],
    ["does not end where nothing was sent", of({ rate: [10, 20, 0, 0] }), "pass", [], [within(10)]],
  ]);
});

describe("a search that was ended when it had its answer", () => {
  const slow = "http_req_duration{name:batch,status:200}";
  const column = (value: number, last = value) => [value, value, value, value, last, last];
  const periods: Periods = {
    ...{ seconds: 2, rate: [10, 20, 30, 40, 50, 60], p95: column(10, 5000), p99: column(10, 9500) },
  };
  const finished = { code: 105, finished: true };
  const of = (figures: RunFigures & { over?: Partial<Periods> } = {}): RunFigures => {
    const { over, crossed = [], ...more } = figures;
    const profile = { findsCapacity: true };
    const withPeriods = { ...more, periods: { ...periods, ...over } };
    return {
      profile,
      limits: { p99Milliseconds: 9000 },
      exit: finished,
      ...withPeriods,
      crossed: [slow, ...crossed],
    };
  };
  /** A long search whose last periods before the slow ones are these. */
  const long = (...last: (number | null)[]): Partial<Periods> => {
    const calm = Array<number>(50).fill(10);
    return { rate: [...calm.slice(last.length), ...last, 50, 60], p95: [...calm, 5000, 5000], p99: [] };
  };
  const lost = (count: number, what: string) => ({
    on_the_way: count,
    [`on_the_way{status:${what}}`]: count,
  });
  const answer: JudgedFinding = { code: "capacity-reached", actual: 50 };
  const busy: JudgedFinding = { code: "search-on-busy-machine", actual: 0.99, unit: "share" };
  const unsure = (
    title: string,
    figures: Parameters<typeof of>[0],
    ...findings: JudgedFinding[]
  ): JudgedRow => [...([title, of(figures), "invalid", findings] as const)];
  const sure = (title: string, figures: Parameters<typeof of>[0], ...notes: JudgedFinding[]): JudgedRow => [
    ...([title, of(figures), "pass", [], [answer, ...notes]] as const),
  ];
  const slowFromTheStart = { p95: column(5000) };
  testSearches([
    sure("passes", {}),
    unsure("no CPU", { busy: 0.99 }, busy),
    sure("a tenth of the CPU idle", { busy: 0.89 }),
    unsure("late starts before the answer", { over: { late: [0, 0, 0, null, 201, 0] } }, "iterations-late"),
    unsure(
      "late starts in the whole run, and slow responses",
      {
        crossed: [lag],
        counts: { [dropped]: 20 },
        metrics: { [slow]: { count: 400, "p(99)": 9500 }, [lag]: { "p(95)": 5000 } },
      },
      "iterations-late",
    ),
    unsure(
      "late starts and refusals",
      { over: { late: column(0, 400) }, counts: { refusals: 200, http_reqs: 420 } },
      "iterations-late",
    ),
    [
      "too many open files",
      of({ counts: lost(3, "open files") }),
      "invalid",
      ["lost-on-the-way"],
      ["lost-on-the-way"],
    ],
    [
      "failures of requests that no name server resolved",
      of({ over: { failed: [0, 0, 0, 40, 50, 60] }, counts: lost(300, "unknown host") }),
      "invalid",
      ["lost-on-the-way"],
      ["lost-on-the-way"],
    ],
    unsure("no figures where a limit was exceeded", { over: long(null, 1000) }, "search-figures-lost"),
    ["no figures over time", { ...of(), periods: undefined }, "invalid", ["search-figures-lost"]],
    unsure(
      "figures of half of the time",
      { over: { rate: [10, null, null, null, 50, 60] } },
      "search-figures-lost",
    ),
    sure("a late start of the whole run", { over: { late: column(250) } }),
    sure("late starts long before the answer", { over: { ...long(10), late: [900] } }),
    sure("one request that no name server resolved", { counts: lost(1, "unknown host") }, "lost-on-the-way"),
    ["slow from the start", of({ over: slowFromTheStart }), "fail", [atLimit(10, "p95", 1000)]],
    unsure("slow from the start, no CPU", { over: slowFromTheStart, busy: 0.99 }, busy),
    [
      "has the rate limit as its answer, although no iteration was lost",
      of({
        over: { refused: [0, 0, 10, 20, 30, 40], p95: [], p99: [] },
        counts: { refusals: 200, http_reqs: 420 },
      }),
      "pass",
      [],
      [{ code: "rate-limit-reached", actual: 20 }],
    ],
  ]);
});

describe("a search and this machine or the way to the target", () => {
  const none: Periods = { seconds: 2, rate: [20] };
  const losses = { on_the_way: 500, "on_the_way{status:502}": 500, lost_on_the_way: 500 };
  const starved: Finding[] = [{ code: "generator-starved", actual: 0.9 }];
  testSearches([
    [
      "many requests were lost on the way",
      { ...search, exit: { code: 99 }, periods: none, counts: losses },
      "pass",
      [],
      [within(20), "lost-on-the-way"],
    ],
    [
      "the load was not generated as planned",
      { ...search, periods: none, starved, crossed: [lag], metrics: { [lag]: { "p(95)": 3000 } } },
      "invalid",
      ["generator-starved", "iterations-late"],
      [],
      { [lag]: { guards: "run" } },
    ],
  ]);
});

describe("what a search saw", () => {
  const of = (periods: Periods, more: RunFigures = {}): RunFigures => ({ ...search, ...more, periods });
  const seen = (details: object, subject?: string): JudgedFinding => ({
    code: "search-seen",
    subject,
    details,
  });
  const slow = { rate: [100, 190, 200, 198, 202], p99: [10, 20, 20, 3400, 5000] };
  const crossed = [byId];
  testJudgement([
    [
      "with a result",
      of(slow, { crossed, busy: 0.4 }),
      "pass",
      [],
      ["capacity-reached", seen({ confirmed: true, held: 190, machine: { busy: 0.4 } }, "p99")],
    ],
    [
      "without one",
      of(slow, { crossed, busy: 0.95 }),
      "invalid",
      ["search-on-busy-machine"],
      [seen({ confirmed: false, held: 190, completed: 198, machine: { busy: 0.95 } }, "p99")],
    ],
    ["within its limits", of({ rate: [390, 400] }), "pass", [], [within(390)]],
    [
      "what was accepted by a rate limit, and not the burst before it",
      of(
        { rate: [260, 270, 300, 310, 320, 330], refused: [0, 0, 90, 110, 120, 130] },
        { busy: 0.4, crossed: [dropped], counts: { [dropped]: 324, refusals: 450, http_reqs: 1790 } },
      ),
      "pass",
      [],
      [{ code: "rate-limit-reached", actual: 200 }, seen({ confirmed: true, machine: { busy: 0.4 } }, "429")],
    ],
  ]);
});

describe("a run that is no search says that this machine was busy", () => {
  const details = { busy: 0.95 };
  testJudgement([
    ["passed", { busy: 0.95 }, "pass", [], [{ code: "machine-busy", details }]],
    ["passed with CPU to spare", { busy: 0.85 }, "pass"],
  ]);
});
