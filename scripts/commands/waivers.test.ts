import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { deadBaseUrl } from "../testing/stub-target.ts";
import { openWorkspace, stackTrace } from "../testing/workspace.ts";

// Each test waits for several runs of the real command line, on a machine that may be busy with others.
vi.setConfig({ testTimeout: 300_000 });

const workspace = await openWorkspace();
const { cwd, shared, through, run, serve, resultsOf } = workspace;
const unlimited = ["--rate", "1000", "--burst", "1000"];
const faulty = await serve(...unlimited, "--fault", "unknown-product-400");
afterAll(async () => {
  await faulty[Symbol.asyncDispose]();
  await workspace[Symbol.asyncDispose]();
});

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

const entry = (id: string, more = "expires: 2999-12-31") =>
  `waivers:\n  - { id: ${id}, ${terms}, ${more} }\n`;

describe.concurrent("a waiver", () => {
  test("turns its failure into a warning that shows the waiver, and nothing else", async () => {
    const { exitCode, stdout, results } = await conformance("active", {
      env: faulty.env,
      waivers: entry(fault),
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
    expect(waivers).toMatchObject([{ state: "active", waiver: { id: fault } }]);
    expect(stdout).toContain("T-1");
  });

  test("of a requirement covers its checks", async () => {
    const waivers = entry("by-id.unknown-product");
    const { exitCode, stdout } = await conformance("requirement", { env: faulty.env, waivers });
    expect(exitCode, stdout).toBe(0);
  });

  test("leaves another failure a failure: exit 1", async () => {
    await using worse = await serve(...unlimited, "--fault", "unknown-product-400,unknown-retailer-404");
    const { exitCode, results } = await conformance("another", { env: worse.env, waivers: entry(fault) });
    const { requirements } = await results();
    expect(exitCode).toBe(1);
    expect(requirements.filter(({ verdict }) => verdict === "fail").map(({ id }) => id)).toEqual([
      "by-id.unknown-slug",
    ]);
  });

  test("covers what could not be judged: exit 0 instead of 4", async () => {
    const { SHELFCHECK_OTHER_ORG_API_KEY: _key, ...env } = shared.env;
    const without = await conformance("unjudged-not", { env });
    expect(without.exitCode, without.stdout).toBe(4);
    const waivers = entry("by-id.unentitled-slug");
    const { exitCode, stdout, results } = await conformance("unjudged", { env, waivers });
    expect(exitCode, stdout).toBe(0);
    expect((await results()).waivers).toMatchObject([{ state: "active" }]);
  });

  test("that is stale fails a run in which nothing is broken, with how to fix it: exit 1", async () => {
    const { exitCode, stdout, results } = await conformance("stale", { waivers: entry(fault) });
    expect(exitCode, stdout).toBe(1);
    const { verdict, summary, waivers } = await results();
    expect({ verdict, fail: summary.fail }).toEqual({ verdict: "violations", fail: 0 });
    const where = `${join("stale", "waivers.yaml")}, line 2`;
    expect(waivers).toMatchObject([{ state: "stale", where }]);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(`What it waives passes now: remove it (${where}).`);
  });

  test("that is expired does not waive: exit 1", async () => {
    const waivers = entry(fault, "expires: 2026-01-31");
    const { exitCode, results } = await conformance("expired", { env: faulty.env, waivers });
    const { summary, waivers: states } = await results();
    expect({ exitCode, fail: summary.fail }).toEqual({ exitCode: 1, fail: 1 });
    expect(states).toMatchObject([{ state: "expired", waiver: { expires: "2026-01-31" } }]);
  });

  test("that is expired fails a run in which nothing is broken, and even where it is not judged: exit 1", async () => {
    const waivers = entry(fault, "expires: 2026-01-31");
    const { exitCode, results } = await conformance("expired-unjudged", {
      only: "by-id.unknown-slug",
      waivers,
    });
    expect(exitCode).toBe(1);
    expect((await results()).waivers).toMatchObject([{ state: "expired" }]);
  });

  test("of what was not judged is unused, and no failure: exit 0", async () => {
    const { exitCode, stdout, results } = await conformance("unused", {
      only: "by-id.unknown-slug",
      waivers: entry(fault),
    });
    expect(exitCode, stdout).toBe(0);
    expect((await results()).waivers).toMatchObject([{ state: "unused" }]);
  });

  test("of what fails at times is unused when it passes: exit 0", async () => {
    const waivers = entry(fault, "expires: 2999-12-31, flaky: true");
    const { exitCode, stdout, results } = await conformance("flaky", { waivers });
    expect(exitCode, stdout).toBe(0);
    expect((await results()).waivers).toMatchObject([{ state: "unused" }]);
  });

  test("for another target is not listed and waives nothing: exit 1", async () => {
    const waivers = entry(fault, "expires: 2999-12-31, targets: [live]");
    const { exitCode, results } = await conformance("elsewhere", { env: faulty.env, waivers });
    expect(exitCode).toBe(1);
    expect(await results()).not.toHaveProperty("waivers");
  });
});

describe.concurrent("2, before anything is sent", () => {
  const two = entry(fault) + entry("by-id.unknown-product").replace("waivers:\n", "");
  test.each<[string, waivers: string, expected: string]>([
    ["unknown", entry("by-id.unknown-prodct"), "line 2, id\nDid you mean by-id.unknown-product?"],
    ["impossible", entry(fault, "expires: 2026-02-30"), "There is no day 2026-02-30"],
    ["twice", two, "by-id.unknown-product is waived twice: an entry above waives"],
    ["broken", "waivers: [", "The waivers are not valid YAML"],
    ["target", entry(fault, "expires: 2999-12-31, targets: [liv]"), "Did you mean live?"],
    ["key", entry(fault, "expires: 2999-12-31, tickets: T"), "Did you mean ticket?"],
  ])("%s", async (name, waivers, expected) => {
    // Where nothing listens, whatever is sent ends with 3.
    const env = through(await deadBaseUrl());
    const { exitCode, stdout, stderr } = await conformance(`wrong-${name}`, { env, waivers });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(join(`wrong-${name}`, "waivers.yaml"));
    expect(stderr).toContain(expected);
    expect(stderr).not.toMatch(stackTrace);
    expect(existsSync(join(cwd, `out-wrong-${name}`))).toBe(false);
  });
});

test("2: the gate reads the waivers before anything is sent, too", async () => {
  await mkdir(join(cwd, "wrong-gate"));
  await writeFile(join(cwd, "wrong-gate", "waivers.yaml"), entry("by-id.unknown-prodct"));
  const env = through(await deadBaseUrl());
  const argv = ["gate", "--target", "own", "--baseline", "wrong-gate", "--out", "out-wrong-gate"];
  const { exitCode, stderr } = await run(argv, env);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("Did you mean by-id.unknown-product?");
  expect(existsSync(join(cwd, "out-wrong-gate"))).toBe(false);
});

describe.concurrent("baseline accept", () => {
  const byHand = "# ours\nwaivers:\n";
  const accept = (name: string, ...more: readonly string[]) =>
    run(["baseline", "accept", "latest", "--out", `out-${name}`, "--baseline", name, ...more]);
  const signed = ["--owner", "amy", "--ticket", "T-1", "--expires", "2999-12-31", "--reason", "known"];

  test("makes a faulty service green, then a new fault red, and red again when the service is fixed", async () => {
    const first = await conformance("round", { env: faulty.env, waivers: byHand });
    expect(first.exitCode).toBe(1);

    const unsigned = await accept("round");
    expect({ exitCode: unsigned.exitCode, stdout: unsigned.stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(unsigned.stderr).toContain("missing: --owner, --ticket, --expires, --reason");
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

    await using worse = await serve(...unlimited, "--fault", "unknown-product-400,unknown-retailer-404");
    expect((await conformance("round", { env: worse.env })).exitCode).toBe(1);

    const fixed = await conformance("round", {});
    expect(fixed.exitCode).toBe(1);
    expect((await fixed.results()).waivers).toMatchObject([{ state: "stale" }]);
    const named = await accept("round");
    expect(named.exitCode, named.stderr).toBe(0);
    expect(named.stdout.replaceAll(/\s+/g, " ")).toContain(`Waived, and passes now. Remove: ${fault}`);
    expect(await readFile(join(cwd, "round", "waivers.yaml"), "utf8")).toBe(waivers);
    expect((await conformance("round", { waivers: byHand })).exitCode).toBe(0);
  });

  test("waives what could not be judged when asked to, and prints JSON alone", async () => {
    const { SHELFCHECK_OTHER_ORG_API_KEY: _key, ...env } = shared.env;
    expect((await conformance("adopt", { env })).exitCode).toBe(4);
    const left = await accept("adopt", "--json");
    expect(JSON.parse(left.stdout)).toMatchObject({
      added: [],
      unjudged: ["by-id.unentitled-slug/existing-product"],
    });
    expect((await accept("adopt", "--unjudged", ...signed)).exitCode).toBe(0);
    const { exitCode, stdout } = await conformance("adopt", { env });
    expect(exitCode, stdout).toBe(0);
  });

  test("2: a run that did not come to its end, one that is not there, a day that has passed", async () => {
    await conformance("dead", { env: through(await deadBaseUrl()) });
    const ended = await accept("dead");
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toContain("The run did not come to its end");
    const unknown = await run(["baseline", "accept", "no-such-run", "--out", "out-dead"]);
    expect(unknown.exitCode).toBe(2);
    const past = await accept("dead", "--expires", "2026-01-31");
    expect(past.exitCode).toBe(2);
    expect(past.stderr).toContain("--expires 2026-01-31");
    for (const { stderr } of [ended, unknown, past]) expect(stderr).not.toMatch(stackTrace);
    expect(existsSync(join(cwd, "dead"))).toBe(false);
  });

  test("2: a recorded contract that was spoilt is reported before anything is sent", async () => {
    await mkdir(join(cwd, "spoilt"));
    await writeFile(join(cwd, "spoilt", "own.json"), "{}");
    const { exitCode, stderr } = await conformance("spoilt", { env: through(await deadBaseUrl()) });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`does not fit its schema (/ must have required property`);
    expect(stderr).toContain(join("spoilt", "own.json"));
  });
});
