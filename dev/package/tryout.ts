import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import packageJson from "../../package.json" with { type: "json" };
import { commandNames } from "../../scripts/cli/main.ts";
import { type Installation, installNode, run, start } from "./command-line.ts";

// `npm run test:package`: the tarball of `npm pack` in empty projects, with each documented Node. It takes
// minutes and needs the package registry, so it is not part of the self-tests.

/** Everything is tried on the first, the oldest. */
const nodes = ["24", "26"] as const;
const tooOld = "18";
/** Limits for everything that an installation brings. */
const mostPackages = 40;
const mostMegabytes = 15;
const reportFiles = ["junit.xml", "report.html", "results.json", "summary.md"];
/** Modules that bundle sources. The package contains the bundles and never loads these modules. */
const onlyInCheckout = ["scripts/load/bundle/from-sources.js", "scripts/report/writers/bundle-page.js"];
const root = fileURLToPath(new URL("../..", import.meta.url));
const say = (line: string) => process.stdout.write(`${line}\n`);

const consumer = `import { type AnyResults, type Config, defineConfig, judge, type Profile, type Results } from "shelfcheck";

export const config: Config = defineConfig({ targets: { staging: { baseUrl: "https://a.example/v1" } } });
export const exitCodeOf = (results: Results): number => results.exitCode;
export const verdictOf = (results: AnyResults): string => results.verdict;
export type Stages = Profile["stages"];
export const judged: Promise<Results> = judge({ target: "embedded" }, { only: ["versioning"] });
// @ts-expect-error An unknown setting is a mistake.
defineConfig({ tragets: {} });
`;

