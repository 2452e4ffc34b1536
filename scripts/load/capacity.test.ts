import { describe, expect, test } from "vitest";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import { profiles } from "../../scenarios/profiles.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import {
  type JudgedFinding,
  type JudgedRow,
  type Periods,
  type RunFigures,
  seriesOf,
  testJudgement,
} from "../../test/support/judged-load.ts";
import { hasAnswer } from "./capacity.ts";

// How a search for the capacity is judged: its figures, then verdict, findings and notes.

/** A search up to 400/s whose p99 has a limit of 3 s. */
const search: RunFigures = {
  scenario: "lookup",
  profile: { stages: constantRate(400, 60), findsCapacity: true },
  limits: { p99Milliseconds: 3000, droppedShare: 0.01 },
  busy: 0.4,
};
const byId = "http_req_duration{name:lookup-by-id,status:200}";
const dropped = "dropped_iterations";
const lag = "schedule_lag";

const reached = "pass | capacity-reached search-seen";
const fromStart = "fail: capacity-reached | search-seen";
const notReached = "pass | capacity-not-reached";
const limited = "pass | rate-limit-reached";

const atLimit = (actual: number, subject: string, limit = 3000, limitUnit = "ms"): JudgedFinding[] => [
  { code: "capacity-reached", subject, actual, unit: "requests/s", details: { limit, limitUnit } },
];
const within = (actual: number): JudgedFinding[] => [
  { code: "capacity-not-reached", actual, unit: "requests/s" },
];
const seen = (details: object): JudgedFinding => ({ code: "search-seen", details });

describe("a search", () => {
  const of = (periods: Periods, more: RunFigures = {}): RunFigures => ({ ...search, ...more, periods });
  const rate = [10, 20, 30, 40];
  const slowFrom = (place: number): RunFigures =>
    of({ rate, p99: rate.map((_, at) => (at < place ? 10 : 4000)) }, { crossed: [byId] });
  const searched = { guards: "search" };
  const failedById = "http_req_failed{name:lookup-by-id}";
  const failing = (more: RunFigures = {}) =>
    of(
      { rate: [100, 200, 300, 400, 210], failed: [0, 0, 0, 90, 95] },
      { crossed: [failedById], shares: { [failedById]: [20, 100] }, ...more },
    );
  const slowMean = { [byId]: { count: 20_000, "p(99)": 3100 } };
  testJudgement([
    ["within its limits", of({ rate: [100, 200, 400], p99: [10, 20, 30] }), notReached, within(200)],
    [
      "becomes slow",
      of(
        { rate: [100, 200, 300, 390, 400], p99: [10, 20, 20, 3400, 5000] },
        { crossed: [byId], slowest: { count: 2, total: 20 } },
      ),
      reached,
      [...atLimit(345, "p99"), seen({ held: 200 })],
      { [byId]: searched },
    ],
    [
      "is exactly at its limit",
      of({ rate: [100, 200, 300], p99: [10, 3000, 3000] }),
      notReached,
      within(200),
    ],
    ["is slow from the second second", slowFrom(1), fromStart, atLimit(15, "p99")],
    ["is slow from the third second", slowFrom(2), reached, atLimit(25, "p99")],
    [
      "is refused only at its end",
      of({ rate: [50, 70, 80, 90], refused: [0, 0, 0, 40] }, { counts: { refusals: 40, http_reqs: 290 } }),
      notReached,
      [{ code: "capacity-not-reached", actual: 70, seen: { count: 40, of: "requests" } }],
    ],
    ["is slow in the last second", slowFrom(3), notReached, within(30)],
    [
      "fails",
      failing(),
      // Of one kind, and of all.
      "fail: failed-requests failed-requests | capacity-reached search-seen",
      // Of what was completed without a failure.
      atLimit(305, "failed requests", 0.01, "share"),
    ],
    [
      "fails while this machine has no CPU left",
      failing({ busy: 0.95 }),
      "fail: failed-requests failed-requests | capacity-reached search-seen",
    ],
    [
      "loses iterations to slow responses",
      of(
        { rate: [100, 390, 200], p99: [10, 10, 10] },
        { crossed: [dropped], counts: { [dropped]: 324 }, metrics: slowMean },
      ),
      "pass | capacity-reached",
      [{ code: "capacity-reached", subject: undefined, actual: 200, details: undefined }],
      { [dropped]: searched, [lag]: { guards: "run" }, [failedById]: { guards: "target" } },
    ],
    [
      "ends with a target that is gone",
      of(
        { rate: [100, 200, 300], p99: [10, 20, 3400] },
        { metrics: { target_responded_after: { value: 0 } } },
      ),
      "fail: target-gone-under-load",
    ],
    [
      "loses many requests on the way",
      of(
        { seconds: 2, rate: [20, 20] },
        {
          exit: { code: 99 },
          counts: { on_the_way: 500, "on_the_way{status:502}": 500, lost_on_the_way: 500 },
        },
      ),
      "pass | capacity-not-reached lost-on-the-way",
      within(20),
    ],
  ]);
});

