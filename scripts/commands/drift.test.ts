import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Baseline } from "../../schemas/types.ts";
import { openWorkspace } from "../testing/workspace.ts";

// Each test waits for a whole gate by the real command line, on a machine that may be busy with others.
vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });

const workspace = await openWorkspace();
const { cwd, run, serve, resultsOf } = workspace;
// The second fault shows in the answers to load too.
const service = await serve("--fault", "unknown-product-400,null-field");
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await workspace[Symbol.asyncDispose]();
});

await writeFile(
  join(cwd, "shelfcheck.config.ts"),
  `const thresholds = { p95Milliseconds: 60_000, failedShare: 0.5, invalidShare: 0, droppedShare: 1, lagMilliseconds: 60_000 };
   export default {
     targets: { own: { baseUrl: "${service.ready.base_url}" } },
     profiles: { smoke: { description: "short", stages: [{ seconds: 0, rate: 5 }, { seconds: 1, rate: 5 }],
       walkers: 1, maxResponseSeconds: 5, thresholds } } };`,
);

/** A gate of the target `own` with a baseline folder. */
async function gate(baseline: string) {
  const argv = ["gate", "--target", "own", "--baseline", baseline, "--out", `out-${baseline}`];
  const finished = await run(argv, service.env);
  return { ...finished, results: await resultsOf(`out-${baseline}`) };
}

/** A copy of the accepted baseline, whose contract was another. */
async function changed(name: string, change: (contract: Baseline["contract"]) => void): Promise<string> {
  await cp(join(cwd, "accepted"), join(cwd, name), { recursive: true });
  const file = join(cwd, name, "own.json");
  const baseline: Baseline = JSON.parse(await readFile(file, "utf8"));
  change(baseline.contract);
  await writeFile(file, JSON.stringify(baseline));
  return name;
}

beforeAll(async () => {
  const first = await gate("none");
  expect(first.exitCode, first.stdout).toBe(1);
  expect(first.results).not.toHaveProperty("drift");
  expect(first.stderr.match(/no contract of own is recorded in .*baseline accept/g)).toHaveLength(1);
  const terms = ["--owner", "amy", "--ticket", "T-1", "--expires", "2999-12-31", "--reason", "known"];
  const argv = ["baseline", "accept", "latest", "--out", "out-none", "--baseline", "accepted", ...terms];
  const accepted = await run(argv);
  expect(accepted.exitCode, accepted.stderr).toBe(0);
});

test("0: nothing changed, and the waivers hold in the gate too", async () => {
  const { exitCode, stdout, stderr, results } = await gate("accepted");
  // How much of a burst is accepted depends on how fast this machine sends it.
  expect(results.drift?.changes.filter(({ kind }) => kind !== "limit")).toEqual([]);
  expect(exitCode, stdout).toBe(0);
  const ids = results.waivers?.map(({ waiver }) => waiver.id) ?? [];
  expect(ids).toEqual(
    expect.arrayContaining([
      "by-id.unknown-product/unknown-id",
      "service.omitted-fields/every-product",
      "load.batch/answers_invalid{name:batch}",
    ]),
  );
  expect(results.waivers?.filter(({ state }) => state !== "active")).toEqual([]);
  expect(results.load.map(({ verdict }) => verdict)).toEqual(["pass", "pass", "pass"]);
  expect(stderr).not.toContain("is recorded");
});

test("1: what breaks clients fails the gate", async () => {
  const name = await changed("breaking", (contract) => {
    contract.dialect.batchFoundField = "hits";
    contract.retailers.push("bygone");
    for (const { products, fields } of Object.values(contract.fieldsByRetailer)) fields.sku = products;
  });
  const { exitCode, stdout, results } = await gate(name);
  expect(exitCode, stdout).toBe(1);
  expect(results).toMatchObject({ verdict: "violations", summary: { fail: 0 } });
  const breaking = results.drift?.changes.filter(({ rank }) => rank === "breaking").map(({ rule }) => rule);
  expect(breaking).toEqual(["dialect.renamed", "retailer.vanished", "field.vanished"]);
  for (const text of ["hits", "bygone", "sku"]) expect(stdout).toContain(text);
});

test("0: what does not break clients is shown and listed", async () => {
  const name = await changed("harmless", (contract) => {
    delete contract.dialect.gtin;
    contract.accepted = 100_000;
    const slug = contract.retailers.pop() ?? "";
    expect(contract.fieldsByRetailer[slug]?.products).toBeGreaterThan(9);
    contract.fieldsByRetailer.newcomer = { products: 3, fields: { title: 3 } };
    for (const { products, fields } of Object.values(contract.fieldsByRetailer)) {
      delete fields.currency;
      fields.rare = 1;
      fields.halfway = Math.ceil(products / 2);
    }
    const byId = contract.statuses["lookup-by-id"] ?? {};
    delete byId[403];
    byId[410] = 1000;
  });
  const { exitCode, stdout, results } = await gate(name);
  expect(exitCode, stdout).toBe(0);
  const met = Object.groupBy(results.drift?.changes ?? [], ({ rank }) => rank);
  const rulesOf = (rank: "notable" | "harmless") => new Set(met[rank]?.map(({ rule }) => rule));
  expect(met.breaking).toBeUndefined();
  expect(rulesOf("notable")).toEqual(new Set(["field.vanished-optional", "field.new", "limit.lowered"]));
  expect(rulesOf("harmless")).toEqual(
    new Set([
      "dialect.found",
      "retailer.appeared",
      "retailer.not-sampled",
      "field.not-seen",
      "status.appeared",
      "status.gone",
    ]),
  );
  expect(stdout).toContain("halfway");
});
