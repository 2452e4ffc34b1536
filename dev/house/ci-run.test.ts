import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runProgram } from "../../test/support/command.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";

const folder = await temporaryFolder("ci");

// All programs are fakes: npm logs its arguments and ends with the exit code that the test sets.
const npm = `#!/bin/sh
echo "npm $*" >>"$FAKE_LOG"
case "$*" in
  test) printf '\\033[2m      Tests \\033[22m %s (1500)\\n' "$FAKE_TESTS"; exit "$FAKE_TEST_EXIT" ;;
  "run demo") exit "$FAKE_DEMO_EXIT" ;;
  "run -s test:package") exit "$FAKE_PACKAGE_EXIT" ;;
  "run -s proof") exit "$FAKE_PROOF_EXIT" ;;
esac
`;

await mkdir(join(folder, ".ci"));
await mkdir(join(folder, "bin"));
await cp(fileURLToPath(new URL("../../.ci/run", import.meta.url)), join(folder, ".ci/run"));
const fakes = { npm, chromium: "#!/bin/sh\n", prometheus: "#!/bin/sh\n", shellcheck: "#!/bin/sh\n" };
for (const [name, text] of Object.entries(fakes))
  await writeFile(join(folder, "bin", name), text, { mode: 0o755 });

async function runCi(ends: NodeJS.ProcessEnv) {
  await rm(join(folder, "log"), { force: true });
  const { exitCode, stdout } = await runProgram("bash", [join(folder, ".ci/run")], {
    env: {
      PATH: [join(folder, "bin"), process.env.PATH ?? ""].join(delimiter),
      FAKE_LOG: join(folder, "log"),
      FAKE_TESTS: "1500 passed",
      FAKE_TEST_EXIT: "0",
      FAKE_DEMO_EXIT: "0",
      FAKE_PACKAGE_EXIT: "0",
      FAKE_PROOF_EXIT: "0",
      ...ends,
    },
  });
  const commands = (await readFile(join(folder, "log"), "utf8")).trim().split("\n");
  return { exitCode, last: stdout.trim().split("\n").at(-1), commands };
}

test("runs the demo, the tests, the package test and the proof, and prints the number of tests", async () => {
  expect(await runCi({ FAKE_TESTS: "1500 passed | 2 skipped" })).toEqual({
    exitCode: 0,
    last: "1500 passed, 0 failed, 2 skipped",
    commands: [
      "npm ci",
      "npm run demo",
      "npm ci",
      "npm test",
      "npm run -s test:package",
      "npm run -s acceptance -- --tags-filter ci",
      "npm run -s proof",
    ],
  });
});

test.each([
  [
    "tests that fail",
    { FAKE_TEST_EXIT: "1", FAKE_TESTS: "3 failed | 9 passed" },
    "9 passed, 3 failed, 0 skipped",
  ],
  [
    "a check before the tests that fails",
    { FAKE_TEST_EXIT: "1", FAKE_TESTS: "" },
    "0 passed, 1 failed, 0 skipped",
  ],
  ["a package that does not work", { FAKE_PACKAGE_EXIT: "1" }, "1500 passed, 1 failed, 0 skipped"],
  ["a fault that is missed", { FAKE_PROOF_EXIT: "1" }, "1500 passed, 1 failed, 0 skipped"],
])("%s: counted and not green", async (_name, fakes, last) => {
  expect(await runCi(fakes)).toMatchObject({ exitCode: 1, last });
});

test("ends with the exit code of a failed demo", async () => {
  expect(await runCi({ FAKE_DEMO_EXIT: "4" })).toMatchObject({
    exitCode: 4,
    commands: ["npm ci", "npm run demo"],
  });
});
