import { expect, test } from "vitest";
import { sampleFixtures } from "../../scenarios/lib/sample-fixtures.ts";
import { profiles } from "../../scenarios/profiles.ts";
import { comparabilityOf, differencesBetween, type RunConditions } from "./comparability.ts";
import { planLoad } from "./plan.ts";

const plan = planLoad({ scenario: "lookup", profileName: "smoke", profile: profiles.smoke });
const usual: RunConditions = {
  plan,
  bundle: "// ../scenarios/lookup.ts\nexport default () => 1;\n",
  fixtures: sampleFixtures(10),
  k6: "1.8.1",
  host: "a processor, 2 cores, 8 GiB, linux x64",
};

test("runs with equal conditions share the hash, whatever the path of their sources and the name of their profile", () => {
  const moved = { ...usual, bundle: usual.bundle.replace("../scenarios", "elsewhere/scenarios") };
  const renamed = {
    ...usual,
    plan: { ...plan, profileName: "ours", profile: { ...profiles.smoke, description: "other words" } },
  };
  const hashes = [usual, moved, renamed].map((each) => comparabilityOf(each).hash);
  expect(new Set(hashes).size).toBe(1);
});

test.each([
  ["scenario", { plan: { ...plan, scenario: "batch" } }],
  ["profile", { plan: { ...plan, profile: profiles.average } }],
  ["bundle", { bundle: "export default () => 2;\n" }],
  ["fixtures", { fixtures: sampleFixtures(11) }],
  ["k6", { k6: "1.9.0" }],
  ["k6Arguments", { plan: { ...plan, k6Args: ["--no-connection-reuse"] } }],
  ["seed", { plan: { ...plan, seed: 2 } }],
  ["shards", { plan: { ...plan, shards: 3 } }],
  ["host", { host: "another processor, 64 cores, 256 GiB, linux x64" }],
] as const)("a different %s changes the hash, and is named", (part, change) => {
  const [before, after] = [comparabilityOf(usual), comparabilityOf({ ...usual, ...change })];
  expect(after.hash).not.toBe(before.hash);
  expect(differencesBetween(before, after)).toEqual([
    { part, before: before.parts[part], after: after.parts[part] },
  ]);
});

test("a condition that only one run knows counts as different", () => {
  const { hash, parts } = comparabilityOf(usual);
  const { host: _, ...fewer } = parts;
  expect(differencesBetween({ hash, parts: fewer }, { hash, parts })).toEqual([
    { part: "host", before: "unknown", after: usual.host },
  ]);
});

test("arguments for k6 are not shown, since they may hold secrets", () => {
  const { parts } = comparabilityOf({ ...usual, plan: { ...plan, k6Args: ["--env", "TOKEN=secret"] } });
  expect(JSON.stringify(parts)).not.toContain("secret");
});
