import { expect, test } from "vitest";
import { exampleResults } from "../../test/support/samples/example.ts";
import { columnLabel, runColumns } from "./run-names.ts";

const run = (startedAt: string, commit?: string, host = "4 cores") => ({
  name: startedAt,
  results: exampleResults({
    startedAt,
    environment: { host, node: "26.10.0", ...(commit === undefined ? {} : { commit }) },
  }),
});
const shorts = (...starts: string[]) =>
  runColumns(starts.map((start) => run(start))).map(({ short }) => short);

test("start times are as short as they can be while distinct", () => {
  expect(shorts("2026-11-21T08:00:00.000Z", "2026-11-21T09:00:00.000Z")).toEqual([
    "11-21 08:00",
    "11-21 09:00",
  ]);
  expect(shorts("2026-11-21T08:00:05.000Z", "2026-11-21T08:00:09.000Z")).toEqual([
    "11-21 08:00:05",
    "11-21 08:00:09",
  ]);
  expect(shorts("2025-11-21T08:00:00.000Z", "2026-11-21T08:00:00.000Z")).toEqual([
    "2025-11-21 08:00",
    "2026-11-21 08:00",
  ]);
  const [same = ""] = shorts("2026-11-21T08:00:05.100Z", "2026-11-21T08:00:05.200Z");
  expect(same).toBe("11-21 08:00:05.100");
});

test("the commit follows the start, and different machines are named", () => {
  const [one, other] = runColumns([
    run("2026-11-21T08:00:00.000Z", "9f3c1de5b7a2"),
    run("2026-11-21T09:00:00.000Z", undefined, "2 cores"),
  ]);
  expect(one && columnLabel(one)).toBe("11-21 08:00 9f3c1de");
  expect(other && columnLabel(other)).toBe("11-21 09:00");
  expect(one).toMatchObject({ host: "4 cores", hostDiffers: true });
});

test.each([
  [{}, undefined],
  [{ scope: { requirements: 3, of: 74 } }, "3 of 74 requirements"],
  [{ command: "load" as const }, undefined],
  [{ exitCode: 130 as const }, "interrupted"],
  [{ exitCode: 3 as const, verdict: "error" as const }, "did not finish"],
])("a run of %j is whole, or says what part it is", (change, part) => {
  const [column] = runColumns([{ name: "run", results: exampleResults(change) }]);
  expect(column?.part).toBe(part);
});
