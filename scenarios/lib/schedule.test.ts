import { expect, test } from "vitest";
import {
  dueMilliseconds,
  plannedIterations,
  type Stage,
  totalSeconds,
  withRoomAtTheEnd,
} from "./schedule.ts";

const constant: Stage[] = [
  { seconds: 0, rate: 10 },
  { seconds: 4, rate: 10 },
];
const ramp: Stage[] = [
  { seconds: 10, rate: 20 },
  { seconds: 5, rate: 20 },
  { seconds: 10, rate: 0 },
];

test.each([
  [constant, 40],
  [ramp, 300],
  [[{ seconds: 3, rate: 0.1 }], 0],
  [
    [
      { seconds: 0, rate: 0.1 },
      { seconds: 30, rate: 0.1 },
    ],
    3,
  ],
])("plans the area under the rate", (stages, planned) => {
  expect(plannedIterations(stages)).toBe(planned);
});

test("an iteration is due when the area under the rate reaches it", () => {
  expect(dueMilliseconds(constant, 0)).toBeCloseTo(100, 6);
  expect(dueMilliseconds(constant, 39)).toBeCloseTo(4000, 6);
  expect(dueMilliseconds(ramp, 99)).toBeCloseTo(10_000, 6);
  expect(dueMilliseconds(ramp, 24)).toBeCloseTo(5000, 6);
  expect(dueMilliseconds(ramp, 199)).toBeCloseTo(15_000, 6);
  expect(dueMilliseconds(ramp, 299)).toBeCloseTo(25_000, 3);
  expect(dueMilliseconds(ramp, 400)).toBeCloseTo(25_000, 3);
});

test.each([{ stages: constant }, { stages: ramp }, { stages: [{ seconds: 7, rate: 3.3 }] }])(
  "room at the end keeps the number and moves the end away from the last one",
  ({ stages }) => {
    const roomy = withRoomAtTheEnd(stages);
    const planned = plannedIterations(stages);
    expect(plannedIterations(roomy)).toBe(planned);
    const last = dueMilliseconds(roomy, planned - 1);
    expect(totalSeconds(roomy) * 1000 - last).toBeGreaterThan(490);
  },
);
