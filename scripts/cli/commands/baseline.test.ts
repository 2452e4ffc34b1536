import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { runHere } from "../../../test/support/command.ts";
import { driftRules } from "../../runs/compare/drift-rules.ts";

test("baseline rules prints each rule with its rank and reason", async () => {
  const { exitCode, stdout } = await runHere(["baseline", "rules", "--json"], { cwd: tmpdir() });
  expect({ exitCode, rules: JSON.parse(stdout) }).toEqual({ exitCode: 0, rules: driftRules });
  const text = await runHere(["baseline", "rules"], { cwd: tmpdir() });
  for (const rule of Object.keys(driftRules)) expect(text.stdout).toContain(`\n  ${rule}\n`);
});
