import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";

// In real shells: what counts is what they offer after TAB.

const cwd = await mkdtemp(join(tmpdir(), "shelfcheck-completion-"));
afterAll(() => rm(cwd, { recursive: true }));
const entry = fileURLToPath(new URL("../entry.ts", import.meta.url));
const run = promisify(execFile);

/** What bash offers after a line, which ends where TAB is pressed. */
async function offered(line: string): Promise<string[]> {
  const words = line.split(" ");
  const script = `
    # Of the package bash-completion, which the script needs, in short.
    _get_comp_words_by_ref() {
      words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
    }
    shelfcheck() { "${process.execPath}" "${entry}" "$@"; }
    source <(shelfcheck completion bash)
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")})
    COMP_CWORD=${words.length - 1} COMP_LINE='${line}' COMP_POINT=${line.length}
    $(complete -p shelfcheck | sed -E 's/.*-F ([^ ]+).*/\\1/') shelfcheck '${words.at(-1)}' '${words.at(-2)}'
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run("bash", ["-c", script], { cwd });
  return stdout.split("\n").flatMap((text) => text.split("\t")[0]?.trim() || []);
}

describe.concurrent("bash offers", () => {
  test.for([
    ["shelfcheck gat", ["gate"]],
    ["shelfcheck gate --prof", ["--profile"]],
    ["shelfcheck load --scenario rate", ["rate-limit"]],
    ["shelfcheck conformance --only errors.retry-aft", ["errors.retry-after"]],
    ["shelfcheck serve --fault null-fi", ["null-field"]],
    ["shelfcheck init --ci git", ["github", "gitlab"]],
  ] as const)("after %s", async ([line, names], { expect }) => {
    expect(await offered(line)).toEqual(expect.arrayContaining([...names]));
  });

  test("labels and names of runs", async ({ expect }) => {
    const name = "2026-11-21T08-57-10-123Z-gate.before-a1b2c3";
    await mkdir(join(cwd, "reports", name), { recursive: true });
    await writeFile(join(cwd, "reports", name, "results.json"), "{}");
    expect(await offered("shelfcheck report be")).toEqual(["before"]);
    expect(await offered("shelfcheck report 2026")).toEqual([name]);
  });
});

test.each(["zsh", "fish", "powershell"])("there is a script for %s", async (shell) => {
  const { stdout } = await run(process.execPath, [entry, "completion", shell], { cwd });
  expect(stdout).toMatch(/shelfcheck complete '?--/);
});
