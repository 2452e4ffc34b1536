import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { redactionFor } from "../../conformance/client/redaction.ts";
import type { AnyResults } from "../../schemas/contracts/results.ts";
import { makeRunFolder, writeResults } from "../../scripts/runs/write-run.ts";
import { runHere } from "./command.ts";

/** A folder with a finished run in `reports`; `run` runs the command line there, in this process. */
export async function finishedRun(results: AnyResults) {
  const { path: cwd, remove } = await mkdtempDisposable(join(tmpdir(), "shelfcheck-finished-"));
  const out = join(cwd, "reports");
  const folder = await makeRunFolder(out, results.command, new Date(0));
  await writeResults(() => results, { out, folder, run: folder.name, redaction: redactionFor({ keys: {} }) });
  return {
    cwd,
    name: folder.name,
    run: (argv: readonly string[], env: NodeJS.ProcessEnv = {}) =>
      runHere(argv, { cwd, env, now: () => new Date(0) }),
    [Symbol.asyncDispose]: remove,
  };
}
