import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sampleFixtures } from "../../../scenarios/lib/sample-fixtures.ts";
import { profiles } from "../../../scenarios/profiles.ts";
import type { ScenarioId } from "../../../schemas/scenarios.ts";
import { stubTarget } from "../../../test/support/stub-client.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { planLoad } from "../../load/plan.ts";
import { loadStage } from "./load-stage.ts";
import { emptyRun } from "./record.ts";

const home = await temporaryFolder("load-stage");

const smoke = (scenario: ScenarioId) => planLoad({ scenario, profileName: "smoke", profile: profiles.smoke });

/** Runs them with a shell script in place of k6. Its working directory is empty at first, and shared by both. */
async function loadWith(script: string) {
  const folder = await mkdtemp(join(home, "run-"));
  const k6Path = join(folder, "k6");
  await mkdir(join(folder, "shared"));
  const lines = ["#!/bin/sh", '[ "$1" = version ] && exit', `cd '${folder}/shared'`, script];
  await writeFile(k6Path, lines.join("\n"), { mode: 0o755 });
  const state = emptyRun();
  const progress = () => undefined;
  const { signal } = new AbortController();
  const error = await loadStage(
    { target: stubTarget("http://127.0.0.1:9/v1"), folder, progress, signal, state },
    {
      env: process.env,
      k6: { path: k6Path },
      plans: [smoke("lookup"), smoke("batch")],
      fixtures: sampleFixtures(),
    },
  ).catch((failure: Error) => failure.message);
  return { error, loaded: state.load.map(({ scenario }) => scenario) };
}

test("run one after the other", async () => {
  const alone = "mkdir running || exit 7; rmdir running";
  expect(await loadWith(alone)).toEqual({ error: undefined, loaded: ["lookup", "batch"] });
});

test("keep the result of the first when the second could not be run", async () => {
  const onlyLookup = 'case "$SHELFCHECK_SUMMARY" in */batch/*) exit 7;; esac';
  const failure = expect.stringContaining("k6 could not run the scenario");
  expect(await loadWith(onlyLookup)).toEqual({ error: failure, loaded: ["lookup"] });
});
