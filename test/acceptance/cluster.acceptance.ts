import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Results } from "../../schemas/contracts/results.ts";
import { leastRole } from "../../scripts/cluster/preflight.ts";
import { acceptRows } from "./accept.ts";
import {
  clusterSettings,
  type NamespaceOptions,
  openNamespace,
  type RowNamespace,
} from "./cluster-namespace.ts";
import type { CommandOutcome, RowPlace, RunningCommand } from "./place.ts";
import type { AcceptanceRow, Expectation } from "./row.ts";

// Runs on a real cluster with k6-operator, which KUBECONFIG names. SHELFCHECK_CLUSTER_TARGET is the base URL of a correct
// service that this machine and the pods reach, SHELFCHECK_API_KEY its key, SHELFCHECK_CATEGORIES categories with products.

const { key, target, categories } = clusterSettings;

interface ClusterTrial {
  readonly name: string;
  readonly argv: readonly string[];
  readonly expect: Expectation;
  readonly namespace?: Partial<NamespaceOptions>;
  /** Default: runs the command with `--namespace`, and expects that nothing is left. */
  readonly run?: (at: At) => Promise<CommandOutcome>;
}

interface At {
  readonly place: RowPlace;
  readonly namespace: RowNamespace;
  /** Starts the command of the trial. */
  readonly start: (argv?: readonly string[], env?: NodeJS.ProcessEnv) => RunningCommand;
}

function rowOf({
  name,
  argv,
  expect,
  namespace,
  run = (at) => at.start().outcome,
}: ClusterTrial): AcceptanceRow {
  return {
    target: name,
    command: argv.join(" "),
    expect: { seconds: 120, ...expect },
    needs: ["cluster"],
    keys: { primary: key },
    run: async (place) => {
      await using own = await openNamespace({ key, ...namespace });
      await place.configure({ baseUrl: target, categories: categories.split(",") });
      const start: At["start"] = (other = argv, env = {}) =>
        place.start(withNamespace(other, own.name), { env: { ...own.env, ...env } });
      const outcome = await run({ place, namespace: own, start });
      const left = await own.leavings();
      return { ...outcome, wrong: [...(outcome.wrong ?? []), ...left.map((one) => `left: ${one}`)] };
    },
  };
}

/** A gate takes its namespace from the config. */
function withNamespace(argv: readonly string[], namespace: string): string[] {
  return argv[0] === "load" && !argv.includes("--collect") ? [...argv, "--namespace", namespace] : [...argv];
}

const kubernetes = (...argv: string[]) => ["load", "--kubernetes", ...argv];
const passed = { exit: [0] } as const;
/** Long enough to be met in the middle. */
const long = ["--profile", "average", "--rate", "20", "--duration", "25s"] as const;
const waitForStart = (command: RunningCommand) =>
  waitFor(() => command.output().includes("kubernetes: started"));

