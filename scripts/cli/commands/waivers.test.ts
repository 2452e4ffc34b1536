import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { deadBaseUrl } from "../../../test/support/server.ts";
import { openWorkspace, stackTrace } from "../../../test/support/workspace.ts";

const workspace = await openWorkspace();
const { cwd, shared, through, run, serve, resultsOf } = workspace;
const unlimited = ["--rate", "1000", "--burst", "1000"];
const faulty = await serve(...unlimited, "--fault", "unknown-product-400");
const worse = await serve(...unlimited, "--fault", "unknown-product-400,unentitled-retailer-400");
afterAll(async () => {
  await faulty[Symbol.asyncDispose]();
  await worse[Symbol.asyncDispose]();
  await workspace[Symbol.asyncDispose]();
});

// The states of waivers are tested in scripts/runs/baseline/waiver-states.test.ts, their effect on a run in
// scripts/runs/judgement.test.ts, and mistakes in the file in scripts/runs/baseline/waivers.test.ts.

const fault = "by-id.unknown-product/unknown-id";
const terms = "reason: known, owner: amy, ticket: T-1";
await writeFile(
  join(cwd, "shelfcheck.config.ts"),
  `export default { targets: { own: { baseUrl: "${shared.ready.base_url}" }, live: { baseUrl: "https://h/v1" } } };`,
);

/** Runs the checks of one section on the target `own`, with these waivers. */
async function conformance(
  name: string,
  { env = shared.env, only = "by-id", waivers }: { env?: NodeJS.ProcessEnv; only?: string; waivers?: string },
) {
  if (waivers !== undefined) {
    await mkdir(join(cwd, name), { recursive: true });
    await writeFile(join(cwd, name, "waivers.yaml"), waivers);
  }
  const argv = ["conformance", "--target", "own", "--only", only, "--baseline", name, "--out", `out-${name}`];
  const finished = await run(argv, env);
  return { ...finished, results: () => resultsOf(`out-${name}`) };
}

const entry = (id: string, more = "expires: 2999-12-31") => `  - { id: ${id}, ${terms}, ${more} }\n`;
const file = (...entries: readonly string[]) => `waivers:\n${entries.join("")}`;

test("0: a waived failure is a warning with its waiver", async () => {
  const { exitCode, stdout, results } = await conformance("active", {
    env: faulty.env,
    waivers: file(entry("by-id.unknown-product")),
  });
  const { verdict, requirements, waivers, summary } = await results();
  expect({ exitCode, verdict, fail: summary.fail }, stdout).toEqual({
    exitCode: 0,
    verdict: "partial",
    fail: 0,
  });
  const check = requirements.flatMap(({ checks }) => checks).find(({ id }) => id === fault);
  expect(check).toMatchObject({ verdict: "warn", waiver: { owner: "amy", ticket: "T-1" } });
  expect(check?.evidence.length).toBeGreaterThan(0);
  expect(waivers).toMatchObject([{ state: "active", waiver: { id: "by-id.unknown-product" } }]);
  expect(stdout).toContain("T-1");
});

test("1: another failure remains; the results contain each waiver with its state", async () => {
  const waivers = file(
    entry(fault),
    entry("by-id.unentitled-slug", "expires: 2026-01-31"),
    entry("by-id.unknown-slug"),
    entry("by-id.product", "expires: 2999-12-31, flaky: true"),
    entry("query.limit"),
    entry("query.url", "expires: 2999-12-31, targets: [live]"),
  );
  const { exitCode, stdout, results } = await conformance("another", { env: worse.env, waivers });
  const { requirements, waivers: states } = await results();
  expect(exitCode).toBe(1);
  expect(requirements.filter(({ verdict }) => verdict === "fail").map(({ id }) => id)).toEqual([
    "by-id.unentitled-slug",
  ]);
  const stale = `${join("another", "waivers.yaml")}, line 4`;
  expect(Object.fromEntries(states?.map(({ waiver, state }) => [waiver.id, state]) ?? [])).toEqual({
    [fault]: "active",
    "by-id.unentitled-slug": "expired",
    "by-id.unknown-slug": "stale",
    "by-id.product": "unused",
    "query.limit": "unused",
  });
  expect(states).toContainEqual(expect.objectContaining({ state: "stale", where: stale }));
  expect(stdout.replaceAll(/\s+/g, " ")).toContain(`Fixed. Remove this waiver: ${stale}.`);
  // With --out, the next command names the run by its path: by name, it would not be found.
  expect(stdout).toContain("Next: npx shelfcheck replay out-another/");
});

