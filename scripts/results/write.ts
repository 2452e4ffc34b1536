import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Redaction } from "../../conformance/redaction.ts";
import type { Results } from "../../schemas/types.ts";
import { pointLatest, type RunFolder } from "./folder.ts";
import { redactFolder, redactValue } from "./redact.ts";
import { resultsMistakes } from "./validate.ts";

/**
 * Writes `results.json` into the run's folder and points `latest` at it; no key leaves in either.
 *
 * @returns What was written. When it does not fit its own schema, that is our mistake: it is written all the
 *   same, with verdict `error`, exit code 3 and the problem named.
 */
export async function writeResults(
  results: Results,
  { out, folder, redaction }: { out: string; folder: RunFolder; redaction: Redaction },
): Promise<Results> {
  const clean = redactValue(results, redaction);
  const mistakes = resultsMistakes(clean);
  const written = mistakes.length === 0 ? clean : broken(clean, mistakes);
  await redactFolder(folder.path, redaction);
  await writeFile(join(folder.path, "results.json"), `${JSON.stringify(written, null, 2)}\n`);
  await pointLatest(out, folder);
  return written;
}

function broken(results: Results, mistakes: readonly string[]): Results {
  return {
    ...results,
    verdict: "error",
    exitCode: 3,
    problem: {
      what: "shelfcheck made results that do not fit their schema",
      where: mistakes.slice(0, 3).join("; "),
      mend: "This is a mistake of shelfcheck, not of the target: please report it with results.json.",
    },
  };
}
