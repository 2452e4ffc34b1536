import { expect, it, onTestFinished, vi } from "vitest";
import { clientOfTest } from "../../test/support/service.ts";
import { createLimiter } from "../steps.ts";

function stopTheClock(): void {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}

const pass = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

// What the suite judges on this service is shown by the proof: limits of organizations, 429, Retry-After.
it("counts a batch as one request and a rejected key as none", async () => {
  stopTheClock();
  const client = await clientOfTest({ products: 30, rate: 0.02, burst: 2 });
  for (let number = 0; number < 5; number++)
    expect((await client.get("/retailers", "none")).status).toBe(401);
  const items = Array(50).fill({ retailer: "nordkauf", product_id: "x" });
  expect((await client.batch({ items })).status).toBe(200);
  expect((await client.batch({ items })).status).toBe(200);
  expect((await client.batch({ items })).status).toBe(429);
});

it.each([0.5, 2.5, 1, 5, 8, 100])("accepts a request after the wait that it gave: %d per second", (rate) => {
  stopTheClock();
  const limiter = createLimiter(rate, Math.max(1, Math.floor(rate)));
  for (let round = 0; round < 30; round++) {
    expect(limiter.take(1), `after ${round} waits`).toBeUndefined();
    let wait = limiter.take(1);
    while (wait === undefined) wait = limiter.take(1);
    expect(Number.isInteger(wait) && wait >= 1).toBe(true);
    pass(wait * 1000);
  }
});

it("allows a burst above the rate, once in a while", () => {
  stopTheClock();
  const limiter = createLimiter(8, 10);
  const acceptedAtOnce = () => {
    let count = 0;
    while (limiter.take(1) === undefined) count++;
    return count;
  };
  expect(acceptedAtOnce()).toBe(10);
  pass(1000);
  expect(acceptedAtOnce()).toBe(8);
  pass(10_000);
  expect(acceptedAtOnce()).toBe(10);
  let count = 0;
  for (let step = 0; step < 1000; step++) {
    pass(100);
    count += acceptedAtOnce();
  }
  expect(count).toBe(800);
});
