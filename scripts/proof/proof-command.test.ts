import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { main } from "../cli/main.ts";
import type { ProofReport } from "./proof-report.ts";

const out = await temporaryFolder("proof");

/** @param interrupt Whether the command is interrupted when it prints the number of trials. */
async function proof(folder: string, argv: readonly string[], interrupt = false) {
  const interruption = new AbortController();
  let stdout = "";
  let stderr = "";
  const exitCode = await main(["proof", "--out", join(out, folder), ...argv], {
    env: {},
    cwd: tmpdir(),
    stdout: { write: (text) => (stdout += text) },
    stderr: {
      write: (text) => {
        stderr += text;
        if (interrupt) interruption.abort();
      },
    },
    nodeVersion: process.versions.node,
    now: () => new Date(0),
    signal: interruption.signal,
  });
  return { exitCode, stdout, stderr };
}

test("an interruption ends it, and the trials so far are written, exit 130", async () => {
  const { exitCode } = await proof("cut", ["--only", "slow"], true);
  expect(exitCode).toBe(130);
  const [folder = ""] = await readdir(join(out, "cut"));
  const report: ProofReport = JSON.parse(await readFile(join(out, "cut", folder, "proof.json"), "utf8"));
  expect(report).toMatchObject({ exitCode: 130, planned: 1, trials: [] });
});

test.each([
  [["--only", "limit-ignord"], "Did you mean limit-ignored?"],
  [["--only", "long-cursors", "--faults"], "cannot be used with"],
  [["--only", "price-string+long-cursors"], "There is no fault or variant with this name"],
  [["--update", "--seed", "3"], "The snapshot has only the seed 1: --update --seed 3"],
  [["--seed", "one"], "whole number"],
  [["--seed", "3-1"], "range"],
])("%s is refused with the reason, exit 2", async (argv, expected) => {
  const { exitCode, stderr } = await proof("wrong", argv);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(expected) });
});