async function waitFor(isThere: () => boolean): Promise<void> {
  for (let tries = 0; tries < 480 && !isThere(); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

const matrix: readonly ClusterTrial[] = (
  [
    ["lookup", 1],
    ["lookup", 4],
    ["batch", 2],
    ["mixed", 4],
    ["paging", 4],
  ] as const
).map(([scenario, pods]) => ({
  name: `${pods} pods`,
  argv: kubernetes("--scenario", scenario, "--shards", String(pods)),
  expect: passed,
}));

const refused: readonly ClusterTrial[] = [
  {
    name: "rate-limit by two pods",
    argv: kubernetes("--scenario", "rate-limit", "--shards", "2"),
    expect: { exit: [2], says: /cannot be shared among pods/ },
  },
  { name: "arguments of k6", argv: kubernetes("--k6-arg=--no-such-flag"), expect: { exit: [2] } },
];

const quota = (hard: Readonly<Record<string, string>>) => ({
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name: "compute" },
  spec: { hard },
});
const bounded = { objects: [quota({ "limits.cpu": "8", "limits.memory": "16Gi" })] };

const namespaces: readonly ClusterTrial[] = [
  {
    name: "a namespace that enforces restricted",
    argv: kubernetes("--shards", "2"),
    namespace: { labels: { "pod-security.kubernetes.io/enforce": "restricted" } },
    expect: passed,
  },
  {
    name: "a quota that demands limits",
    argv: kubernetes("--shards", "2"),
    namespace: bounded,
    expect: { exit: [3], says: /A quota of the namespace refuses .*must specify limits.cpu/, seconds: 150 },
  },
  {
    name: "a quota whose limits are given",
    argv: kubernetes("--shards", "2", "--pod-cpu", "1"),
    namespace: bounded,
    expect: passed,
  },
  {
    name: "a quota with room for one of two pods",
    argv: kubernetes("--shards", "2", "--pod-cpu", "1"),
    namespace: { objects: [quota({ "limits.cpu": "1500m", "limits.memory": "16Gi" })] },
    expect: { exit: [3], says: /exceeded quota/, seconds: 150 },
  },
  {
    name: "no secret",
    argv: kubernetes(),
    namespace: { key: undefined },
    expect: { exit: [3], says: /There is no secret[\s\S]*--namespace shelfcheck-acceptance-/ },
  },
  {
    name: "a key with a line break",
    argv: kubernetes(),
    namespace: { key: `${key}\n` },
    expect: passed,
  },
  {
    name: "another key in the secret",
    argv: kubernetes(),
    namespace: { key: "wrong-key-0123456789" },
    expect: { exit: [3], finds: ["key-rejected-before-load"] },
  },
];

const patched = (name: string, patch: object, says: RegExp): ClusterTrial => ({
  name,
  argv: kubernetes("--patch", "patch.yaml"),
  expect: { exit: [3], says, seconds: 150 },
  run: async ({ place, start }) => {
    await writeFile(join(place.cwd, "patch.yaml"), JSON.stringify(patch));
    return await start().outcome;
  },
});

const pods: readonly ClusterTrial[] = [
  patched(
    "an image that cannot be pulled",
    { spec: { runner: { image: "registry.invalid/nopull:1" } } },
    /An image cannot be pulled.*registry\.invalid\/nopull:1/,
  ),
  patched(
    "no node that fits",
    { spec: { runner: { nodeSelector: { shelfcheck: "nowhere" } } } },
    /No node has room for a pod/,
  ),
  {
    name: "a pod is deleted in the middle",
    argv: kubernetes("--shards", "2", ...long),
    expect: { exit: [3], finds: ["pod-result-missing"] },
    run: async ({ namespace, start }) => {
      const command = start();
      await waitForStart(command);
      const [first = ""] = (
        await namespace.kubectl(["get", "pods", "--selector", "runner=true", "--output", "name"])
      ).split("\n");
      await namespace.kubectl(["delete", first, "--wait=false"]);
      return await command.outcome;
    },
  },
  {
    name: "the TestRun is deleted in the middle",
    argv: kubernetes(...long),
    expect: { exit: [3], says: /was deleted while it ran/ },
    run: async ({ namespace, start }) => {
      const command = start();
      await waitForStart(command);
      await namespace.kubectl(["delete", "testruns.k6.io", "--all", "--wait=false"]);
      return await command.outcome;
    },
  },
];

const users: readonly ClusterTrial[] = [
  {
    name: "a user with the role of the documents",
    argv: kubernetes("--shards", "2"),
    expect: passed,
    run: async ({ place, namespace, start }) =>
      await start(kubernetes("--shards", "2"), await namespace.userWith(place, leastRole)).outcome,
  },
  {
    name: "a user who may not read logs",
    argv: kubernetes(),
    expect: { exit: [3], says: /You may not get pods\/log[\s\S]*No load was sent/ },
    run: async ({ place, namespace, start }) => {
      const rules = leastRole.filter(({ resources }) => !resources.includes("pods/log"));
      return await start(kubernetes(), await namespace.userWith(place, rules)).outcome;
    },
  },
];

const interruptions: readonly ClusterTrial[] = [
  {
    name: "Ctrl-C in the middle keeps what was measured",
    argv: kubernetes("--shards", "2", ...long),
    expect: { exit: [130] },
    run: async ({ place, start }) => {
      const command = start();
      await waitForStart(command);
      await new Promise((resolve) => setTimeout(resolve, 6000));
      command.child.kill("SIGINT");
      const outcome = await command.outcome;
      const results = await readFile(join(place.cwd, "reports/latest/results.json"), "utf8");
      const { load } = JSON.parse(results) as Results;
      const measured = load[0]?.metrics.http_reqs?.count ?? 0;
      return { ...outcome, wrong: measured > 0 ? [] : ["nothing was kept"] };
    },
  },
  ...[0, 100, 1500].map(
    (milliseconds): ClusterTrial => ({
      name: `Ctrl-C, and again after ${milliseconds} ms`,
      argv: kubernetes("--shards", "2", ...long),
      expect: { exit: [130] },
      run: async ({ namespace, start }) => {
        const command = start();
        await waitForStart(command);
        command.child.kill("SIGINT");
        await new Promise((resolve) => setTimeout(resolve, milliseconds));
        command.child.kill("SIGINT");
        const outcome = await command.outcome;
        await waitForNothing(namespace);
        // The deletion outlives the command for a moment, as it should.
        return { ...outcome, orphans: [] };
      },
    }),
  ),
];

async function waitForNothing(namespace: RowNamespace): Promise<void> {
  for (let tries = 0; tries < 60 && (await namespace.leavings()).length > 0; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** Runs the commands that `load --manifests` prints, literally, but for the name of the program. */
async function byHand({ place, namespace, start }: At): Promise<{
  readonly outcome: CommandOutcome;
  readonly logs: string;
}> {
  const written = await start(["load", "--manifests", "manifests", "--shards", "2"]).outcome;
  const commands = written.stderr.split("\n").filter((line) => line.startsWith("  kubectl "));
  const [create = "", wait = "", collect = "", remove = ""] = commands;
  const shell = (command: string) =>
    promisify(execFile)("sh", ["-c", command], {
      cwd: place.cwd,
      env: { ...process.env, ...namespace.env },
      maxBuffer: 1e8,
    });
  await shell(create);
  await shell(wait);
  const [read = "", collecting = ""] = collect.split(/ \| (?:npx shelfcheck|node \S+) /);
  const logs = join(place.cwd, "pods.txt");
  await writeFile(logs, (await shell(read)).stdout);
  const outcome = await start(collecting.replace("--collect -", `--collect ${logs}`).trim().split(" "))
    .outcome;
  await shell(remove);
  return { outcome, logs };
}

const hand: readonly ClusterTrial[] = [
  {
    name: "by hand, as load --manifests prints it",
    argv: ["load", "--manifests"],
    expect: { exit: [0], says: /passed Lookup/ },
    run: async (at) => (await byHand(at)).outcome,
  },
  {
    name: "by hand, with the logs of an earlier run",
    argv: ["load", "--collect"],
    expect: { exit: [3], finds: ["pod-not-as-planned"] },
    run: async (at) => {
      const { logs } = await byHand(at);
      await at.start(["load", "--manifests", "manifests", "--shards", "2", "--seed", "2"]).outcome;
      return await at.start(["load", "--collect", logs, "--plan", "manifests/lookup.yaml"]).outcome;
    },
  },
];

const gates: readonly ClusterTrial[] = [
  {
    name: "the gate of the documents",
    argv: ["gate", "--only", "page.count"],
    // Whether the service has everything that a gate judges is not known here.
    expect: {
      exit: [0, 4],
      says: /3 load runs passed[\s\S]*kubernetes: TestRun shelfcheck-batch/,
      seconds: 170,
    },
    run: async ({ place, namespace, start }) => {
      const [file = ""] = (await readdir(place.cwd)).filter((one) => one.endsWith(".mjs"));
      const path = join(place.cwd, file);
      const config = await readFile(path, "utf8");
      const gate = JSON.stringify({
        scenarios: ["lookup", "paging", "batch"],
        kubernetes: { namespace: namespace.name, pods: 4 },
      });
      await writeFile(path, config.replace('"gate":{', `"gate":{${gate.slice(1, -1)},`));
      return await start().outcome;
    },
  },
];

acceptRows(
  [...matrix, ...refused, ...namespaces, ...pods, ...users, ...interruptions, ...hand, ...gates].map(rowOf),
);
