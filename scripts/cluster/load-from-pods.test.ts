import { expect, test } from "vitest";
import { profiles } from "../../scenarios/profiles.ts";
import { runHere } from "../../test/support/command.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { planLoad } from "../load/plan.ts";
import { refuseOnCluster } from "./load-from-pods.ts";

const named = { profileName: "smoke", profile: profiles.smoke } as const;

test.each([
  ["a search for the rate limit by several pods", { scenario: "rate-limit", shards: 2 }, "the same limit"],
  ["arguments of k6", { scenario: "lookup", k6Args: ["--no-such-flag"] }, "do not reach the pods"],
] as const)("%s is refused on a cluster", (_, load, message) => {
  expect(() => refuseOnCluster(planLoad({ ...named, ...load }))).toThrow(message);
});

test("one pod may search for the rate limit", () => {
  expect(() => refuseOnCluster(planLoad({ ...named, scenario: "rate-limit" }))).not.toThrow();
});

test("manifests of a polite run are refused without the limit that it stays below", async () => {
  const cwd = await temporaryFolder("polite");
  const polite = ["--scenario", "rate-limit", "--profile", "polite"];
  const { exitCode, stderr } = await runHere(
    ["load", "--manifests", "out", ...polite, "--base-url", "http://catalog.test/v1"],
    { cwd, env: { SHELFCHECK_API_KEY: "long-enough" } },
  );
  expect(exitCode).toBe(2);
  expect(stderr).toContain("need the rate limit that it stays below");
});
