import { afterAll, beforeAll, expect, test } from "vitest";
import type { KeyRole } from "../../../conformance/client/target.ts";
import type { RequirementResult } from "../../../schemas/contracts/results.ts";
import { defaultWords } from "../../../schemas/words/finding-words.ts";
import { type RunningService, startService } from "../../../service/start.ts";
import { resolveSettings } from "../../config/settings.ts";
import { CannotRunError, UsageError } from "../../errors.ts";
import { judge } from "../judgement.ts";
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

/** Everything that depends on a second key, except the rate limit, which takes hundreds of requests. */
const withoutLimit = [
  "service.organization-scope",
  "authentication.entitlement",
  "retailers.scope",
  "errors.unentitled-retailer",
  "by-id.unentitled-slug",
];

interface Run {
  readonly exitCode: number;
  /** The error, or the findings of the checks that did not pass. */
  readonly causes: readonly string[];
  readonly requirements: readonly RequirementResult[];
}

/** Runs the same steps as the command line with these keys in the environment. */
async function runWith(
  { baseUrl, keys, categories }: RunningService,
  assignment: Assignment,
  only: readonly string[],
): Promise<Run> {
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
    const selection = { only, skip: [] };
    const { requirements } = await judgeTarget({ target, maxRequests: 3000, signal, selection });
    const findings = requirements
      .flatMap(({ checks }) => checks)
      .filter(({ verdict }) => verdict !== "pass" && verdict !== "notApplicable")
      .flatMap((check) => check.findings.map(({ code, subject = "" }) => `${code} ${subject}`.trim()));
    const { exitCode } = judge({ command: "conformance", requirements, load: [], interrupted: false });
    return { exitCode, causes: [...new Set(findings)], requirements };
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof CannotRunError)) throw error;
    const { what, where, exitCode } = error;
    return { exitCode, causes: [`${what}: ${where.replace(baseUrl, "BASE")}`], requirements: [] };
  }
}

const violations = ({ requirements }: Run) =>
  requirements.filter(({ verdict }) => verdict === "fail" || verdict === "warn" || verdict === "error");

let service: RunningService;
beforeAll(async () => {
  service = await startService({ products: 120, rate: 1e6, burst: 1e6 });
});
afterAll(() => service.stop());

test("no assignment of keys to the variables makes the service fail", async () => {
  const lines: string[] = [];
  for (const assignment of assignments) {
    const run = await runWith(service, assignment, withoutLimit);
    expect(violations(run), assignment.join(", ")).toEqual([]);
    lines.push(`${assignment.join(" | ")}: exit ${run.exitCode}`, ...run.causes.map((cause) => `  ${cause}`));
  }
  const head = `primary | sameOrg | otherOrg\n\n`;
  await expect(`${head}${lines.join("\n")}\n`).toMatchFileSnapshot("key-roles.snapshot.txt");
});

// On a busy machine, a limit that both keys share accepts some requests of each, which does not tell them apart.
const sharedLimit = ["key-role-unclear", "limit-unclear"];

// One assignment for each relation between the keys. Runs that end before the first check are covered above.
test.concurrent.each<[Assignment, untouched: string | string[], shared: string]>([
  [["primary", "same organization", "other organization"], "pass", "pass"],
  [["primary", "same organization", "missing"], "no-other-org-key", "pass"],
  [["primary", "same organization", "invalid"], "key-refused", "pass"],
  [["primary", "missing", "other organization"], "pass", "no-same-org-key"],
  [["primary", "missing", "same organization"], sharedLimit, "no-same-org-key"],
  [["primary", "other organization", "missing"], "no-other-org-key", "key-lists-differ"],
])("nor does a rate limit for each organization: %j", async (assignment, untouched, shared) => {
  // A low rate: each run must exceed it on a busy machine, beside the others.
  const own = await startService({ products: 60, rate: 4, burst: 100 });
  try {
    const run = await runWith(own, assignment, [
      "limits.per-organization",
      "service.organization-scope/by-id",
    ]);
    expect(violations(run)).toEqual([]);
    const checks = run.requirements.flatMap((requirement) => requirement.checks);
    const outcomeOf = (id: string) => {
      const check = checks.find((one) => one.id === `limits.per-organization/${id}`);
      return check?.verdict === "inconclusive" ? check.findings[0]?.code : check?.verdict;
    };
    expect([untouched].flat()).toContain(outcomeOf("other-untouched"));
    expect(outcomeOf("keys-share")).toBe(shared);
  } finally {
    await own.stop();
  }
});
