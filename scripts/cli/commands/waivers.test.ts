import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openWorkspace } from "../../../test/support/workspace.ts";

const workspace = await openWorkspace();
const { cwd, shared, run, serve, resultsOf } = workspace;
const unlimited = ["--rate", "1000", "--burst", "1000"];
afterAll(() => workspace[Symbol.asyncDispose]());

// The states of waivers are tested in scripts/runs/waivers.test.ts, their effect on a run in scripts/runs/judgement.test.ts,
// and mistakes in them in scripts/config/validate-config.test.ts.

const fault = "by-id.unknown-product/unknown-id";
const given = { reason: "known", owner: "amy", ticket: "T-1" };
const entry = (id: string, expires = "2999-12-31") => ({ id, ...given, expires });

/** Runs the checks of one section on the target `own`, with these waivers. */
async function conformance(name: string, env: NodeJS.ProcessEnv, ...waivers: ReturnType<typeof entry>[]) {
  const targets = { own: { baseUrl: shared.ready.base_url } };
  await writeFile(join(cwd, `${name}.mjs`), `export default ${JSON.stringify({ targets, waivers })};`);
  const argv = `conformance --only by-id --target own --config ${name}.mjs --out out-${name}`;
  return { ...(await run(argv.split(" "), env)), ...(await resultsOf(`out-${name}`)) };
}

test("0: a waived failure is a warning with its waiver", async () => {
  await using faulty = await serve(...unlimited, "--fault", "unknown-product-400");
  const { stdout, requirements, waivers, ...ended } = await conformance(
    "active",
    faulty.env,
    entry("by-id.unknown-product"),
  );
  expect(ended, stdout).toMatchObject({ exitCode: 0, verdict: "partial", summary: { fail: 0 } });
  const check = requirements.flatMap(({ checks }) => checks).find(({ id }) => id === fault);
  expect(check).toMatchObject({ verdict: "warn", waiver: { owner: "amy", ticket: "T-1" } });
  expect(check?.evidence.length).toBeGreaterThan(0);
  expect(waivers).toMatchObject([{ state: "active", waiver: { id: "by-id.unknown-product" } }]);
  expect(stdout).toContain("T-1");
});

test("1: another failure remains; the results contain each waiver with its state", async () => {
  await using worse = await serve(...unlimited, "--fault", "unknown-product-400,unentitled-retailer-404");
  const entries = [
    entry(fault),
    entry("by-id.unentitled-slug", "2026-01-31"),
    entry("by-id.unknown-slug"),
    entry("query.limit"),
  ];
  const { exitCode, stdout, requirements, waivers } = await conformance("another", worse.env, ...entries);
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
  expect(stdout.replaceAll(/\s+/g, " ")).toContain(`Fixed. Remove this waiver: ${stale}.`);
  // With --out, the next command names the run by its path: by name, it would not be found.
  expect(stdout).toContain("Next: npx shelfcheck replay out-another/");
});
