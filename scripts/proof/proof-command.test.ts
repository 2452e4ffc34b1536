import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runHere } from "../../test/support/command.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import type { Proof } from "./proof-report.ts";

const out = await temporaryFolder("proof");

test("an interruption ends it, and the trials so far are written, exit 130", async () => {
  const stop = new AbortController();
  const { exitCode } = await runHere(["proof", "--out", "cut", "--only", "slow"], {
    ...{ cwd: out, signal: stop.signal },
    // It prints the number of trials.
    onErrorLine: () => stop.abort(),
  });
  expect(exitCode).toBe(130);
  const [folder = ""] = await readdir(join(out, "cut"));
  const report: Proof = JSON.parse(await readFile(join(out, "cut", folder, "proof.json"), "utf8"));
  expect(report).toMatchObject({ exitCode: 130, planned: 1, trials: [] });
});

test.each([[["--only", "limit-ignord"], "Did you mean limit-ignored?"]])(
  "%s is refused with the reason, exit 2",
  async (argv, expected) => {
    const { exitCode, stderr } = await runHere(["proof", ...argv], { cwd: out });
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(expected) });
  },
);