describe("a search without a limit for p99", () => {
  const of = (periods: Periods): RunFigures => ({
    ...{ scenario: "lookup", profile: { stages: constantRate(400, 60), findsCapacity: true }, busy: 0.4 },
    periods,
  });
  testJudgement([
    [
      "ends at the p95, in two periods in a row",
      of({ rate: [10, 20, 30, 40, 50], p95: [10, 1001, 10, 1001, 1001], p99: [10, 9000, 9000, 9000] }),
      reached,
      atLimit(35, "p95", 1000),
    ],
    [
      "ends at more failures than may be chance, in two periods in a row",
      of({ rate: [10, 150, 150, 300, 310], failed: [0, 2, 1, 14, 15] }),
      reached,
      atLimit(217.5, "failed requests", 0.01, "share"),
    ],
    [
      "does not end at what came after the load",
      of({ seconds: 20, rate: [10, 50, 40, 3, 2], p95: [10, 10, 10, 2700, 2700] }),
      notReached,
      within(40),
    ],
    [
      "held no rate in one period",
      of({ rate: [10, 14, 20], p95: [5, 1200, 1300] }),
      fromStart,
      [seen({ held: 0 })],
    ],
    ["does not end where nothing was sent", of({ rate: [10, 20, 0, 0] }), notReached, within(10)],
  ]);
});

describe("a search that was ended when it had its answer", () => {
  const slow = "http_req_duration{name:batch,status:200}";
  const column = (value: number, last = value) => [value, value, value, value, last, last];
  const periods: Periods = {
    ...{ seconds: 2, rate: [10, 20, 30, 50, 50, 60], p95: column(10, 5000), p99: column(10, 9500) },
  };
  const of = ({ crossed = [], ...more }: RunFigures, over: Partial<Periods> = {}): RunFigures => ({
    profile: { stages: constantRate(400, 120), findsCapacity: true },
    limits: { p99Milliseconds: 9000 },
    exit: { code: 105, finished: true },
    busy: 0.4,
    ...more,
    periods: { ...periods, ...over },
    crossed: [slow, ...crossed],
  });
  /** A long search whose last periods before the slow ones are these. */
  const long = (...last: (number | null)[]): Partial<Periods> => {
    const calm = Array<number>(50).fill(10);
    return { rate: [...calm.slice(last.length), ...last, 50, 60], p95: [...calm, 5000, 5000], p99: [] };
  };
  const lost = (count: number, what: string): RunFigures => ({
    counts: { on_the_way: count, [`on_the_way{status:${what}}`]: count },
  });
  const unsure = (title: string, code: Finding["code"], ...figures: Parameters<typeof of>): JudgedRow => [
    ...([title, of(...figures), `invalid: ${code} | search-seen`] as const),
  ];
  const sure = (title: string, ...figures: Parameters<typeof of>): JudgedRow => [
    ...([title, of(...figures), reached, [{ code: "capacity-reached", actual: 50 }]] as const),
  ];
  const [refusals, lateAndDropped] = [
    { counts: { refusals: 200, http_reqs: 420 } },
    {
      metrics: { [slow]: { count: 400, "p(99)": 9500 }, [lag]: { "p(95)": 5000 } },
      counts: { [dropped]: 20 },
    },
  ];
  const stalled = { ...long(null, 50, 50, 50, 50), refused: Array<number>(52).fill(9) };
  const noName = { failed: [0, 0, 0, 40, 50, 60] };
  const invalid = "invalid_responses{name:batch}";
  const whole = "fail: invalid-responses search-on-busy-machine | search-seen";
  const unsent = "invalid: lost-on-the-way | lost-on-the-way search-seen";
  testJudgement([
    sure("passes", {}),
    unsure("no CPU", "search-on-busy-machine", { busy: 0.99 }),
    sure("a tenth of the CPU idle", { busy: 0.89 }),
    ["no CPU, and invalid responses", of({ busy: 0.99, crossed: [invalid] }), whole, [seen({ held: 30 })]],
    unsure("late in the whole run, and slow", "iterations-late", { ...lateAndDropped, crossed: [lag] }),
    ["no CPU, and refusals", of({ ...refusals, busy: 0.99 }), "invalid: search-on-busy-machine"],
    ["too many open files", of(lost(3, "open files")), unsent],
    ["failures of requests that no name server resolved", of(lost(300, "unknown host"), noName), unsent],
    unsure("no figures where a limit was exceeded", "search-figures-lost", {}, long(null, 1000)),
    ["no figures while refused", of(refusals, stalled), "invalid: search-figures-lost"],
    ["no figures over time", { ...of({}), periods: undefined }, "invalid: search-figures-lost"],
    unsure(
      "figures of half of the time",
      "search-figures-lost",
      {},
      { rate: [10, null, null, null, 50, 60] },
    ),
    [
      "one request that no name server resolved",
      of(lost(1, "unknown host")),
      "pass | capacity-reached lost-on-the-way search-seen",
    ],
    [
      "has the rate limit as its answer, although no iteration was lost",
      of(refusals, { refused: [0, 0, 10, 20, 30, 40], p95: [], p99: [] }),
      limited,
      [{ code: "rate-limit-reached", actual: 25 }],
    ],
  ]);
});

describe("a run that is no search says that this machine was busy", () => {
  testJudgement([
    [
      "passed",
      { busy: 0.95 },
      "pass | machine-busy",
      [{ code: "machine-busy", actual: 0.95, unit: "share" }],
    ],
    ["passed with CPU to spare", { busy: 0.85 }, "pass"],
  ]);
});

test.each<[string, Partial<Periods>, boolean]>([
  ["two slow periods in a row", { p95: [10, 5000, 5000] }, true],
  ["refusals in six of seven periods", { refused: [50, 0, 50, 50, 50, 50, 50] }, false],
  ["refusals in six periods in a row", { refused: [0, 50, 50, 50, 50, 50, 50] }, true],
])("%s: whether the search ends", (_title, columns, isEnd) => {
  const rate = Array<number>(7).fill(100);
  expect(hasAnswer(profiles.breakpoint, seriesOf({ seconds: 2, rate, ...columns }))).toBe(isEnd);
});
