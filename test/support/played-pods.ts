import { readFileSync } from "node:fs";
import { readPlannedRun } from "../../scripts/cluster/planned-run.ts";
import { podLog, podResult } from "./stub-pods.ts";

// What a pod of a manifest logs, as a kubectl prints it that plays a cluster: node played-pods.ts MANIFEST run-0

const [, , manifest = "", pod = ""] = process.argv;
const [, place] = /^run-(\d+)$/.exec(pod) ?? [];
if (place !== undefined) {
  const planned = readPlannedRun(readFileSync(manifest, "utf8"), manifest);
  const { run, target, pods, scenario, script, fixtures } = planned;
  const [profileName, profile, seed] = JSON.parse(planned.profile);
  const facts = { scenario: scenario as "lookup", profile: profileName, seed };
  const reported = { run, baseUrl: target, script, fixtures, profile, facts };
  process.stdout.write(podLog(podResult(Number(place), pods, reported)).join("\n"));
}
