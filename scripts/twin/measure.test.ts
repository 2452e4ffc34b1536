import { randomLcg, randomNormal } from "d3-random";
import { describe, expect, test } from "vitest";
import { redactionFor } from "../../conformance/client/redaction.ts";
import { retailers } from "../../conformance/client/requests.ts";
import { exchangeOf } from "../../test/support/stub-exchange.ts";
import type { Side } from "./answers.ts";
import type { Deployment } from "./deployment.ts";
import { measure } from "./measure.ts";
import { observe } from "./observation.ts";
import { randomOf, type TwinRequest } from "./probes.ts";

const kinds = ["retailers", "lookup-by-id", "lookup-by-url", "lookup-by-gtin", "category-page", "batch"];
const probes: TwinRequest[] = kinds.flatMap((kind) =>
  [1, 2, 3].map((nth) => ({
    kind,
    isTimed: true,
    request: { ...retailers(), path: `/${kind}/${nth}` },
  })),
);

interface World {
  readonly seed: number;
  /** Share by which the new deployment is slower in lookups by id. */
  readonly effect?: number;
  /** The body of the nth response of a side. Default: always the same */
  readonly body?: (side: Side, nth: number) => unknown;
  readonly failures?: (side: Side) => { readonly count: number; readonly total: number };
  readonly seconds?: number;
  readonly milliseconds?: number;
}

/** Two made-up deployments of about 8 ms on a machine with changing background work, on a clock of their own. */
async function run(world: World) {
  const { seed, effect = 0, body = () => ({ a: 1 }), seconds = 60, milliseconds: usual = 8 } = world;
  const random = randomLcg((seed * 0.618034) % 1);
  const normal = randomNormal.source(random)();
  let now = 0;
  let drift = 0;
  let isBusy = false;
  const latency = (): number => {
    drift = 0.98 * drift + 0.05 * normal();
    if (random() < (isBusy ? 0.02 : 0.005)) isBusy = !isBusy;
    const pause = random() < 0.02 ? Math.abs(normal()) * 1.5 : 0;
    return usual * Math.exp(0.2 * normal() + drift + (isBusy ? 0.4 : 0) + pause);
  };
  const deployment = (side: Side): Deployment => {
    let nth = 0;
    return {
      ask(probe) {
        const slower = side === "new" && probe.kind === "lookup-by-id" ? 1 + effect : 1;
        const milliseconds = latency() * slower;
        now += milliseconds;
        const { response, ...exchange } = exchangeOf("lookup-by-id", body(side, nth++));
        const timed = { ...exchange, response: { ...response, milliseconds } };
        const observation = observe(timed, "http://stub.example/v1");
        return Promise.resolve({ observation, exchanges: [timed], isPrompt: true });
      },
      wait: () => 0,
      redaction: redactionFor({ keys: {} }),
      failures: () => world.failures?.(side) ?? { count: 0, total: nth },
      gone: () => undefined,
    };
  };
  return await measure({
    deployments: { old: deployment("old"), new: deployment("new") },
    probes,
    random: randomOf(seed),
    seconds,
    signal: new AbortController().signal,
    progress: () => undefined,
    clock: {
      now: () => now,
      sleep(milliseconds) {
        now += milliseconds;
        return Promise.resolve();
      },
    },
  });
}

const seeds = Array.from({ length: 4 }, (_, index) => index + 1);

describe("latency of all kinds of request, beside changing background work", () => {
  test("equal deployments: no alarm, and every kind is judged", async () => {
    const runs = await Promise.all(seeds.map((seed) => run({ seed })));
    const outcomes = runs.flatMap(({ latency }) => latency.map(({ outcome }) => outcome));
    expect([...new Set(outcomes)]).toEqual(["same"]);
  });

  test("50 % more in one kind: found, and no other kind blamed", async () => {
    const runs = await Promise.all(seeds.map((seed) => run({ seed, effect: 0.5 })));
    for (const { latency } of runs) {
      const slower = latency.filter(({ outcome }) => outcome === "slower");
      expect(slower.map(({ request }) => request)).toEqual(["lookup-by-id"]);
    }
  });

  test("has 200 pairs of each kind, and takes half a minute", async () => {
    const { seconds, latency } = await run({ seed: 1 });
    expect(latency.map(({ pairs }) => pairs)).toEqual(kinds.map(() => 203));
    expect(seconds).toBeGreaterThan(28);
    expect(seconds).toBeLessThan(40);
  });

  test("equal deployments of 80 ms are judged within 60 s", async () => {
    const { seconds, latency } = await run({ seed: 1, milliseconds: 80 });
    expect(latency.map(({ outcome }) => outcome)).toEqual(kinds.map(() => "same"));
    expect(seconds).toBeLessThan(61);
  });
});

describe("responses", () => {
  test("a difference of the new deployment in one of ten responses counts, although each is gone when repeated", async () => {
    const body = (side: Side, nth: number) => (side === "new" && nth % 10 === 5 ? { a: null } : { a: 1 });
    const { responses } = await run({ seed: 1, body });
    expect(responses.outcome).toBe("different");
    expect(responses.differences).toContainEqual(expect.objectContaining({ change: "varies", path: "/a" }));
  });

  test("the same of both deployments is no difference", async () => {
    const body = (side: Side, nth: number) =>
      nth % 10 === (side === "new" ? 5 : 0) ? { a: null } : { a: 1 };
    const { responses } = await run({ seed: 1, body });
    expect(responses).toMatchObject({ outcome: "same", differences: [] });
    expect(responses.passing).toBeGreaterThan(0);
  });

  test.each([
    [20, 0, "different"],
    [20, 18, "same"],
    [0, 20, "same"],
  ] as const)("%d failures of the new deployment and %d of the old one", async (fresh, old, outcome) => {
    const failures = (side: Side) => ({ count: side === "new" ? fresh : old, total: 800 });
    const { responses } = await run({ seed: 1, failures });
    expect([responses.failures.outcome, responses.outcome]).toEqual([outcome, outcome]);
  });

  test("a time that ends early is not judged", async () => {
    const { responses, latency } = await run({ seed: 1, seconds: 0.02 });
    expect(responses.outcome).toBe("inconclusive");
    expect(latency.every(({ outcome, low }) => outcome === "inconclusive" && low === undefined)).toBe(true);
  });
});
