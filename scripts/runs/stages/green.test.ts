import { expect, test } from "vitest";
import { redactionFor } from "../../../conformance/client/redaction.ts";
import type { Results } from "../../../schemas/contracts/results.ts";
import { runVerdictLabels } from "../../../schemas/contracts/verdicts.ts";
import { exampleRequirement } from "../../../test/support/samples/example.ts";
import { requireNamedTarget, resolveSettings, type TargetFlags } from "../../config/settings.ts";
import { reportOf } from "../../core/report-of.ts";
import { UsageError } from "../../errors.ts";
import type { Report } from "../../report/model.ts";
import { plainStyle } from "../../report/terminal.ts";
import { writeConsole } from "../../report/writers/console.ts";
import { writeMarkdown } from "../../report/writers/markdown.ts";
import { assembleResults, emptyRun, type RunState } from "../assemble.ts";

// The end of a run for every kind of target, in CI or not, complete or partial, and with every outcome. Nobody must mistake
// a service that was not judged, or the built-in one, for a service that passed.

const targets = {
  "no target": {},
  "embedded, named": { target: "embedded" },
  "a service of one's own": { baseUrl: "https://catalog.example/v1" },
} as const satisfies Record<string, TargetFlags>;

const requirement = (id: string, verdict: RunState["requirements"][number]["verdict"]) =>
  exampleRequirement({ id, verdict });

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
} as const satisfies Record<string, Partial<RunState>>;

type Cell =
  | { readonly name: string; readonly refused: UsageError }
  | {
      readonly name: string;
      readonly refused?: undefined;
      readonly report: Report;
      readonly results: Results;
    };

async function cellOf(
  target: keyof typeof targets,
  ci: boolean,
  part: boolean,
  outcome: keyof typeof outcomes,
): Promise<Cell> {
  const name = [target, ci ? "CI" : "no CI", part ? "--only" : "full", outcome].join(" | ");
  const env = { SHELFCHECK_API_KEY: "a-key-of-ours", ...(ci ? { CI: "true" } : {}) };
  const settings = await resolveSettings(targets[target], { env, cwd: import.meta.dirname });
  try {
    requireNamedTarget(settings, env);
  } catch (error) {
    if (error instanceof UsageError) return { name, refused: error };
    throw error;
  }
  const { choice } = settings;
  const builtIn = choice.kind === "embedded";
  const embedded = {
    name: "embedded",
    baseUrl: "http://127.0.0.1:1/v1",
    keys: {},
    categories: [],
    fieldNames: {},
  };
  const state: RunState = {
    ...emptyRun(),
    ...structuredClone(outcomes[outcome] as Partial<RunState>),
    ...(part ? { scope: { requirements: 2, of: 74, checks: 5, ofChecks: 250 } } : {}),
  };
  const results = assembleResults(
    {
      command: "conformance",
      target: choice.kind === "remote" ? choice.target : { ...embedded, timeoutMilliseconds: 1 },
      builtIn,
      startedAt: new Date(0),
      finishedAt: new Date(1),
      interrupted: false,
      environment: { host: "four cores", node: "26.10.0" },
      redaction: redactionFor({ keys: {} }),
    },
    state,
  );
  return { name, report: reportOf(results), results };
}

async function allCells(): Promise<Cell[]> {
  const cells: Cell[] = [];
  for (const target of Object.keys(targets) as (keyof typeof targets)[])
    for (const ci of [false, true])
      for (const part of [false, true])
        for (const outcome of Object.keys(outcomes) as (keyof typeof outcomes)[])
          cells.push(await cellOf(target, ci, part, outcome));
  return cells;
}

const cells = await allCells();
const style = plainStyle();
const consoleOf = (report: Report) => writeConsole(report, { style });

test("headline, exit code and cause of every case", async () => {
  const lines = cells.flatMap((cell) => {
    if (cell.refused !== undefined) return [cell.name, `  exit 2: ${cell.refused.what}`];
    const { exitCode, why, notes } = cell.report.headline;
    const [headline = ""] = consoleOf(cell.report).split("\n");
    return [cell.name, `  ${headline}`, `  exit ${exitCode}: ${why}`, ...notes.map((note) => `  ${note}`)];
  });
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("green.snapshot.txt");
});

test("every case says whether it is partial, and each that passes what was judged, how much, and on which target", () => {
  for (const cell of cells) {
    if (cell.refused !== undefined) continue;
    const { report, name, results } = cell;
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
