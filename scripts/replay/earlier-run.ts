import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { CheckResult, Results } from "../../schemas/types.ts";
import { didYouMean } from "../config/did-you-mean.ts";
import { UsageError } from "../errors.ts";
import { resultsMistakes } from "../results/validate.ts";

/** Most runs to name to someone who asked for one that is not there. */
const shownRuns = 5;

/**
 * The results of an earlier run: its folder below the reports folder, or `latest`.
 * @throws UsageError when there is none of that name, naming the newest, or when it cannot be read.
 */
export async function readRun(out: string, run: string): Promise<Results> {
  const file = resolve(out, run, "results.json");
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw new UsageError(
      { what: "There is no such run", where: file, mend: await runsThere(out) },
      { cause: error },
    );
  }
  const results: unknown = parse(text, file);
  const [mistake] = resultsMistakes(results);
  if (mistake === undefined) return results as Results;
  throw new UsageError({
    what: `The results do not fit their schema (${mistake})`,
    where: file,
    mend: "They may come from another version of shelfcheck: make the run again.",
  });
}

/** What a run said about a check, or about each check of a requirement. */
export interface Said {
  readonly id: string;
  readonly checks: readonly [CheckResult, ...CheckResult[]];
}

/**
 * What a run said of a requirement or a check: of a requirement, the checks that did not pass, or all when none.
 * @throws UsageError when the run did not judge it, naming the nearest.
 */
export function saidOf(results: Results, id: string): Said {
  const all = results.requirements.flatMap(({ checks }) => checks);
  const ofRequirement = results.requirements.find((one) => one.id === id)?.checks ?? [];
  const matching = ofRequirement.length > 0 ? ofRequirement : all.filter((check) => check.id === id);
  const notPassed = matching.filter(({ verdict }) => verdict !== "pass" && verdict !== "notApplicable");
  const [first, ...rest] = notPassed.length > 0 ? notPassed : matching;
  if (first !== undefined) return { id, checks: [first, ...rest] };
  throw new UsageError({
    what: "The run judged no requirement or check of this name",
    where: `replay ${id}`,
    mend:
      all.length === 0
        ? `It was a run of ${results.command} and judged none: name a run of conformance or gate.`
        : didYouMean(id, [...results.requirements.map((one) => one.id), ...all.map((one) => one.id)]),
  });
}

async function runsThere(out: string): Promise<string> {
  const entries = await readdir(out, { withFileTypes: true }).catch(() => []);
  const runs = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const finished = runs.filter((name) => existsSync(join(out, name, "results.json")));
  if (finished.length === 0)
    return "There is none in that folder yet: run conformance first, or name another with --out.";
  return `The newest are: ${finished.sort().slice(-shownRuns).join(", ")}.`;
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(
      {
        what: "The results are no JSON",
        where: file,
        mend: "The run was cut off while writing: make it again.",
      },
      { cause: error },
    );
  }
}
