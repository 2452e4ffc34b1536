import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { listChecks, requestsOf, type Selection } from "../../../conformance/suite/all.ts";
import { burstRequests, mostProvoking } from "../../../conformance/suite/check/provoked-limit.ts";
import { conformancePlan, renderConformancePlan } from "./selection.ts";

const nothing = { only: [], skip: [] };
const planOf = (selection: Selection) => renderConformancePlan(conformancePlan(selection, 300));

test("lists every check with its requests and title by section, and their sum", () => {
  const plan = planOf(nothing);
  const checks = listChecks();
  for (const { id, title, requests } of checks)
    expect(plan).toContain(`${requests}  ${id}\n       ${title}\n`);
  const { polite } = requestsOf(checks);
  const page = ["page.last-cursor/walk-ends", "query.paging/no-repeats"] as const;
  const [one, both] = [page.slice(0, 1), page].map(
    (only) => conformancePlan({ only, skip: [] }, 300).requests,
  );
  expect(one).toBe(both);
  const toExceed = mostProvoking.toLocaleString("en");
  expect(plan).toMatch(
    new RegExp(`^${checks.length} checks, at most ${polite.toLocaleString("en")} requests`),
  );
  for (const text of [plan, planOf({ only: ["limits.honest-wait"], skip: [] })])
    expect(text).toContain(`At the end, at most ${toExceed} more to exceed the rate limit`);
  for (const page of ["README.md", "docs/first-red-run.md"])
    expect(readFileSync(page, "utf8"), page).toContain(`at most ${toExceed} requests`);
  expect(readFileSync("README.md", "utf8")).toContain(`(up to ${burstRequests} until the first 429)`);
  expect(plan).toContain("\nbatch: Endpoints: POST /v1/products/batch-lookup\n");
  expect(plan.endsWith("\n")).toBe(true);
});

test("lists only the selected checks", () => {
  const plan = planOf({ only: ["errors.shape"], skip: ["errors.shape/every-response"] });
  const ids = plan.match(/^ +\d+ {2}\S+$/gm)?.map((line) => line.trim().split(/ +/)[1]) ?? [];
  expect(ids.length).toBeGreaterThan(0);
  for (const id of ids) expect(id).toMatch(/^errors\.shape\/(?!every-response)/);
  expect(plan).toMatch(new RegExp(`^${ids.length} checks?,`));
  expect(plan).not.toContain("to exceed the rate limit");
});

test.each<[string[], string[], object]>([
  [["errors.shap"], [], { where: "--only errors.shap", fix: "Did you mean errors.shape?" }],
  [["Erors"], [], { where: "--only Erors", fix: "Did you mean errors?" }],
  [["errors"], ["query.gtin", "qery"], { where: "--skip qery", fix: "Did you mean query?" }],
  [["errors.shape"], ["errors"], { what: "Nothing is selected", where: "--only errors.shape --skip errors" }],
  ...["Errors.shape", "query.gtin/knwon", "", " ", "errors.", "errors.shape/", "constructor"].map(
    (name): [string[], string[], object] => [[name], [], { where: `--only ${name}` }],
  ),
])("only %j, skip %j is a usage error", (only, skip, problem) => {
  expect(() => planOf({ only, skip })).toThrow(expect.objectContaining({ name: "UsageError", ...problem }));
});
