import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";

/** What the cluster part needs: KUBECONFIG, a target that pods and this machine reach, its key and categories. */
export const clusterSettings = {
  kubeconfig: process.env.KUBECONFIG ?? "",
  target: process.env.SHELFCHECK_CLUSTER_TARGET ?? "",
  key: process.env.SHELFCHECK_API_KEY ?? "",
  categories: process.env.SHELFCHECK_CATEGORIES ?? "",
};

/** A namespace of its own for one row, with the secret. */
export interface RowNamespace extends AsyncDisposable {
  readonly name: string;
  readonly env: NodeJS.ProcessEnv;
  kubectl(args: readonly string[], input?: string): Promise<string>;
  /** The objects of runs that are still there. */
  leavings(): Promise<string[]>;
  /** Waits until a command of kubectl prints something that fits. */
  until(args: readonly string[], expected: RegExp): Promise<string>;
}

export interface NamespaceOptions {
  /** Default: none */
  readonly labels?: Readonly<Record<string, string>>;
  /** The key in the secret, or undefined for no secret. */
  readonly key: string | undefined;
}

/** Runs kubectl. @throws Error with what it printed. */
async function kubectlWith(env: NodeJS.ProcessEnv, args: readonly string[], input = ""): Promise<string> {
  const child = spawn("kubectl", args, { env: { ...process.env, ...env }, stdio: "pipe" });
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  await once(child, "close");
  if (child.exitCode === 0) return output;
  throw new Error(`kubectl ${args.join(" ")}: ${errors}`);
}

export async function openNamespace({ labels, key }: NamespaceOptions): Promise<RowNamespace> {
  const name = `shelfcheck-acceptance-${randomBytes(4).toString("hex")}`;
  const env = { KUBECONFIG: clusterSettings.kubeconfig };
  const kubectl = (args: readonly string[], input?: string) =>
    kubectlWith(env, [...args, "--namespace", name], input);
  const create = (object: object) => kubectl(["create", "--filename", "-"], JSON.stringify(object));
  await create({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels } });
  if (key !== undefined) {
    await create({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "shelfcheck" },
      stringData: { "api-key": key },
    });
  }
  // Pods are refused until the namespace has its account.
  await until(["get", "serviceaccounts", "--output", "name"], /default/);

  async function until(args: readonly string[], expected: RegExp): Promise<string> {
    for (let tries = 0; tries < 120; tries += 1) {
      const output = await kubectl(args).catch(() => "");
      if (expected.test(output)) return output;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    throw new Error(`kubectl ${args.join(" ")} never printed ${expected}`);
  }

  return {
    name,
    env,
    kubectl,
    until,
    async leavings() {
      const ours = ["--selector", "app.kubernetes.io/managed-by=shelfcheck", "--output", "name"];
      const output = await kubectl(["get", "testruns.k6.io,configmaps", ...ours]);
      return output.split("\n").filter((line) => line !== "");
    },
    async [Symbol.asyncDispose]() {
      await kubectlWith(env, ["delete", "namespace", name, "--wait=false"]).catch(() => undefined);
    },
  };
}
