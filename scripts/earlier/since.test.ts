import { mkdir, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Waiver } from "../../schemas/contracts/config.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import { exampleRequirement, exampleResults, judgedResults } from "../../test/support/samples/example.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { resolveSettings } from "../config/settings.ts";
import { reportOf } from "../core/added.ts";
import { plainStyle } from "../report/terminal.ts";
import { writeConsole } from "../report/writers/console.ts";
import { emptyRun } from "../runs/stages/record.ts";
import { acceptedSince } from "./changes.ts";
import { gateSince } from "./since.ts";

// How a gate compares with an earlier run. Each rule is tested in contract.test.ts.

const cwd = await temporaryFolder("since");
const baseUrl = "https://catalog.example/v1";
const target = { name: "catalog.example", baseUrl, keyFingerprint: "0123456789ab" };
const discovered = { ...exampleResults().discovered, retailers: ["acme", "bygone"], categories: ["hats"] };
const earlier = exampleResults({ target, discovered, requirements: [exampleRequirement()] });

async function written(name: string, results: Partial<Results>): Promise<string> {
  const folder = join(cwd, "reports", name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "results.json"), JSON.stringify({ ...earlier, ...results }));
  return name;
}

/** Begins a gate with `--since`, and ends it with what it found. */
async function gate(
  since: string,
  { waivers = [], isPartial = false }: { waivers?: Waiver[]; isPartial?: boolean } = {},
) {
  const io = { env: { SHELFCHECK_API_KEY: "a-key-of-ours" }, cwd, now: () => new Date(0) };
  const settings = { ...(await resolveSettings({ baseUrl, category: ["hats"] }, io)), waivers };
  const end = await gateSince.begin?.({ since }, { settings, io, isPartial } as never);
  return () => {
    const state = { ...emptyRun(), requirements: [exampleRequirement()] };
    state.discovered = { ...discovered, retailers: ["acme"] };
    state.waivers = waivers.map((waiver) => ({ waiver, state: "unused" as const, where: "" }));
    end?.({ state, target: { keys: { primary: "a-key-of-ours" } } } as never);
    const { cause: _cause, ...results } = earlier;
    return { ...state, cause: judgedResults({ ...results, ...state }).cause };
  };
}

const name = "retailer-gone/bygone";
const waiver = { id: name, reason: "known", owner: "amy", ticket: "T-1", expires: "2999-12-31" };

test("a breaking change fails the gate, although no requirement failed, unless a waiver accepts it", async () => {
  const since = await written("first", {});
  const red = (await gate(since))();
  expect(red.cause).toBe("contract-broken");
  expect(red.parts.earlier).toMatchObject({ differences: [{ name, breaking: true }], verdicts: [] });
  const accepted = (await gate(since, { waivers: [waiver] }))();
  expect(accepted.cause).toBe("none");
  expect(accepted.waivers).toMatchObject([{ state: "active" }]);
});

test("a waiver of a difference that is none any more is stale, and of a requirement stays as it is", async () => {
  const waivers = ["retailer-gone/acme", "errors.shape"].map((id) => ({ ...waiver, id }));
  const since = await written("waived", {});
  const { waivers: states } = (await gate(since, { waivers }))();
  expect(states?.map(({ state }) => state)).toEqual(["stale", "unused"]);
});

test("the report has the entry that accepts a breaking change, and what is accepted as waived", () => {
  const difference = { name, breaking: true, message: "The retailer `bygone` is no longer listed." };
  const differences = [difference, { ...difference, name: "field-gone/title", waiver }];
  const part = { startedAt: earlier.startedAt, differences, verdicts: [] };
  const run: Results = { ...earlier, parts: { earlier: part } };
  const text = writeConsole(reportOf(run), { style: plainStyle(200) });
  expect(text).toContain("compared with the run of 2026-11-21 08:00 UTC: 1 breaking change.");
  expect(text).toMatch(/FAILED retailer-gone\/bygone\n.*\n.*add to waivers: \{ id: "retailer-gone\/bygone"/);
  expect(text).toContain("WAIVED field-gone/title");
  expect(acceptedSince(run)).toBe("1 breaking change accepted (`field-gone/title`)");
});

test("latest is the run that was the latest when the gate began", async () => {
  const latest = join(cwd, "reports", "latest");
  await symlink(await written("old", { startedAt: "2026-11-01T00:00:00.000Z" }), latest);
  const end = await gate("latest");
  await unlink(latest);
  await symlink(await written("new", {}), latest);
  expect(end().parts.earlier?.startedAt).toBe("2026-11-01T00:00:00.000Z");
});

test.each<[string, says: string, Partial<Results>]>([
  ["another target's", 'it was of the target "staging"', { target: { ...target, name: "staging" } }],
  ["an interrupted", "it was interrupted", { exitCode: 130 }],
  ["an errored", "it ended in an error", { verdict: "error" }],
  ["a load", "it judged no requirement", { requirements: [] }],
  ["a partial", "it judged 3 of 80", { scope: { requirements: 3, of: 80, checks: 5, ofChecks: 250 } }],
  [
    "another category's",
    'it browsed the category "shirts"',
    { discovered: { ...discovered, categories: ["shirts"] } },
  ],
])("2: %s run", async (kind, says, change) => {
  const since = await written(kind.replaceAll(/\W/g, "-"), change);
  await expect(gate(since)).rejects.toMatchObject({
    name: "UsageError",
    what: expect.stringContaining(says),
  });
});

test("2: no such run, and a gate of some requirements", async () => {
  await expect(gate("no-such-run")).rejects.toMatchObject({
    name: "UsageError",
    what: "There is no such run",
  });
  const part = gate(await written("whole", {}), { isPartial: true });
  await expect(part).rejects.toMatchObject({
    what: "A run of some requirements cannot be compared with an earlier one",
  });
});
