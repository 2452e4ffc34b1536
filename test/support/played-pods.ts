import { readFileSync } from "node:fs";
import { readPlannedRun } from "../../scripts/cluster/planned-run.ts";
import { podLog, podResult } from "./stub-pods.ts";

// What the pods of a manifest log, as a kubectl prints it that plays a cluster: node played-pods.ts MANIFEST

const [, , manifest = ""] = process.argv;
const { run, target, pods, scenario, profile, script, fixtures } = readPlannedRun(
  readFileSync(manifest, "utf8"),
  manifest,
);
const [profileName, planned, seed] = JSON.parse(profile);
for (let place = 0; place < pods; place += 1) {
  const facts = { scenario: scenario as "lookup", profile: profileName, seed };
  const reported = { run, baseUrl: target, script, fixtures, profile: planned, facts };
  for (const line of podLog(podResult(place, pods, reported)))
    process.stdout.write(`[pod/run-${place}/k6] ${line}\n`);
}
