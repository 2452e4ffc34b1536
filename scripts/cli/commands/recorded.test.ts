import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Baseline } from "../../../schemas/contracts/baseline.ts";
import { openWorkspace } from "../../../test/support/workspace.ts";

// How a gate uses a baseline: contract and waivers. The rules themselves are tested in scripts/runs/baseline.

// The second fault also affects responses to load.
const workspace = await openWorkspace("--products", "120", "--fault", "limit-one-too-many,null-field");
const { cwd, shared, run, resultsOf } = workspace;
afterAll(() => workspace[Symbol.asyncDispose]());

// Without the burst, a gate does not wait for the rate limit or depend on the speed of this machine.
await writeFile(
  join(cwd, "shelfcheck.config.ts"),
  `const thresholds = { p95Milliseconds: 60_000, failedShare: 0.5, invalidShare: 0, droppedShare: 1, lagMilliseconds: 60_000 };
   export default {
     targets: { own: { baseUrl: "${shared.ready.base_url}", avoid: ["burst"] } },
     gate: { scenarios: ["lookup", "batch"], profile: "smoke" },
     profiles: { smoke: { description: "short", stages: [{ seconds: 0, rate: 20 }, { seconds: 2, rate: 20 }],
       walkers: 1, virtualUsers: 20, maxResponseSeconds: 10, thresholds } } };`,
);

/** Runs a gate on the target `own` with a baseline folder. */
async function gate(baseline: string) {
  const argv = ["gate", "--target", "own", "--baseline", baseline, "--out", `out-${baseline}`];
  const finished = await run(argv, shared.env);
  return { ...finished, results: () => resultsOf(`out-${baseline}`) };
}

/** A modified copy of the accepted baseline. */
async function changed(name: string, change: (baseline: Baseline) => void): Promise<string> {
  await cp(join(cwd, "accepted"), join(cwd, name), { recursive: true });
  const file = join(cwd, name, "own.json");
  const baseline: Baseline = JSON.parse(await readFile(file, "utf8"));
  change(baseline);
  await writeFile(file, JSON.stringify(baseline));
  return name;
}

beforeAll(async () => {
  const first = await gate("none");
  expect(first.exitCode, first.stdout).toBe(1);
  const results = await first.results();
  expect(results).not.toHaveProperty("drift");
  expect(first.stderr.match(/contract: .* has no baseline of own .*baseline accept/g)).toHaveLength(1);
  const terms = ["--owner", "amy", "--ticket", "T-1", "--expires", "2999-12-31", "--reason", "known"];
  const argv = ["baseline", "accept", "latest", "--out", "out-none", "--baseline", "accepted", ...terms];
  const accepted = await run(argv);
  expect(accepted.exitCode, accepted.stderr).toBe(0);
});

test.concurrent("0: nothing changed, and waivers apply to the gate too", async () => {
  const { exitCode, stdout, stderr, results } = await gate("accepted");
  expect(exitCode, stdout).toBe(0);
  const { drift, waivers, load } = await results();
  expect(drift?.changes).toEqual([]);
  const ids = waivers?.map(({ waiver }) => waiver.id) ?? [];
  expect(ids).toEqual(
    expect.arrayContaining([
      "query.limit/1",
      "service.omitted-fields/every-product",
      "load.batch/invalid_responses{name:batch}",
    ]),
  );
  expect(waivers?.filter(({ state }) => state !== "active")).toEqual([]);
  expect(load.map(({ verdict }) => verdict)).toEqual(["pass", "pass"]);
  expect(stderr).not.toContain("is recorded");
});

test.concurrent("1: every change has its rank", async () => {
  const name = await changed("changed", (baseline) => {
    const { contract } = baseline;
    delete contract.dialect.gtin;
    contract.dialect.batchFoundField = "hits";
    const slug = contract.retailers.pop() ?? "";
    contract.retailers.push("bygone");
    expect(contract.fieldsByRetailer[slug]?.products).toBeGreaterThan(9);
    for (const { products, fields } of Object.values(contract.fieldsByRetailer)) {
      fields.sku = products;
      delete fields.currency;
      fields.rare = 1;
      fields.halfway = Math.ceil(products / 2);
    }
    contract.fieldsByRetailer.newcomer = { products: 3, fields: { title: 3 } };
    const byId = contract.statuses["lookup-by-id"] ?? {};
    delete byId[403];
    byId[410] = 1000;
  });
  const { exitCode, stdout, results } = await gate(name);
  expect(exitCode, stdout).toBe(1);
  const { verdict, summary, drift } = await results();
  expect({ verdict, fail: summary.fail }).toEqual({ verdict: "violations", fail: 0 });

  const byRank = Object.groupBy(drift?.changes ?? [], ({ rank }) => rank);
  const rulesOf = (rank: "notable" | "harmless") => new Set(byRank[rank]?.map(({ rule }) => rule));
  expect(byRank.breaking?.map(({ rule }) => rule)).toEqual([
    "dialect.renamed",
    "retailer.vanished",
    "field.vanished",
  ]);
  expect(rulesOf("notable")).toEqual(new Set(["field.vanished-optional", "field.new"]));
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
  for (const text of ["hits", "bygone", "sku", "halfway"]) expect(stdout).toContain(text);
});

test.concurrent("2: an invalid baseline, before any request", async () => {
  const name = await changed("by-hand", (baseline) => {
    Object.assign(baseline.contract, { retailers: "by hand" });
  });
  const { exitCode, stderr } = await gate(name);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("does not fit its schema (/contract/retailers");
});
