import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { parse } from "yaml";
import { startService } from "../../service/start.ts";
import { runHere } from "../../test/support/command.ts";
import { standInKubectl } from "../../test/support/stand-in-kubectl.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { relaxedProfiles } from "../../test/support/workspace.ts";
import { leastRole } from "./preflight.ts";

// docs/cluster.md, command by command, with a kubectl that plays the cluster.

const page = await readFile(join(import.meta.dirname, "../../docs/cluster.md"), "utf8");
const commands = [...page.matchAll(/^ {4}((?:npx|kubectl) .*)$/gm)].map(([, command = ""]) => command);
const [role = ""] = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, yaml = ""]) => yaml);

/** The one command of the page that contains a text. */
function commandWith(text: string): string {
  const found = commands.filter((command) => command.includes(text));
  if (found.length !== 1) throw new Error(`${found.length} commands with ${text}`);
  return found[0] ?? "";
}

const argumentsOf = (command: string) => command.replace("npx shelfcheck ", "").split(" ");

const cwd = await temporaryFolder("cluster-page");

// A machine with the target, profile and gate of the page.
const service = await startService({ products: 60, rate: 1000, burst: 1000 });
afterAll(() => service.stop());
const {
  env: withKubectl,
  calls,
  created,
} = await standInKubectl(cwd, {
  name: "played",
  log: "played",
  looks: [{ stage: "finished" }],
});
const env = { ...withKubectl, SHELFCHECK_API_KEY: service.keys.primary };
const staging = {
  // No loopback address to the command, as that of a target in a cluster.
  baseUrl: service.baseUrl.replace("127.0.0.1", "0.0.0.0"),
  categories: service.categories,
};
const config = JSON.stringify({
  targets: { staging },
  defaultTarget: "staging",
  profiles: { ...relaxedProfiles, stress: relaxedProfiles.smoke },
});
const [, gate] = /^ {4}gate: (.*)$/m.exec(page) ?? [];
await writeFile(join(cwd, "shelfcheck.config.mjs"), `export default {...${config}, gate: ${gate}};`);

const run = (...argv: string[]) => runHere(argv, { cwd, env });

const shell = async (command: string) =>
  (await promisify(execFile)("sh", ["-c", command], { cwd, env, maxBuffer: 1e8 })).stdout;

test("the Role is the one that suffices", () => {
  expect(parse(role)).toMatchObject({ kind: "Role", rules: leastRole });
});

test("the command for the secret takes the key from standard input, in the namespace of the runs", async () => {
  expect(await shell(`printf key | ${commandWith("create secret")}`)).toBe("created\n");
  expect((await calls()).at(-1)).toContain("--namespace perf");
});

test("the number of pods is planned", async () => {
  const { exitCode, stdout } = await run(...argumentsOf(commandWith("--plan-pods")));
  expect(stdout).toMatch(/^1 pod with 1\.7 CPU/);
  expect(exitCode).toBe(0);
});

test("a run in one command passes, and leaves nothing", async () => {
  const { exitCode, stdout, stderr } = await run(...argumentsOf(commandWith("--kubernetes")));
  expect(exitCode, stderr).toBe(0);
  expect(stdout).toContain("Lookup (stress)");
  expect((await calls()).at(-1)).toMatch(/^delete testruns\.k6\.io\/shelfcheck-lookup-stress-/);
});

test("a gate sends its load by four pods, and none of its loads needs more", async () => {
  const loads = ["lookup", "paging", "batch"].flatMap((one) => ["--scenario", one]);
  const { exitCode, stderr } = await run("gate", "--only", "page.count", ...loads);
  expect(exitCode, stderr).toBe(0);
  expect(await created()).toContain("parallelism: 4");
});

test("a run by hand: the commands that are printed are those of the page, and pass", async () => {
  const written = await run(...argumentsOf(commandWith("--manifests")));
  expect(written.exitCode, written.stderr).toBe(0);
  const printed = written.stderr.split("\n").flatMap((line) => (line.startsWith("  ") ? line.slice(2) : []));
  const name = /testrun\/(\S+)/.exec(written.stderr)?.[1] ?? "";
  const seconds = /--timeout=\d+s/;
  expect(printed.map((line) => line.replaceAll(name, "NAME").replace(seconds, ""))).toEqual(
    ["create -f", "wait testrun", "logs -l", "delete testruns"].map((text) =>
      commandWith(text).replace(seconds, ""),
    ),
  );
  const [create = "", wait = "", read = "", remove = ""] = printed;
  await shell(create);
  await shell(wait);
  const [logs = "", collect = ""] = read.split(" | ");
  await writeFile(join(cwd, "pods.log"), await shell(logs));
  const { exitCode, stdout } = await run(
    ...argumentsOf(collect.replace("--collect -", "--collect pods.log")),
  );
  expect(stdout).toContain("passed Lookup (stress)");
  expect(exitCode).toBe(0);
  await shell(remove);
  expect((await calls()).at(-1)).toContain(`app.kubernetes.io/instance=${name}`);
});

test("what was left behind is listed by the label that every object has", async () => {
  const [, label = ""] = /--selector (\S+)/.exec(commandWith("kubectl get testruns")) ?? [];
  expect(label).toBe("app.kubernetes.io/managed-by=shelfcheck");
  expect((await created()).split(label.replace("=", ": "))).toHaveLength(3);
});
