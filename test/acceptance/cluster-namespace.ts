import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RowPlace } from "./place.ts";

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
  /** The environment of a user who has only this role. */
  userWith(place: RowPlace, rules: readonly object[]): Promise<NodeJS.ProcessEnv>;
}

export interface NamespaceOptions {
  /** Default: none */
  readonly labels?: Readonly<Record<string, string>>;
  /** Further objects, without their namespace. Default: none */
  readonly objects?: readonly object[];
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

export async function openNamespace({ labels, objects = [], key }: NamespaceOptions): Promise<RowNamespace> {
  const name = `shelfcheck-acceptance-${randomBytes(4).toString("hex")}`;
  const env = { KUBECONFIG: clusterSettings.kubeconfig };
  const kubectl = (args: readonly string[], input?: string) =>
    kubectlWith(env, [...args, "--namespace", name], input);
  const create = (object: object) => kubectl(["create", "--filename", "-"], JSON.stringify(object));
  await create({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels } });
  for (const object of objects) await create(object);
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
    async userWith(place, rules) {
      const at = { metadata: { name: "qa" } };
      await create({ apiVersion: "v1", kind: "ServiceAccount", ...at });
      await create({ apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", ...at, rules });
      await kubectl(["create", "rolebinding", "qa", "--role=qa", `--serviceaccount=${name}:qa`]);
      const token = (await kubectl(["create", "token", "qa"])).trim();
      const whole = ["config", "view", "--raw", "--minify", "--flatten", "--output", "json"];
      const config = JSON.parse(await kubectl(whole)) as {
        clusters: readonly { readonly name: string }[];
      };
      const file = join(place.cwd, "kubeconfig.json");
      const context = { cluster: config.clusters[0]?.name, user: "qa", namespace: name };
      await writeFile(
        file,
        JSON.stringify({
          apiVersion: "v1",
          kind: "Config",
          clusters: config.clusters,
          users: [{ name: "qa", user: { token } }],
          contexts: [{ name: "qa", context }],
          "current-context": "qa",
        }),
        { mode: 0o600 },
      );
      return { KUBECONFIG: file };
    },
    async [Symbol.asyncDispose]() {
      await kubectlWith(env, ["delete", "namespace", name, "--wait=false"]).catch(() => undefined);
    },
  };
}