const folder = await mkdtemp(join(tmpdir(), "shelfcheck-package-"));
try {
  await run("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: root, path: [] });
  const tarball = join(folder, `${packageJson.name}-${packageJson.version}.tgz`);
  say(`tarball: ${Math.round((await stat(tarball)).size / 1000)} kB`);
  sameNames(await importedPackages(join(root, "dist")), Object.keys(packageJson.dependencies).toSorted());
  const [oldestNode, ...others] = nodes;
  const onOldest = async () => {
    const oldest = await tryOn(oldestNode, tarball);
    await weighInstalled(oldest);
    await tryTheRest(oldest);
  };
  // They wait for the registry and for each other's processes rather than for the processor.
  const tried = others.map((version) => tryOn(version, tarball));
  await Promise.all([onOldest(), ...tried, refusedByOldNode(tarball)]);
  say("package: all checks passed");
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Checks that the dependencies are exactly the packages that a run imports. */
function sameNames(imported: readonly string[], listed: readonly string[]): void {
  if (imported.join() === listed.join()) return;
  throw new Error(
    `package.json lists other dependencies than a run imports.\nlisted:   ${listed}\nimported: ${imported}`,
  );
}

/** Sorted names of the packages that a folder's JavaScript imports, without Node's own modules. */
async function importedPackages(dist: string): Promise<string[]> {
  const files = (await readdir(dist, { recursive: true })).filter(
    (file) => file.endsWith(".js") && !file.startsWith("bundles/") && !onlyInCheckout.includes(file),
  );
  const texts = await Promise.all(files.map((file) => readFile(join(dist, file), "utf8")));
  return [...new Set(texts.flatMap(packagesIn))].toSorted();
}

// As the compiler writes them: `from "…"` at the end of a line, `import "…"`, or `import("…")` anywhere.
function packagesIn(text: string): string[] {
  const forms = /^(?:import|export|\}).* from "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)/gm;
  return [...text.matchAll(forms)].flatMap(([, from, effect, dynamic]) => {
    const specifier = from ?? effect ?? dynamic ?? "";
    if (specifier.startsWith(".") || specifier.startsWith("node:")) return [];
    const [scope = "", name] = specifier.split("/");
    return [scope.startsWith("@") ? `${scope}/${name}` : scope];
  });
}

async function projectFor(version: string): Promise<Installation> {
  const nodeFolder = join(folder, `node-${version}`);
  await mkdir(nodeFolder);
  const bin = await installNode(version, nodeFolder);
  const cwd = join(folder, `project-${version}`);
  await mkdir(cwd);
  return { cwd, path: [bin] };
}

async function tryOn(version: string, tarball: string): Promise<Installation> {
  const place = await projectFor(version);
  const shelfcheck = (...args: string[]) => run("npx", ["--no-install", "shelfcheck", ...args], place);
  const node = await run("node", ["--version"], place);
  await run("npm", ["install", "--no-audit", "--no-fund", tarball], place);
  say(`Node ${node.stdout.trim()}: installed`);
  await shelfcheck("init");
  await shelfcheck("gate", "--target", "embedded");
  const reports = await readdir(join(place.cwd, "reports/latest"));
  const missing = reportFiles.filter((file) => !reports.includes(file));
  if (missing.length > 0) throw new Error(`The gate did not write ${missing}, in ${place.cwd}`);
  await conformanceOfServed(place);
  say(`Node ${node.stdout.trim()}: init, gate, serve, conformance and manifests for it`);
  return place;
}

/** Checks what the package weighs with all that it depends on. */
async function weighInstalled({ cwd }: Installation): Promise<void> {
  const record = await readFile(join(cwd, "node_modules/.package-lock.json"), "utf8");
  const { length } = Object.keys(JSON.parse(record).packages);
  const files = await readdir(join(cwd, "node_modules"), { recursive: true, withFileTypes: true });
  const sizes = files.filter((one) => one.isFile()).map((one) => stat(join(one.parentPath, one.name)));
  const megabytes = (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0) / 1e6;
  say(`${length} packages, ${megabytes.toFixed(2)} MB`);
  if (length > mostPackages || megabytes > mostMegabytes)
    throw new Error(`The package brings more than ${mostPackages} packages or ${mostMegabytes} MB.`);
}

/** What does not depend on the Node version: every command finds its modules, and the types are right. */
async function tryTheRest(place: Installation): Promise<void> {
  const shelfcheck = (...args: string[]) => run("node", ["node_modules/.bin/shelfcheck", ...args], place);
  for (const command of commandNames) await shelfcheck(command, "--help");
  await shelfcheck("proof", "--only", "null-field");
  await shelfcheck("report", "latest");
  await writeFile(join(place.cwd, "consumer.mts"), consumer);
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const flags = ["--ignoreConfig", "--noEmit", "--strict", "--module", "nodenext"];
  await run("node", [compiler, ...flags, "consumer.mts", "shelfcheck.config.ts"], place);
  const program = `import { judge } from "shelfcheck";
    const { exitCode } = await judge({ target: "embedded" }, { only: ["versioning"] });
    process.exitCode = exitCode;`;
  await run("node", ["--input-type=module", "--eval", program], place);
  await actionOf(place);
  await clientOf(place);
  say(
    `also: help of ${commandNames.length} commands, proof, report, types, the action's steps, the client of docs/clients.md`,
  );
}

/** Tries the client that the documents show, and the line that runs it. */
async function clientOf({ cwd, path }: Installation): Promise<void> {
  const page = await readFile(join(cwd, "node_modules/shelfcheck/docs/clients.md"), "utf8");
  const [, program] = /^```js\n(.*?)^```$/ms.exec(page) ?? [];
  const [, line] = /^(npx shelfcheck client -- .*)$/m.exec(page) ?? [];
  if (program === undefined || line === undefined) throw new Error("docs/clients.md has no client");
  await writeFile(join(cwd, "my-client.mjs"), program);
  await run("bash", ["-c", line], { cwd, path });
  const results = JSON.parse(await readFile(join(cwd, "reports/latest/results.json"), "utf8"));
  if (results.command !== "client" || results.verdict !== "conformant")
    throw new Error(`The client of docs/clients.md is ${results.verdict}`);
}

/** Runs the action's own steps like the workflow of `docs/ci.md`. */
async function actionOf({ cwd, path }: Installation): Promise<void> {
  const output = join(cwd, "github-output");
  const summary = join(cwd, "github-summary");
  const inputs = {
    TARGET: "embedded",
    BASE_URL: "",
    CATEGORIES: "",
    ARGS: "--only=versioning",
    OUT: "reports",
  };
  const env = {
    GITHUB_OUTPUT: output,
    GITHUB_STEP_SUMMARY: summary,
    ...Object.fromEntries(Object.entries(inputs).map(([name, value]) => [`ACTION_${name}`, value])),
    ACTION_COMMAND: "conformance",
    ACTION_REPORTS: join(cwd, "reports/latest"),
  };
  for (const step of ["prepare", "run", "summary"]) {
    await run("bash", [`node_modules/shelfcheck/ci/github/${step}.sh`], { cwd, path, env });
  }
  if (!(await readFile(output, "utf8")).includes("\nexit-code=0\n"))
    throw new Error(`No exit code in ${output}`);
  if ((await stat(summary)).size === 0) throw new Error(`No summary in ${summary}`);
}

async function conformanceOfServed(place: Installation): Promise<void> {
  const { child, ended } = start("node", ["node_modules/.bin/shelfcheck", "serve"], place);
  try {
    const [line] = await Promise.race([once(child.stdout, "data"), ended.then(({ output }) => [output])]);
    const { base_url, keys, categories } = JSON.parse(String(line));
    const env = {
      SHELFCHECK_BASE_URL: base_url,
      // The name in the config that `init` wrote.
      STAGING_API_KEY: keys.primary,
      SHELFCHECK_SAME_ORG_API_KEY: keys.same_org,
      SHELFCHECK_OTHER_ORG_API_KEY: keys.other_org,
      SHELFCHECK_CATEGORIES: categories.join(","),
    };
    await run("npx", ["--no-install", "shelfcheck", "conformance"], { ...place, env });
    // The bundles that the gate did not use. Manifests are enough: on a busy machine such a run could be
    // invalid. The address reaches the same service; 127.0.0.1 would be rejected, because a cluster cannot
    // reach it.
    const reachable = String(base_url).replace("127.0.0.1", "0.0.0.0");
    for (const scenario of ["mixed", "rate-limit"]) {
      const manifests = ["load", "--scenario", scenario, "--manifests", "cluster", "--base-url", reachable];
      await run("npx", ["--no-install", "shelfcheck", ...manifests], { ...place, env });
    }
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
}

async function refusedByOldNode(tarball: string): Promise<void> {
  const place = await projectFor(tooOld);
  // npm only warns that the Node version does not match.
  await run("npm", ["install", "--no-audit", "--no-fund", tarball], place);
  const { output } = await run("node", ["node_modules/.bin/shelfcheck", "gate"], place, 3);
  if (!output.includes("needs Node 24 or newer"))
    throw new Error(`Node ${tooOld} prints another message:\n${output}`);
  const judged = ["--input-type=module", "--eval", 'import { judge } from "shelfcheck"; await judge({});'];
  const { output: thrown } = await run("node", judged, place, 1);
  if (!thrown.includes("shelfcheck needs Node 24 or newer"))
    throw new Error(`judge on Node ${tooOld} throws another error:\n${thrown}`);
  say(`Node ${tooOld}: says that it is too old`);
}
