import { expect, test } from "vitest";
import type { ClientResults } from "../../clients/contract/client-results.ts";
import { testFaces } from "../../test/support/samples/faces.ts";
import { recordedRun } from "../../test/support/samples/runs.ts";
import { reportOf } from "../core/added.ts";

const report = reportOf(recordedRun<ClientResults>("client"), "2026-11-21T08-00-00-000Z-client-abcdef");

testFaces("client", report);

test("the table of requests marks those that show a finding", () => {
  const [table] = report.suites.find(({ id }) => id === "requests")?.tables ?? [];
  const marked = table?.rows.filter(({ tone }) => tone === "bad") ?? [];
  expect(marked.length).toBeGreaterThan(2);
  expect(marked.length).toBeLessThan(table?.rows.length ?? 0);
});
