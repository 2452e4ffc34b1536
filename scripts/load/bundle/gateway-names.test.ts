import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { knownTexts } from "../../../schemas/gateway.ts";
import { scenarioIds } from "../../../schemas/scenarios.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { bundleScenario } from "./bundle.ts";

test("no bundle knows a gateway by name, so that none decides anything under load", async () => {
  const folder = await temporaryFolder("bundles");
  for (const scenario of scenarioIds) {
    const text = await readFile(await bundleScenario(scenario, folder), "utf8");
    expect(knownTexts.filter(([part]) => text.includes(part))).toEqual([]);
  }
});
