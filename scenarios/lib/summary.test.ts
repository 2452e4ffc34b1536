import { expect, test } from "vitest";
import { summarize } from "./summary.ts";

function metricsOf(counts: Readonly<Record<string, number>>) {
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
        ...Object.fromEntries(
          Object.entries(counts).map(([name, count]) => [`${name}{name:batch}`, counter(count)]),
        ),
      },
    },
    { scenario: "batch", profile: "smoke", seed: 1, plannedIterations: 100 },
  );
  return metrics;
}

function failedOf(onTheWay: number) {
  return metricsOf({ on_the_way: onTheWay })["http_req_failed{name:batch}"];
}

test("right 429s are no checked responses, of which a share is invalid", () => {
  const checked = (invalid: number) => metricsOf({ refusals: 60, invalid_responses: invalid });
  expect(checked(3)["checked_responses{name:batch}"]).toEqual({ count: 30 });
  expect(checked(3)["invalid_responses{name:batch}"]).toEqual({ rate: 0.1, passes: 3, fails: 27 });
  const some = metricsOf({ refusals: 60, refusals_invalid: 10, invalid_responses: 12 });
  expect(some["invalid_responses{name:batch}"]).toEqual({ rate: 0.3, passes: 12, fails: 28 });
});

test("requests lost on the way are neither failed nor counted, and those refused are not counted", () => {
  const { "http_req_failed{name:batch}": failed } = metricsOf({ refusals: 60 });
  expect(failed).toEqual({ rate: 0.25, passes: 10, fails: 30 });
  expect(failedOf(10)).toEqual({ rate: 0, passes: 0, fails: 90 });
});

test("failures of the service itself are counted", () => {
  expect(failedOf(0)).toEqual({ rate: 0.1, passes: 10, fails: 90 });
  expect(failedOf(4)).toEqual({ rate: 0.0625, passes: 6, fails: 90 });
});
