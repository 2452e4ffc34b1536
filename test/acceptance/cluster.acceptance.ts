import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { acceptRows } from "./accept.ts";
import {
  clusterSettings,
  type NamespaceOptions,
  openNamespace,
  type RowNamespace,
} from "./cluster-namespace.ts";
import type { CommandOutcome, RowPlace } from "./place.ts";
import type { AcceptanceRow, Expectation } from "./row.ts";

// Runs on a real cluster with k6-operator, which KUBECONFIG names. SHELFCHECK_CLUSTER_TARGET is the base URL of a correct
// service that this machine and the pods reach, SHELFCHECK_API_KEY its key, SHELFCHECK_CATEGORIES categories with products.

const { key, target, categories } = clusterSettings;
const pathOf = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));

interface ClusterTrial {
  readonly name: string;
  /** Flags of `load --manifests`. */
  readonly flags: readonly string[];
  readonly expect: Expectation;
  readonly namespace?: Partial<NamespaceOptions>;
  /** What happens once the pods run. `group` is the process group of the script. */
  readonly act?: (namespace: RowNamespace, group: number) => Promise<void>;
}

/** Writes the manifests, and runs ci/kubernetes.sh on them. Expects that nothing is left. */
function rowOf({ name, flags, expect, namespace, act }: ClusterTrial): AcceptanceRow {
  return {
    target: name,
    command: `ci/kubernetes.sh ${flags.join(" ")}`,
    expect: { seconds: 120, ...expect },
    needs: ["cluster"],
    keys: { primary: key },
    run: async (place) => {
      await using own = await openNamespace({ key, ...namespace });
      await place.configure({ baseUrl: target, categories: categories.split(",") });
      const written = await place.start(["load", "--manifests", "m", ...flags]).outcome;
      const ended = await scriptEnd(place, written.stdout.trim(), own, act);
      const left = await own.leavings();
      return { ...written, ...ended, wrong: left.map((one) => `left: ${one}`) };
    },
  };
}

async function scriptEnd(
  { cwd }: RowPlace,
  manifest: string,
  namespace: RowNamespace,
  act: ClusterTrial["act"],
): Promise<Pick<CommandOutcome, "exit" | "stdout" | "stderr">> {
  const bin = join(cwd, "bin");
  await mkdir(bin);
  const npx = `#!/bin/sh\nshift; exec ${process.execPath} ${pathOf("scripts/cli/entry.ts")} "$@"\n`;
  await writeFile(join(bin, "npx"), npx, { mode: 0o755 });
  const child = spawn("sh", [pathOf("ci/kubernetes.sh"), manifest, namespace.name], {
    cwd,
    env: { ...process.env, ...namespace.env, PATH: `${bin}:${process.env.PATH}` },
    detached: true,
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
    });
  const closed = once(child, "close");
  if (act !== undefined) {
    await namespace.until(["get", "pods", "--selector", "runner=true"], /Running/);
    await sleep(5000);
    await act(namespace, child.pid ?? 0);
  }
  const [exit] = (await closed) as [number];
  return { exit, ...output };
}

const passed = { exit: [0], says: /passed (Lookup|Batch|Mixed|Paging)/ } as const;
/** Long enough to be met in the middle. */
const long = ["--shards", "2", "--profile", "average", "--rate", "20", "--duration", "25s"] as const;

const trials: readonly ClusterTrial[] = [
  { name: "4 pods", flags: ["--scenario", "paging", "--shards", "4"], expect: passed },
  {
    name: "a namespace that enforces restricted",
    flags: ["--shards", "2"],
    namespace: { labels: { "pod-security.kubernetes.io/enforce": "restricted" } },
    expect: passed,
  },
  {
    name: "another key in the secret",
    flags: [],
    namespace: { key: "wrong-key-0123456789" },
    expect: { exit: [3], says: /rejected/ },
  },
  {
    name: "a pod is deleted in the middle",
    flags: long,
    expect: { exit: [3], says: /The result of the pod with segment .* is missing/ },
    act: async (namespace) => {
      const pods = await namespace.kubectl(["get", "pods", "--selector", "runner=true", "--output", "name"]);
      await namespace.kubectl(["delete", pods.split("\n")[0] ?? "", "--wait=false"]);
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
