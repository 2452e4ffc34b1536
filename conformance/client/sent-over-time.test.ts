import { expect, test } from "vitest";
import { type SentRequest, sentOverTime } from "./sent-over-time.ts";

const start = Date.parse("2026-11-21T08:00:00.000Z");

function sent(at: number, change: Partial<SentRequest> = {}): SentRequest {
  const sentAt = start + at;
  return {
    name: `${at}`,
    organization: "first",
    endedAt: sentAt + 5,
    status: 200,
    isOfBurst: false,
    ...change,
    sentAt,
  };
}

test("a run without requests has no time line", () => {
  expect(sentOverTime([])).toBeUndefined();
});

test("counts requests in periods, by the time of sending", () => {
  const over = sentOverTime([sent(0), sent(25, { status: 503 }), sent(9), sent(29, { status: undefined })]);
  expect(over).toMatchObject({
    startedAt: "2026-11-21T08:00:00.000Z",
    milliseconds: 10,
    sent: [2, 0, 2],
    failed: [0, 0, 2],
    refused: [0, 0, 0],
  });
});

test("a long run has as many periods as a short one", () => {
  const over = sentOverTime([sent(0), sent(3_600_000)]);
  expect(over?.milliseconds).toBe(20_000);
  expect(over?.sent).toHaveLength(181);
});

test("a request that equals one which failed before it left is a repeat", () => {
  const failed = { name: "a", status: 503 };
  const over = sentOverTime([sent(0, failed), sent(2, { name: "a" }), sent(20, { name: "a" }), sent(30)]);
  expect(over?.retried).toEqual([0, 0, 1, 0]);
});

test("waits that overlap are one, and the next request tells how long it was kept", () => {
  const refused = { status: 429, asked: 1000 };
  const over = sentOverTime([
    sent(0, refused),
    sent(100, refused),
    sent(150, { isOfBurst: true }),
    sent(1200),
    sent(160, { organization: "other" }),
  ]);
  expect(over?.refused.reduce((sum, one) => sum + one, 0)).toBe(2);
  expect(over?.waits).toEqual([{ startedAt: "2026-11-21T08:00:00.005Z", milliseconds: 1100, kept: 1195 }]);
});
