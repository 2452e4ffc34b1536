import { testFaces } from "../../test/support/samples/faces.ts";
import { failingRun } from "../../test/support/samples/failing.ts";
import { conformantRun, interruptedRun, loadRun } from "../../test/support/samples/runs.ts";
import { reportOf } from "../core/report-of.ts";

// Every format of runs of the core, so that a change of what people read shows as a difference.

const runs = {
  failing: failingRun(),
  load: loadRun(),
  conformant: conformantRun(),
  interrupted: interruptedRun(),
};
for (const [name, results] of Object.entries(runs))
  testFaces(name, reportOf(results, "2026-11-21T08-00-00-000Z-gate-abcdef"), [80, 120]);
