import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Results } from "../../schemas/contracts/results.ts";
import { openWorkspace } from "../../test/support/workspace.ts";

// How a gate compares with an earlier run. The rules themselves are tested in scripts/earlier.

const workspace = await openWorkspace("--products", "120");
const { cwd, shared, run, resultsOf } = workspace;
afterAll(() => workspace[Symbol.asyncDispose]());

// Without the burst, a gate does not wait for the rate limit or depend on the speed of this machine.
await writeFile(
  join(cwd, "shelfcheck.config.ts"),
  `const thresholds = { p95Milliseconds: 60_000, failedShare: 0.5, invalidShare: 0, droppedShare: 1, lagMilliseconds: 60_000 };
   export default {
     targets: { own: { baseUrl: "${shared.ready.base_url}", avoid: ["burst"], optional: ["rateLimit"] } },
     gate: { scenarios: ["lookup"], profile: "smoke" },
     profiles: { smoke: { description: "short", stages: [{ seconds: 0, rate: 20 }, { seconds: 2, rate: 20 }],
       walkers: 1, virtualUsers: 20, maxResponseSeconds: 10, thresholds } } };`,
);

async function gate(out: string, ...flags: readonly string[]) {
  const finished = await run(["gate", "--target", "own", "--out", out, ...flags], shared.env);
  return { ...finished, results: () => resultsOf(out) };
}

/** A changed copy of the results of the first run, as somebody commits them. */
async function changed(name: string, change: (results: Results) => void): Promise<string> {
  const results: Results = JSON.parse(await readFile(join(cwd, "first/latest/results.json"), "utf8"));
  change(results);
  await mkdir(join(cwd, name));
  await writeFile(join(cwd, name, "results.json"), JSON.stringify(results));
  return join(name, "results.json");
}

let startedAt = "";
beforeAll(async () => {
  const { exitCode, stdout, results } = await gate("first");
  expect(exitCode, stdout).toBe(0);
  startedAt = (await results()).startedAt;
});

test("0: nothing changed since the run that was the latest when this one began", async () => {
  await cp(join(cwd, "first"), join(cwd, "second"), { recursive: true });
  const { exitCode, stdout, results } = await gate("second", "--since", "latest");
  expect(exitCode, stdout).toBe(0);
  expect((await results()).parts?.earlier).toEqual({ startedAt, differences: [], verdicts: [] });
});

/** As if the service had had one more retailer, and a list on many products. */
const more = ({ discovered }: Results) => {
  discovered.retailers.push("bygone");
  for (const one of Object.values(discovered.fieldsByRetailer ?? {}))
    one.fields["sizes[]"] = Math.ceil(one.products / 2);
  discovered.types = { ...discovered.types, sizes: ["array"], "sizes[]": ["string"], price: ["string"] };
};
const names = ["retailer-gone/bygone", "field-type/price", "field-gone/sizes"];

test("1: a breaking change, although no requirement failed; its waivers make it pass, until it is none", async () => {
  const since = await changed("changed", more);
  const red = await gate("third", "--since", since);
  expect(red.exitCode, red.stdout).toBe(1);
  const { cause, summary, parts } = await red.results();
  expect({ cause, fail: summary.fail }).toEqual({ cause: "contract-broken", fail: 0 });
  expect(parts?.earlier?.differences.filter(({ breaking }) => breaking).map(({ name }) => name)).toEqual(
    names,
  );
  for (const name of names) expect(red.stdout).toContain(`{ id: "${name}", reason: "",`);

  const config = await readFile(join(cwd, "shelfcheck.config.ts"), "utf8");
  const terms = { reason: "known", owner: "amy", ticket: "T-1", expires: "2999-12-31" };
  const waivers = JSON.stringify(names.map((id) => ({ id, ...terms })));
  await writeFile(join(cwd, "waiving.ts"), config.replace("targets:", `waivers: ${waivers}, targets:`));
  const states = async (...flags: readonly string[]) => {
    const { exitCode, results } = await gate("waived", "--config", "waiving.ts", ...flags);
    return [exitCode, ...new Set((await results()).waivers?.map(({ state }) => state))];
  };
  expect(await states("--since", since)).toEqual([0, "active"]);
  expect(await states("--since", "first/latest")).toEqual([1, "stale"]);
  // Without an earlier run, nothing says whether it is still needed.
  expect(await states()).toEqual([0, "unused"]);
});

test.each<[string, says: string, (results: Results) => void]>([
  ["another target's", 'its target is "staging"', ({ target }) => (target.name = "staging")],
  ["an interrupted", "it was interrupted", (results) => (results.exitCode = 130)],
  ["an errored", "it ended in an error", (results) => (results.verdict = "error")],
  ["a load", "it judged no requirement", (results) => (results.requirements = [])],
  [
    "another category's",
    'it browsed the category "shirts"',
    ({ discovered }) => (discovered.categories = ["shirts"]),
  ],
  ["a partial", "it judged 3 of 80", (results) => (results.scope = { requirements: 3, of: 80 })],
])("2: %s run, before any request", async (name, says, change) => {
  const since = await changed(name.replaceAll(/\W/g, "-"), change);
  const { exitCode, stdout, stderr } = await gate("refused", "--since", since);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(says);
});

test("2: no such run, and a gate of some requirements", async () => {
  const missing = await gate("refused", "--since", "no-such-run");
  const part = await gate("refused", "--since", "first/latest", "--skip", "limits");
  expect([missing.exitCode, part.exitCode]).toEqual([2, 2]);
  expect(missing.stderr).toContain("There is no such run");
  expect(part.stderr).toContain("A run of some requirements cannot be compared");
});
