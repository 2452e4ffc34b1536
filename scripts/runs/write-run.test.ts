import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { redactionFor } from "../../conformance/client/redaction.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import type { Verdict } from "../../schemas/contracts/verdicts.ts";
import { exampleCheck, exampleRequirement, exampleResults } from "../../test/support/samples/example.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { makeRunFolder, writeResults } from "./write-run.ts";

const key = "canary/key+0123456789=";
const shown = { run: "latest", redaction: redactionFor({ keys: { primary: key } }) };
const out = await temporaryFolder("results");

test("run folders of the same moment are unique, and names sort by time", async () => {
  const early = new Date("2026-01-02T03:04:05.006Z");
  const late = new Date("2026-01-02T03:04:05.106Z");
  const folder = join(out, "names");
  const runs = [
    await makeRunFolder(folder, "load", late),
    await makeRunFolder(folder, "gate", early),
    await makeRunFolder(folder, "gate", early),
  ];
  expect(new Set(runs.map(({ name }) => name)).size).toBe(3);
  expect(runs.map(({ name }) => name).sort()[2]).toBe(runs[0]?.name);
});

test("latest points to the last run, even if it was a folder", async () => {
  const folder = join(out, "latest-test");
  await mkdir(join(folder, "latest"), { recursive: true });
  await writeFile(join(folder, "latest", "results.json"), "old");
  for (const name of ["first", "second", "third"]) {
    const run = await makeRunFolder(folder, "gate", new Date());
    const target = { ...exampleResults().target, name };
    await writeResults(() => exampleResults({ target }), { out: folder, folder: run, ...shown });
    const latest: Results = JSON.parse(await readFile(join(folder, "latest", "results.json"), "utf8"));
    expect(latest.target.name).toBe(name);
  }
  expect((await readdir(folder)).filter((name) => name.startsWith("."))).toEqual([]);
});

test("no form of a key remains in any file of the run", async () => {
  const folder = join(out, "secrets");
  const run = await makeRunFolder(folder, "gate", new Date());
  const forms = [key, encodeURIComponent(key), Buffer.from(key).toString("base64")];
  const bytes = Buffer.concat([Buffer.from([0xff, 0xfe, 0x00]), Buffer.from(forms.join("\n"))]);
  await mkdir(join(run.path, "load"));
  await writeFile(join(run.path, "load", "k6.log"), bytes);
  const requirements = forms.map((form) =>
    exampleRequirement({ checks: [exampleCheck({ says: `the target says ${form}` })] }),
  );
  await writeResults(() => exampleResults({ requirements }), { out: folder, folder: run, ...shown });
  for (const file of ["results.json", "load/k6.log"]) {
    const text = await readFile(join(run.path, file), "latin1");
    for (const form of forms) expect(text).not.toContain(form);
    expect(text).toContain("$SHELFCHECK_API_KEY");
  }
  const log = await readFile(join(run.path, "load/k6.log"));
  expect(log.subarray(0, 3)).toEqual(bytes.subarray(0, 3));
});

test("a full disk loses no verdict, and is reported as such", async () => {
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), {
    code: "ENOSPC",
    syscall: "write",
  });
  const folder = join(out, "full");
  const run = await makeRunFolder(folder, "gate", new Date());
  const write = () => Promise.reject(full);
  const options = { out: folder, folder: run, ...shown, write };
  const written = (verdict: Verdict) => {
    const requirements = [exampleRequirement({ verdict })];
    return writeResults((problem) => exampleResults({ requirements, problem }), options);
  };
  const passed = await written("pass");
  expect(passed).toMatchObject({ verdict: "error", exitCode: 3, cause: "problem" });
  expect(passed.problem?.what).toBe(
    "The results could not be written completely: no space left on the device",
  );
  const failed = await written("fail");
  expect(failed).toMatchObject({ exitCode: 1, verdict: "violations" });
  expect(await readdir(run.path)).not.toContain("results.json");
});
