import { testFaces } from "../../test/support/samples/faces.ts";
import { failingRun, recordedRun } from "../../test/support/samples/runs.ts";
import { reportOf } from "../core/added.ts";

// Every format of runs of the core, so that a change of what people read shows as a difference.

for (const name of ["failing", "conformant", "interrupted", "overrun", "probe"]) {
  const results = name === "failing" ? failingRun() : recordedRun(name);
  testFaces(name, reportOf(results, "2026-11-21T08-00-00-000Z-gate-abcdef"), [80, 120]);
}
