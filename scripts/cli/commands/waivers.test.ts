import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openWorkspace } from "../../../test/support/workspace.ts";

const { cwd, shared, run, serve, resultsOf } = await openWorkspace();

// The states of waivers are tested in scripts/runs/waivers.test.ts, their effect on a run in schemas/contracts/verdicts.test.ts,
// and mistakes in them in scripts/config/validate-config.test.ts.

const fault = "by-id.unknown-product/unknown-id";
const given = { reason: "known", owner: "amy", ticket: "T-1" };
const entry = (id: string, expires = "2999-12-31") => ({ id, ...given, expires });

test("1: another failure remains; the results contain each waiver with its state", async () => {
  const faults = "unknown-product-400,unentitled-retailer-404";
  await using worse = await serve("--rate", "1000", "--burst", "1000", "--fault", faults);
  const entries = [
    entry(fault),
    entry("by-id.unentitled-slug", "2026-01-31"),
    entry("by-id.unknown-slug"),
    entry("query.limit"),
  ];
  const config = { targets: { own: { baseUrl: shared.ready.base_url } }, waivers: entries };
  await writeFile(join(cwd, "another.mjs"), `export default ${JSON.stringify(config)};`);
  const argv = "conformance --only by-id --target own --config another.mjs --out out-another";
  const { exitCode, stdout } = await run(argv.split(" "), worse.env);
  const { requirements, waivers } = await resultsOf("out-another");
  expect(exitCode).toBe(1);
  expect(requirements.filter(({ verdict }) => verdict === "fail").map(({ id }) => id)).toEqual([
    "by-id.unentitled-slug",
  ]);
  const stale = "another.mjs, waivers[2]";
  expect(Object.fromEntries(waivers?.map(({ waiver, state }) => [waiver.id, state]) ?? [])).toEqual({
    [fault]: "active",
    "by-id.unentitled-slug": "expired",
    "by-id.unknown-slug": "stale",
    "query.limit": "unused",
  });
  expect(waivers).toContainEqual(expect.objectContaining({ state: "stale", where: stale }));
  expect(stdout.replaceAll(/\s+/g, " ")).toContain(
    `Nothing that it covers failed. Remove this waiver: ${stale}.`,
  );
  // With --out, the next command names the run by its path: by name, it would not be found.
  expect(stdout).toContain("Next: npx shelfcheck replay out-another/");
});
