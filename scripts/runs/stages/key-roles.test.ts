import { afterAll, expect, test } from "vitest";
import type { KeyRole } from "../../../conformance/client/target.ts";
import type { RequirementResult } from "../../../schemas/contracts/results.ts";
import { judge } from "../../../schemas/contracts/verdicts.ts";
import { defaultWords } from "../../../schemas/words/finding-words.ts";
import { startService } from "../../../service/start.ts";
import { resolveSettings } from "../../config/settings.ts";
import { CannotRunError, UsageError } from "../../errors.ts";
import { openTarget } from "../preflight.ts";
import { judgeTarget } from "./conformance-stage.ts";

// Wrong keys in the variables must never make the service fail.

const keysInPlace = ["primary", "same organization", "other organization", "invalid", "missing"] as const;
type KeyInPlace = (typeof keysInPlace)[number];
type Assignment = readonly [primary: KeyInPlace, sameOrg: KeyInPlace, otherOrg: KeyInPlace];

/** Two keys of one organization in each other's place are the same assignment. */
const inFirstPlace = keysInPlace.filter((key) => key !== "same organization");
const assignments: readonly Assignment[] = inFirstPlace.flatMap((primary) =>
  keysInPlace.flatMap((sameOrg) => keysInPlace.map((otherOrg): Assignment => [primary, sameOrg, otherOrg])),
);

/** Everything that depends on a second key, except the rate limit: conformance/suite/check/provoked-limit.test.ts. */
const withoutLimit = [
  "service.organization-scope",
  "authentication.entitlement",
  "retailers.scope",
  "errors.unentitled-retailer",
  "by-id.unentitled-slug",
];

const { baseUrl, keys, categories, stop } = await startService({ products: 120, rate: 1e6, burst: 1e6 });
afterAll(stop);

interface Run {
  readonly exitCode: number;
  /** The error, or the findings of the checks that did not pass. */
  readonly causes: readonly string[];
  readonly requirements: readonly RequirementResult[];
}

/** Runs the same steps as the command line with these keys in the environment. */
async function runWith(assignment: Assignment): Promise<Run> {
  const variables = defaultWords.keyVariables;
  const issued: Readonly<Record<KeyInPlace, string | undefined>> = {
    primary: keys.primary,
    "same organization": keys.sameOrg,
    "other organization": keys.otherOrg,
    invalid: "never-issued",
    missing: undefined,
  };
  const env: Record<string, string> = {};
  for (const [index, role] of (["primary", "sameOrg", "otherOrg"] satisfies KeyRole[]).entries()) {
    const place = assignment[index] ?? "missing";
    const key = issued[place];
    if (key !== undefined) env[variables[role]] = place === "invalid" ? `${key}-${role}` : key;
  }
  try {
    const category = categories.slice(0, 1);
    const settings = await resolveSettings({ baseUrl, category }, { env, cwd: import.meta.dirname });
    const { target } = await openTarget(settings);
    const { signal } = new AbortController();
    const selection = { only: withoutLimit, skip: [] };
    const { requirements } = await judgeTarget({ target, maxRequests: 3000, signal, selection });
    const findings = requirements
      .flatMap(({ checks }) => checks)
      .filter(({ verdict }) => verdict !== "pass" && verdict !== "notApplicable")
      .flatMap((check) => check.findings.map(({ code, subject = "" }) => `${code} ${subject}`.trim()));
    const { exitCode } = judge({ command: "conformance", requirements, load: [], interrupted: false }, []);
    return { exitCode, causes: [...new Set(findings)], requirements };
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof CannotRunError)) throw error;
    const { what, where } = error;
    const exitCode = error instanceof UsageError ? 2 : 3;
    return { exitCode, causes: [`${what}: ${where.replace(baseUrl, "BASE")}`], requirements: [] };
  }
}

test("no assignment of keys to the variables makes the service fail", async () => {
  const lines: string[] = [];
  for (const assignment of assignments) {
    const run = await runWith(assignment);
    const wrong = run.requirements.filter(({ verdict }) => ["fail", "warn", "error"].includes(verdict));
    expect(wrong, assignment.join(", ")).toEqual([]);
    lines.push(`${assignment.join(" | ")}: exit ${run.exitCode}`, ...run.causes.map((cause) => `  ${cause}`));
  }
  const head = `primary | sameOrg | otherOrg\n\n`;
  await expect(`${head}${lines.join("\n")}\n`).toMatchFileSnapshot("key-roles.snapshot.txt");
});
