import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { loadConfig } from "./config-file.ts";
import { requireKnownWaivers } from "./validate-config.ts";

const folder = await temporaryFolder("old-baseline");
const usual = { reason: "r", owner: "o", ticket: "T-1", expires: "2026-12-31" };

describe("mistakes are reported with place, key and fix", () => {
  test.each<[string, waiver: Partial<typeof usual & { id: string }>, where: string, text: RegExp]>([
    ["an unknown id", { id: "errors.shap" }, "id", /the id "errors.shap": .*Did you mean errors.shape\?/],
    ["an id that is like none", { id: "zzz" }, "id", /The nearest of \d+ names/],
    [
      "a check of another name",
      { id: "by-id.unknown-product/x" },
      "id",
      /Did you mean by-id.unknown-product/,
    ],
    ["a section", { id: "errors" }, "id", /the id "errors": .*Did you mean errors\./],
  ])("%s", async (_name, change, key, text) => {
    const wrong = { id: "errors.shape", ...usual, ...change };
    await expect(requireKnownWaivers([wrong], "c.ts")).rejects.toMatchObject({
      ...{ where: `c.ts, waivers[0].${key}`, name: "UsageError" },
      message: expect.stringMatching(text),
    });
  });

  test.each([
    ["errors.shape", "errors.shape", "errors.shape is waived twice"],
    ["by-id.unknown-product", "by-id.unknown-product/unknown-id", "above waives by-id.unknown-product"],
    ["x.y", "errors", "Mistakes in the waivers"],
  ])("%s beside %s: %s", async (first, second, text) => {
    const waivers = [first, second].map((id) => ({ ...usual, id }));
    await expect(requireKnownWaivers(waivers, "c.ts")).rejects.toThrow(text);
  });
});

describe("what earlier versions kept is refused with the entries to paste", () => {
  const yaml = `# ours
waivers:
  # until the import is fixed
  - id: batch.partial
    reason: "the import: broken"
    owner: amy
    ticket: T-1
    expires: 2026-12-31
  - { id: errors.shape, reason: known, owner: 'bob', ticket: T-2, expires: 2027-01-31, flaky: true }
  - { id: "load.lookup/http_req_failed", reason: r, owner: o, ticket: t, expires: 2027-01-31 }
`;
  const entries = `  waivers: [
    { id: "batch.partial", reason: "the import: broken", owner: "amy", ticket: "T-1", expires: "2026-12-31" },
    { id: "errors.shape", reason: "known", owner: "bob", ticket: "T-2", expires: "2027-01-31" },
  ],`;

  test.each([
    ["the folder", "shelfcheck-baseline", "", "shelfcheck-baseline"],
    ["the setting", "kept", 'baseline: "kept"', "shelfcheck.config.mjs, baseline"],
  ])("%s", async (name, kept, setting, where) => {
    const cwd = join(folder, name);
    await mkdir(join(cwd, kept), { recursive: true });
    await writeFile(join(cwd, kept, "waivers.yaml"), yaml);
    if (setting !== "") await writeFile(join(cwd, "shelfcheck.config.mjs"), `export default { ${setting} };`);
    await expect(loadConfig(undefined, cwd)).rejects.toMatchObject({
      where,
      name: "UsageError",
      fix: expect.stringContaining(entries),
    });
  });

  test("a setting without its folder, and a folder without waivers", async () => {
    const cwd = await mkdtemp(join(folder, "without-"));
    await writeFile(join(cwd, "c.mjs"), 'export default { baseline: "kept" };');
    await expect(loadConfig("c.mjs", cwd)).rejects.toMatchObject({
      where: "c.mjs, baseline",
      name: "UsageError",
    });
    await mkdir(join(cwd, "shelfcheck-baseline"));
    await expect(loadConfig(undefined, cwd)).rejects.toMatchObject({
      fix: expect.stringContaining("Then remove the folder shelfcheck-baseline."),
    });
  });
});
