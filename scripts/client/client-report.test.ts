import { expect, test } from "vitest";
import { sampleClientResults } from "../../test/support/samples/client-run.ts";
import { testFaces } from "../../test/support/samples/faces.ts";
import { reportOf } from "../core/report-of.ts";

const report = reportOf(sampleClientResults(), "2026-11-21T08-00-00-000Z-client-abcdef");

testFaces("client", report);

test("the table of requests marks those that show a finding", () => {
  const [table] = report.suites.find(({ id }) => id === "requests")?.tables ?? [];
  expect(table?.rows.map(({ tone }) => tone)).toEqual([undefined, "bad", "bad", undefined, undefined]);
});
