import { expect, test } from "vitest";
import type { Finding } from "../../../../schemas/contracts/finding.ts";
import type { RequirementResult } from "../../../../schemas/contracts/results.ts";
import {
  exampleCheck,
  exampleRequirement,
  exampleResults,
} from "../../../../test/support/samples/example.ts";
import { runReport } from "./run.ts";

const failing = (id: string, finding: Finding) =>
  exampleRequirement({
    id,
    verdict: "fail",
    checks: [
      exampleCheck({ id: `${id}/open`, verdict: "inconclusive", says: "Not judged." }),
      exampleCheck({ id: `${id}/odd`, verdict: "warn", says: "Unusual." }),
      exampleCheck({ id: `${id}/one`, verdict: "fail", findings: [finding] }),
    ],
  });
const failedIn = (requirements: RequirementResult[]) =>
  runReport(exampleResults({ requirements })).suites[0]?.items ?? [];
const orderOf = (...findings: (readonly [id: string, Finding])[]) =>
  failedIn(findings.map((one) => failing(...one))).map(({ id }) => id);

test("data of others comes first, then what cannot be read, access, wrong data, keys that differ, shape", () => {
  expect(
    orderOf(
      ["shape", { code: "null-value" }],
      ["service.organization-scope", { code: "shown-by-one-only", details: { by: "one" } }],
      ["data", { code: "item-not-sent", actual: {} }],
      ["authentication.required", { code: "recorded", subject: "refused" }],
      ["service.json", { code: "not-json", details: { status: 200 } }],
      ["authentication.entitlement", { code: "not-granted", subject: "primary", actual: "acme" }],
    ),
  ).toEqual([
    "authentication.entitlement",
    "service.json",
    "authentication.required",
    "data",
    "service.organization-scope",
    "shape",
  ]);
});

test("of equal harm, what more responses show comes first; a requirement begins with what decided it", () => {
  const seen = (count: number): Finding => ({
    code: "null-value",
    seen: { count, total: 60, of: "responses" },
  });
  expect(orderOf(["rare", seen(1)], ["frequent", seen(50)])).toEqual(["frequent", "rare"]);
  const [one] = failedIn([failing("a", seen(1))]);
  expect(one?.said.map(({ check }) => check)).toEqual(["by id", "Warning: by id"]);
});
