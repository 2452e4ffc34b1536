import { expect, test } from "vitest";
import { summarize } from "./summary.ts";

function failedOf(onTheWay: number) {
  const counter = (count: number) => ({ type: "counter", contains: "default", values: { count } });
  const { metrics } = summarize(
    {
      state: { testRunDurationMs: 1000 },
      metrics: {
        // k6 counts every response with an unexpected status; 429 is an expected one.
        "http_req_failed{name:batch}": {
          type: "rate",
          contains: "default",
          values: { rate: 0.1, passes: 10, fails: 90 },
        },
        "on_the_way{name:batch}": counter(onTheWay),
      },
    },
    { scenario: "batch", profile: "smoke", seed: 1, plannedIterations: 100 },
  );
  return metrics["http_req_failed{name:batch}"];
}

test("requests lost on the way are neither failed nor counted", () => {
  expect(failedOf(10)).toEqual({ rate: 0, passes: 0, fails: 90 });
});

test("failures of the service itself are counted", () => {
  expect(failedOf(0)).toEqual({ rate: 0.1, passes: 10, fails: 90 });
  expect(failedOf(4)).toEqual({ rate: 0.0625, passes: 6, fails: 90 });
});