test("2: a waiver with an unknown id, before any request, in conformance and gate", async () => {
  // Without a listener, any request would end the command with 3.
  const env = through(await deadBaseUrl());
  const waivers = file(entry("by-id.unknown-prodct"));
  const wrong = await conformance("wrong", { env, waivers });
  const gate = await run(["gate", "--target", "own", "--baseline", "wrong", "--out", "out-wrong"], env);
  for (const { exitCode, stdout, stderr } of [wrong, gate]) {
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(join("wrong", "waivers.yaml"));
    expect(stderr).toContain("line 2, id\nDid you mean by-id.unknown-product?");
    expect(stderr).not.toMatch(stackTrace);
  }
  expect(existsSync(join(cwd, "out-wrong"))).toBe(false);
});

const byHand = "# ours\nwaivers:\n";
const accept = (name: string, ...more: readonly string[]) =>
  run(["baseline", "accept", "latest", "--out", `out-${name}`, "--baseline", name, ...more]);
const signed = ["--owner", "amy", "--ticket", "T-1", "--expires", "2999-12-31", "--reason", "known"];

test("baseline accept makes a faulty service pass, and fail again when it is fixed", async () => {
  const first = await conformance("round", { env: faulty.env, waivers: byHand });
  expect(first.exitCode).toBe(1);

  const unsigned = await accept("round");
  expect({ exitCode: unsigned.exitCode, stdout: unsigned.stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(unsigned.stderr).toContain("--owner, --ticket, --expires, --reason are missing");
  expect(unsigned.stderr).toContain(fault);
  expect(existsSync(join(cwd, "round", "own.json"))).toBe(false);

  const accepted = await accept("round", ...signed);
  expect(accepted.exitCode, accepted.stderr).toBe(0);
  expect(accepted.stdout).toContain(fault);
  const waivers = await readFile(join(cwd, "round", "waivers.yaml"), "utf8");
  expect(waivers).toContain("# ours");
  expect(waivers).toContain(fault);
  const recorded = await readFile(join(cwd, "round", "own.json"), "utf8");
  expect(JSON.parse(recorded)).toMatchObject({ target: "own", failing: [fault] });
  for (const key of Object.values(faulty.ready.keys)) expect(recorded + waivers).not.toContain(key);

  const green = await conformance("round", { env: faulty.env });
  expect(green.exitCode, green.stdout).toBe(0);

  const fixed = await conformance("round", {});
  expect(fixed.exitCode).toBe(1);
  expect((await fixed.results()).waivers).toMatchObject([{ state: "stale" }]);
  const named = await accept("round");
  expect(named.exitCode, named.stderr).toBe(0);
  expect(named.stdout.replaceAll(/\s+/g, " ")).toContain(`Waived, but passes now. Remove: ${fault}`);
  expect(await readFile(join(cwd, "round", "waivers.yaml"), "utf8")).toBe(waivers);
});

test("baseline accept --not-judged turns 4 into 0; --json prints only JSON", async () => {
  const { SHELFCHECK_OTHER_ORG_API_KEY: _key, ...env } = shared.env;
  expect((await conformance("adopt", { env })).exitCode).toBe(4);
  const left = await accept("adopt", "--json");
  expect(JSON.parse(left.stdout)).toMatchObject({
    added: [],
    notJudged: ["by-id.unentitled-slug/other-organization", "by-id.unentitled-slug/existing-product"],
  });
  expect((await accept("adopt", "--not-judged", ...signed)).exitCode).toBe(0);
  const { exitCode, stdout } = await conformance("adopt", { env });
  expect(exitCode, stdout).toBe(0);
});

test("2: baseline accept of an unfinished or unknown run, or with a past date", async () => {
  await conformance("dead", { env: through(await deadBaseUrl()) });
  const ended = await accept("dead");
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain("The run did not finish");
  const unknown = await run(["baseline", "accept", "no-such-run", "--out", "out-dead"]);
  expect(unknown.exitCode).toBe(2);
  const past = await accept("dead", "--expires", "2026-01-31");
  expect(past.exitCode).toBe(2);
  expect(past.stderr).toContain("--expires 2026-01-31");
  for (const { stderr } of [ended, unknown, past]) expect(stderr).not.toMatch(stackTrace);
  expect(existsSync(join(cwd, "dead"))).toBe(false);
});

test("2: an invalid recorded contract, before any request", async () => {
  await mkdir(join(cwd, "spoilt"));
  await writeFile(join(cwd, "spoilt", "own.json"), "{}");
  const { exitCode, stderr } = await conformance("spoilt", { env: through(await deadBaseUrl()) });
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`does not fit its schema (/ must have required property`);
  expect(stderr).toContain(join("spoilt", "own.json"));
});

test("a waiver that ends within a week is announced", async () => {
  const expires = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  const waivers = file(entry("by-id.unknown-product", `expires: ${expires}`));
  const { stdout } = await conformance("ending", { env: faulty.env, waivers });
  expect(stdout.replaceAll(/\s+/g, " ")).toContain("The waiver of by-id.unknown-product expires in 3 days");
});
