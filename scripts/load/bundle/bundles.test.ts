import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { scenarioIds } from "../../../schemas/scenarios.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { bundleScenario } from "./bundle.ts";

const folder = await temporaryFolder("bundles");

describe.each(scenarioIds)("the bundle of %s", async (id) => {
  const text = await readFile(await bundleScenario(id, folder), "utf8");

  // With a group that has a name, k6 1.x matches, but tells nothing of the groups: every timestamp was invalid.
  test("has no expression with a named group", () => {
    expect(text).not.toMatch(/\(\?<[a-z]\w*>/i);
  });
});
