import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Baseline } from "../../../schemas/contracts/baseline.ts";
import { openWorkspace } from "../../../test/support/workspace.ts";

// How a gate uses a baseline: contract, waivers and recorded latency. The rules themselves are tested in scripts/runs/baseline.

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

type Recorded = NonNullable<Baseline["load"]>["runs"][number];

/** Three recorded lookup runs like the actual one, except for the change. */
function threeRuns({ load }: Baseline, change: (run: Recorded) => Partial<Recorded>): Recorded[] {
  const lookup = load?.runs.find(({ scenario }) => scenario === "lookup");
  if (lookup === undefined) throw new Error("accept recorded no lookups");
  return [1, 2, 3].map((day) => ({
    ...lookup,
    ...change(lookup),
    run: `run-${day}`,
    startedAt: `2026-01-0${day}T00:00:00Z`,
  }));
}

/** The conditions of the first gate's batches, which are too few to be recorded. */
let ofBatches: Recorded["comparability"];

beforeAll(async () => {
  const first = await gate("none");
  expect(first.exitCode, first.stdout).toBe(1);
  const results = await first.results();
  expect(results).not.toHaveProperty("drift");
  const batches = results.load.find(({ scenario }) => scenario === "batch")?.comparability;
  if (batches === undefined) throw new Error("no batches were sent");
  ofBatches = batches;
  expect(first.stderr.match(/contract: none is recorded for own in .*baseline accept/g)).toHaveLength(1);
  const terms = ["--owner", "amy", "--ticket", "T-1", "--expires", "2999-12-31", "--reason", "known"];
  const argv = ["baseline", "accept", "latest", "--out", "out-none", "--baseline", "accepted", ...terms];
  const accepted = await run(argv);
  expect(accepted.exitCode, accepted.stderr).toBe(0);
});

test.concurrent("0: nothing changed, waivers apply to the gate too, and one run is too few to compare", async () => {
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
  expect(load[0]?.comparison).toMatchObject({ answer: "inconclusive" });
  expect(stderr).not.toContain("is recorded");
});

test.concurrent("1: every change has its rank, lookups are slower than three recorded runs, and runs of another machine are not compared", async () => {
  const name = await changed("changed", (baseline) => {
    const { contract } = baseline;
    const slower = threeRuns(baseline, ({ curves }) => ({
      curves: curves.map((curve) => ({
        ...curve,
        count: 10_000,
        milliseconds: curve.milliseconds.map((_, place) => 0.01 + place * 1e-6),
      })),
    }));
    const { hash, parts } = ofBatches;
    const elsewhere = threeRuns(baseline, () => ({
      scenario: "batch",
      comparability: { hash: `${hash}0`, parts: { ...parts, host: "another machine" } },
    }));
    baseline.load = { runs: [...slower, ...elsewhere] };
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
  const { verdict, summary, drift, load } = await results();
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

  expect(load).toMatchObject([
    { verdict: "slower", comparison: { answer: "slower", runs: { before: 3, after: 1 } } },
    { verdict: "pass", comparison: { answer: "refused", endpoints: [] } },
  ]);
  const prose = stdout.replaceAll(/\s+/g, " ");
  expect(prose).toMatch(/Lookup by id, p50: .* times compared with .* in 3 recorded runs/);
  expect(prose).toContain("The runs differ in host: another machine in run-1, ");
});

test.concurrent("2: an invalid baseline, before any request", async () => {
  const name = await changed("by-hand", (baseline) => {
    Object.assign(baseline, { load: { runs: [{ run: "by hand" }] } });
  });
  const { exitCode, stderr } = await gate(name);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("does not fit its schema (/load/runs/0");
});
