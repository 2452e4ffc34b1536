import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type AcceptanceRow, acceptRows, clusterSettings, type Expectation } from "./row.ts";

// Runs on a real cluster with k6-operator, which KUBECONFIG names. SHELFCHECK_CLUSTER_TARGET is the base URL of a correct
// service that this machine and the pods reach, SHELFCHECK_API_KEY its key, SHELFCHECK_CATEGORIES categories with products.

const { key, target, categories, kubeconfig } = clusterSettings;
const pathOf = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));

type Kubectl = (args: readonly string[], input?: string) => Promise<string>;

/** Runs kubectl. @throws Error with what it printed. */
const kubectl: Kubectl = async (args, input = "") => {
  const child = spawn("kubectl", args, { env: { ...process.env, KUBECONFIG: kubeconfig }, stdio: "pipe" });
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  if (child.exitCode === 0) return output;
  throw new Error(`kubectl ${args.join(" ")}: ${errors}`);
};

/** Waits until a command of kubectl prints something that fits. */
async function until(run: Kubectl, args: readonly string[], expected: RegExp): Promise<string> {
  for (let tries = 0; tries < 120; tries += 1) {
    const output = await run(args).catch(() => "");
    if (expected.test(output)) return output;
    await sleep(250);
  }
  throw new Error(`kubectl ${args.join(" ")} never printed ${expected}`);
}

interface ClusterTrial {
  readonly name: string;
  /** Flags of `load --manifests`. */
  readonly flags: readonly string[];
  readonly expect: Expectation;
  /** The key in the secret. Default: the right one */
  readonly secret?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** What happens once the pods run. `group` is the process group of the script. */
  readonly act?: (inside: Kubectl, group: number) => Promise<void>;
}

/** Writes the manifests, and runs ci/kubernetes.sh on them in a namespace of its own. Expects that nothing is left. */
function rowOf({ name, flags, expect, secret = key, labels, act }: ClusterTrial): AcceptanceRow {
  return {
    target: name,
    command: `ci/kubernetes.sh ${flags.join(" ")}`,
    expect: { seconds: 120, ...expect },
    needs: ["cluster"],
    keys: { primary: key },
    run: async (place) => {
      const namespace = `shelfcheck-acceptance-${randomBytes(4).toString("hex")}`;
      const inside: Kubectl = (args, input) => kubectl([...args, "--namespace", namespace], input);
      const create = (kind: string, rest: object) =>
        inside(["create", "--filename", "-"], JSON.stringify({ apiVersion: "v1", kind, ...rest }));
      await using cleanup = new AsyncDisposableStack();
      await create("Namespace", { metadata: { name: namespace, labels } });
      cleanup.defer(async () => void (await kubectl(["delete", "namespace", namespace, "--wait=false"])));
      await create("Secret", { metadata: { name: "shelfcheck" }, stringData: { "api-key": secret } });
      // Pods are refused until the namespace has its account.
      await until(inside, ["get", "serviceaccounts", "--output", "name"], /default/);

      await place.configure({ baseUrl: target, categories: categories.split(",") });
      const written = await place.start(["load", "--manifests", "m", ...flags]).outcome;
      const child = spawn("sh", [pathOf("ci/kubernetes.sh"), written.stdout.trim(), namespace], {
        cwd: place.cwd,
        env: { ...process.env, KUBECONFIG: kubeconfig },
        detached: true,
      });
      const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
      if (act !== undefined) {
        await until(inside, ["get", "pods", "--selector", "runner=true"], /Running/);
        await sleep(5000);
        await act(inside, child.pid ?? 0);
      }
      const [stdout, stderr, [exit]] = await ended;
      const ours = ["--selector", "app.kubernetes.io/managed-by=shelfcheck", "--output", "name"];
      const left = await inside(["get", "testruns.k6.io,configmaps", ...ours]);
      const wrong = left.split("\n").flatMap((one) => (one === "" ? [] : [`left: ${one}`]));
      return { ...written, exit: exit as number, stdout, stderr, wrong };
    },
  };
}

const passed = { exit: [0], says: /passed (Lookup|Batch|Mixed|Paging)/ } as const;
/** Long enough to be met in the middle. */
const long = ["--shards", "2", "--profile", "average", "--rate", "20", "--duration", "25s"] as const;

const trials: readonly ClusterTrial[] = [
  { name: "4 pods", flags: ["--scenario", "paging", "--shards", "4"], expect: passed },
  {
    name: "a namespace that enforces restricted",
    flags: ["--shards", "2"],
    labels: { "pod-security.kubernetes.io/enforce": "restricted" },
    expect: passed,
  },
  {
    name: "another key in the secret",
    flags: [],
    secret: "wrong-key-0123456789",
    expect: { exit: [3], says: /rejected/ },
  },
  {
    name: "a pod is deleted in the middle",
    flags: long,
    expect: { exit: [3], says: /The result of the pod with segment .* is missing/ },
    act: async (inside) => {
      const pods = await inside(["get", "pods", "--selector", "runner=true", "--output", "name"]);
      await inside(["delete", pods.split("\n")[0] ?? "", "--wait=false"]);
    },
  },
  {
    name: "Ctrl-C in the middle",
    flags: long,
    expect: { exit: [130] },
    act: async (_, group) => {
      process.kill(-group, "SIGINT");
    },
  },
];

acceptRows(trials.map(rowOf));
