import { expect, test } from "vitest";
import type { Finding } from "../../../schemas/contracts/finding.ts";
import type { Results } from "../../../schemas/contracts/results.ts";
import { runVerdictLabels, type Verdict } from "../../../schemas/contracts/verdicts.ts";
import { exampleRequirement, exampleResults } from "../../../test/support/samples/example.ts";
import { requireNamedTarget, resolveSettings, type TargetFlags } from "../../config/settings.ts";
import { reportOf } from "../../core/added.ts";
import { UsageError } from "../../errors.ts";
import type { Report } from "../../report/model.ts";
import { plainStyle } from "../../report/terminal.ts";
import { writeConsole } from "../../report/writers/console.ts";
import { writeMarkdown } from "../../report/writers/markdown.ts";

// The end of a run for every kind of target, in CI or not, complete or partial, and with every outcome. Nobody must mistake
// a service that was not judged, or the built-in one, for a service that passed.

const targets = {
  "no target": {},
  "embedded, named": { target: "embedded" },
  "a service of one's own": { baseUrl: "https://catalog.example/v1" },
} as const satisfies Record<string, TargetFlags>;

const requirement = (id: string, verdict: Verdict) => exampleRequirement({ id, verdict });

/** Findings of a run, by the expected outcome. */
const outcomes = {
  conformant: { requirements: [requirement("a", "pass"), requirement("b", "warn")] },
  "not conformant": { requirements: [requirement("a", "pass"), requirement("b", "fail")] },
  incomplete: { requirements: [requirement("a", "pass"), requirement("b", "inconclusive")] },
  "nothing judged": { requirements: [requirement("a", "notApplicable")] },
  error: {
    requirements: [requirement("a", "pass")],
    problem: { what: "The target stopped responding", where: "https://catalog.example/v1", fix: "Start it." },
  },
} as const satisfies Record<string, Partial<Results<Finding>>>;

/** The end of one run; `refused` if it does not begin. */
async function cellOf(
  target: keyof typeof targets,
  ci: boolean,
  part: boolean,
  outcome: keyof typeof outcomes,
): Promise<{ name: string; refused?: string; report?: Report; results?: Results }> {
  const name = [target, ci ? "CI" : "no CI", part ? "--only" : "full", outcome].join(" | ");
  const env = { SHELFCHECK_API_KEY: "a-key-of-ours", ...(ci ? { CI: "true" } : {}) };
  const settings = await resolveSettings(targets[target], { env, cwd: import.meta.dirname });
  try {
    requireNamedTarget(settings, env);
  } catch (error) {
    if (error instanceof UsageError) return { name, refused: error.what };
    throw error;
  }
  const { choice } = settings;
  const builtIn = { name: "embedded", baseUrl: "http://127.0.0.1:1/v1", builtIn: true } as const;
  const results = exampleResults({
    command: "conformance",
    target: { keyFingerprint: "none", ...(choice.kind === "embedded" ? builtIn : choice.target) },
    ...outcomes[outcome],
    ...(part ? { scope: { requirements: 2, of: 74, checks: 5, ofChecks: 250 } } : {}),
  });
  return { name, report: reportOf(results), results };
}

const cells = await Promise.all(
  (Object.keys(targets) as (keyof typeof targets)[]).flatMap((target) =>
    [false, true].flatMap((ci) =>
      [false, true].flatMap((part) =>
        (Object.keys(outcomes) as (keyof typeof outcomes)[]).map((one) => cellOf(target, ci, part, one)),
      ),
    ),
  ),
);
const style = plainStyle();
const consoleOf = (report: Report) => writeConsole(report, { style });

test("headline, exit code and cause of every case", async () => {
  const lines = cells.flatMap((cell) => {
    const { name, refused, report } = cell;
    if (report === undefined) return [name, `  exit 2: ${refused}`];
    const { exitCode, why, notes } = report.headline;
    const [headline = ""] = consoleOf(report).split("\n");
    return [name, `  ${headline}`, `  exit ${exitCode}: ${why}`, ...notes.map((note) => `  ${note}`)];
  });
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("green.snapshot.txt");
});

test("every case says whether it is partial, and each that passes what was judged, how much, and on which target", () => {
  for (const { report, name, results } of cells) {
    if (report === undefined || results === undefined) continue;
    const { target, scope, exitCode } = results;
    for (const text of [consoleOf(report), writeMarkdown(report)]) {
      expect(text.toLowerCase().includes(runVerdictLabels.partial), name).toBe(scope !== undefined);
      if (exitCode !== 0) continue;
      expect(text, name).toContain(target.name);
      expect(text, name).toMatch(/\d+ (of \d+ )?requirements? (passed|judged)/);
      expect(text.includes("Your own service was not tested."), name).toBe(target.builtIn === true);
      expect(text.includes("2 of 74 requirements"), name).toBe(scope !== undefined);
    }
  }
});
