import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { startService } from "../../service/start.ts";
import { runHere } from "../../test/support/command.ts";
import { standInKubectl } from "../../test/support/stand-in-kubectl.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { relaxedProfiles } from "../../test/support/workspace.ts";

// docs/cluster.md, command by command, with a kubectl that plays the cluster.

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = await readFile(join(root, "docs/cluster.md"), "utf8");
const script = await readFile(join(root, "ci/kubernetes.sh"), "utf8");
const commands = [...page.matchAll(/^ {4,}((?:npx|kubectl|sh) .*)$/gm)].map(([, command = ""]) => command);

/** The one command of the page that contains a text. */
function commandWith(text: string): string {
  const found = commands.filter((command) => command.includes(text));
  if (found.length !== 1) throw new Error(`${found.length} commands with ${text}`);
  return found[0] ?? "";
}

const cwd = await temporaryFolder("cluster-page");

// A machine with the target and profile of the page.
const service = await startService({ products: 60, rate: 1000, burst: 1000 });
afterAll(() => service.stop());
const ended = ["Succeeded", "Succeeded", "Failed", "Failed"] as const;
const { env: withKubectl, calls } = await standInKubectl(cwd, { looks: [ended] });
const env = { ...withKubectl, SHELFCHECK_API_KEY: service.keys.primary };
const staging = {
  // No loopback address to the command, as that of a target in a cluster.
  baseUrl: service.baseUrl.replace("127.0.0.1", "0.0.0.0"),
  categories: service.categories,
};
const profiles = { ...relaxedProfiles, stress: relaxedProfiles.smoke };
const config = JSON.stringify({ targets: { staging }, defaultTarget: "staging", profiles });
await writeFile(join(cwd, "shelfcheck.config.mjs"), `export default ${config};`);

const shell = async (command: string) =>
  (await promisify(execFile)("sh", ["-c", command], { cwd, env, maxBuffer: 1e8 })).stdout;

test("the script that the page runs has at most 60 lines", () => {
  expect(script.trimEnd().split("\n").length).toBeLessThanOrEqual(60);
});

test("the Role and its binding belong together, and allow what the script does", () => {
  const [, yaml = ""] = /^```yaml\n(.*?)^```$/ms.exec(page) ?? [];
  const [role, binding] = parseAllDocuments(yaml).map((document) => document.toJS());
  expect(binding.roleRef.name).toBe(role.metadata.name);
  const rules: { resources: string[]; verbs: string[] }[] = role.rules;
  const verbsOf = (resource: string) => rules.find(({ resources }) => resources.includes(resource))?.verbs;
  for (const resource of ["testruns", "configmaps"])
    expect(verbsOf(resource)).toEqual(expect.arrayContaining(["create", "list", "delete"]));
  expect(verbsOf("pods")).toEqual(["get", "list"]);
  expect(verbsOf("pods/log")).toEqual(["get"]);
  expect(verbsOf("events")).toEqual(["list"]);
});

test("the command for the secret takes the key from standard input, in the namespace of the runs", async () => {
  expect(await shell(`printf key | ${commandWith("create secret")}`)).toBe("created\n");
  expect((await calls()).at(-1)).toContain("--namespace perf");
});

test("a run: the commands that are printed are those of the page, and pass", async () => {
  const argv = commandWith("--manifests").replace("npx shelfcheck ", "").split(" ");
  const { exitCode, stderr } = await runHere(argv, { cwd, env });
  expect(exitCode, stderr).toBe(0);
  const printed = stderr.split("\n").flatMap((line) => (line.startsWith("  ") ? line.slice(2) : []));
  const [, path = ""] = /^sh (\S+) /.exec(printed[1] ?? "") ?? [];
  expect(join(cwd, path)).toBe(join(root, "ci/kubernetes.sh"));
  expect(
    printed.map((line) =>
      line.replace(path, "node_modules/shelfcheck/ci/kubernetes.sh").replace("NAMESPACE", "perf"),
    ),
  ).toEqual([commandWith("create secret"), commandWith("kubernetes.sh")]);
  await shell(`sh ${join(root, "ci/kubernetes.sh")} manifests/lookup.json perf`);
  expect((await calls()).at(-1)).toMatch(/^delete testruns.*instance=shelfcheck-lookup-stress-[0-9a-f]{12} /);
});

test("what was left behind is listed by the label that every object has", async () => {
  const [, label = ""] = /--selector (\S+)/.exec(commandWith("kubectl get testruns")) ?? [];
  const manifests = await readFile(join(cwd, "manifests/lookup.json"), "utf8");
  expect(manifests.split(`"${label.replace("=", '": "')}"`)).toHaveLength(3);
});
