import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scenarioIds } from "../../../schemas/scenarios.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { bundleFromSources } from "./from-sources.ts";

const folder = await temporaryFolder("bundles");

// With a group that has a name, k6 1.x matches, but tells nothing of the groups: every timestamp was invalid.
test.each(scenarioIds)("no expression in the bundle of %s has a group with a name", async (id) => {
  const outfile = join(folder, `${id}.js`);
  await bundleFromSources(id, outfile);
  expect(await readFile(outfile, "utf8")).not.toMatch(/\(\?<[a-z]\w*>/i);
});
