import { randomLcg, randomNormal } from "d3-random";
import { describe, expect, test } from "vitest";
import { redactionFor } from "../../conformance/client/redaction.ts";
import { byCategory, retailers } from "../../conformance/client/requests.ts";
import { exchangeOf } from "../../test/support/stub-exchange.ts";
import { type Deployment, noResponse, observe } from "./deployment.ts";
import { measure } from "./measure.ts";
import type { TwinProbe } from "./probes.ts";
import type { Side } from "./twin-result.ts";

const kinds = ["retailers", "lookup-by-id", "lookup-by-url", "lookup-by-gtin", "category-page", "batch"];
const probes: TwinProbe[] = kinds.flatMap((kind) =>
  [1, 2, 3].map((nth) => {
    const request = { ...retailers(), path: `/${kind}/${nth}` };
    return { kind, isTimed: true, requests: { old: request, new: request } };
  }),
);

interface World {
  readonly seed: number;
  /** Share by which the new deployment is slower in lookups by id. */
  readonly effect?: number;
  /** The body of the nth response of a side. Default: always the same */
  readonly body?: (side: Side, nth: number, path: string) => unknown;
  /** The status of the nth response of a side. Default: 200 */
  readonly status?: (side: Side, nth: number) => number;
  /** Responses after which the old deployment is down. */
  readonly oldEnds?: number;
  /** In place of the others. */
  readonly probe?: TwinProbe;
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
    const isDown = (since = 0) =>
      side === "old" && nth >= (world.oldEnds ?? Number.POSITIVE_INFINITY) + since;
    return {
      ask({ path }) {
        if (isDown() && nth++) return Promise.resolve(noResponse);
        const slower = side === "new" && path.startsWith("/lookup-by-id") ? 1 + effect : 1;
        const milliseconds = latency() * slower;
        now += milliseconds;
        const status = world.status?.(side, nth) ?? 200;
        const { response, ...exchange } = exchangeOf("lookup-by-id", body(side, nth++, path), { status });
        const timed = { ...exchange, response: { ...response, milliseconds } };
        const observation = observe(timed, "http://stub.example/v1");
        return Promise.resolve({ observation, exchange: timed });
      },
      redaction: redactionFor({ keys: {} }),
      gone: () => (isDown(2) ? { code: "no-answer", subject: "refused" } : undefined),
    };
  };
  return await measure({
    deployments: { old: deployment("old"), new: deployment("new") },
    probes: world.probe === undefined ? probes : [world.probe],
    random: randomLcg((seed * 0.414214) % 1),
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

const request = byCategory("c", { limit: "3" });
/** Three pages in each deployment. */
const walk = {
  probe: { kind: "walk", isTimed: false, pages: 4, requests: { old: request, new: request } },
  body(side: Side, _nth: number, path: string) {
    const cursor = new URLSearchParams(path.split("?")[1]).get("cursor") ?? `${side} 0`;
    const page = cursor.startsWith(side) ? Number(cursor.split(" ")[1]) : -1;
    const meta = { next_cursor: page < 2 ? `${side} ${page + 1}` : "" };
    return { page, title: page === 1 ? side : "", meta };
  },
};

test("50 % more in one kind of request, beside changing background work: found, and no other kind blamed", async () => {
  const runs = await Promise.all([1, 2, 3, 4].map((seed) => run({ seed, effect: 0.5 })));
  for (const { latency } of runs)
    expect(latency.map(({ outcome }) => outcome)).toEqual(["same", "slower", "same", "same", "same", "same"]);
});

test.each([
  ["8 ms have 200 pairs of each kind in half a minute", 8, 203, 40],
  ["80 ms are judged within 60 s", 80, 24, 61],
])("equal deployments of %s", async (_name, milliseconds, least, longest) => {
  const { seconds, latency } = await run({ seed: 1, milliseconds });
  expect(latency.map(({ outcome }) => outcome)).toEqual(kinds.map(() => "same"));
  expect(Math.min(...latency.map(({ pairs }) => pairs))).toBeGreaterThanOrEqual(least);
  expect(seconds).toBeLessThan(longest);
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
    expect(new Set(responses.notes.map(({ change }) => change))).toEqual(new Set(["unstable"]));
  });

  test("each deployment gets its own cursors back, and a difference on one page of a walk is found", async () => {
    const { responses } = await run({ seed: 1, ...walk });
    const requests = [{ request: "walk", count: 1, total: 3 }];
    const found = { path: "/title", old: "old", new: "new", requests };
    expect(responses).toMatchObject({ requests: 3, notes: [], differences: [found] });
  });

  test.each([
    [40, 0, "different"],
    [40, 50, "same"],
    [0, 40, "same"],
  ] as const)(
    "1 in %d of the new deployment fails, and 1 in %d of the old one",
    async (fresh, old, outcome) => {
      const status = (side: Side, nth: number) => (nth % (side === "new" ? fresh : old) === 1 ? 502 : 200);
      const { responses } = await run({ seed: 1, status });
      expect(responses.outcome).toBe(outcome);
      const shown = outcome === "same" ? responses.notes : responses.differences;
      expect(new Set(shown.map(({ path }) => path))).toEqual(new Set(["status"]));
    },
  );

  test.each([
    ["the end of the old deployment", { oldEnds: 9 }, 10],
    ["its end in the last walk", { ...walk, oldEnds: 1 }, 2],
    ["a time that ends early", { seconds: 0.02 }, 2],
    ["a time that ends in the last walk", { ...walk, seconds: 0.001 }, 1],
  ])("%s is no difference, and not judged", async (_name, world, requests) => {
    const { responses, latency } = await run({ seed: 1, ...world });
    expect(responses).toMatchObject({ outcome: "inconclusive", differences: [], requests });
    expect(latency.every(({ outcome, low }) => outcome === "inconclusive" && low === undefined)).toBe(true);
  });
});
