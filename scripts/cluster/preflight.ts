import { CannotRunError } from "../errors.ts";
import { failed, type Kubectl } from "./kubectl.ts";
import { createSecret, type ManifestRequest, secret, secretEntries } from "./manifests.ts";

/** What the operator of a cluster can do. */
export interface Operator {
  /** Whether it can run pods without inspecting the script first, since 1.3.0. */
  readonly skipsInspection: boolean;
}

/**
 * Checks what a run needs, before any load is sent. What the user may not ask is taken as there: whatever is missing shows
 * when the pods start.
 *
 * @throws CannotRunError when the namespace, the operator, the secret or a permission is missing.
 */
export async function requireCluster(
  kubectl: Kubectl,
  request: Pick<ManifestRequest, "connection" | "plan">,
  progress: (line: string) => void,
): Promise<Operator> {
  await requireNamespace(kubectl);
  const operator = await requireOperator(kubectl);
  await requireSecret(kubectl, request, progress);
  await requirePermissions(kubectl);
  return operator;
}

async function requireNamespace({ ask, namespace }: Kubectl): Promise<void> {
  const answer = await ask("get", "namespace", namespace, "--output", "name");
  if (answer.ok || answer.refusal !== "not-found") return;
  throw new CannotRunError({
    what: `There is no namespace ${namespace}`,
    where: "the cluster of the current context",
    fix: "Name another one (--namespace), or create it: kubectl create namespace NAME.",
  });
}

/** Asks for the TestRun, since its definition may be asked for only by those who may read the whole cluster. */
async function requireOperator(kubectl: Kubectl): Promise<Operator> {
  const field = "testruns.spec.initializer.disabled";
  const answer = await kubectl.ask("explain", field, "--api-version", "k6.io/v1alpha1");
  if (answer.ok) return { skipsInspection: true };
  const known = await kubectl.ask("get", "testruns.k6.io", "--output", "name", "--request-timeout=20s");
  if (known.ok || known.refusal === "not-allowed") return { skipsInspection: false };
  if (known.refusal === "no-such-kind") {
    throw new CannotRunError({
      what: "The cluster has no k6-operator",
      where: known.said,
      fix: "Install k6-operator, or select another context: kubectl config use-context NAME.",
    });
  }
  throw new CannotRunError({
    what: "The cluster does not respond",
    where: known.said,
    fix: "Check the context: kubectl config current-context; kubectl cluster-info.",
  });
}

/** Reads only the names of the entries: the values never leave the cluster. */
async function requireSecret(
  kubectl: Kubectl,
  request: Pick<ManifestRequest, "connection" | "plan">,
  progress: (line: string) => void,
): Promise<void> {
  const { namespace } = kubectl;
  const answer = await kubectl.ask(
    ...["get", "secret", secret.name, "--ignore-not-found"],
    ...["--output", "go-template={{.metadata.name}}{{range $name, $value := .data}} {{$name}}{{end}}"],
  );
  if (!answer.ok && answer.refusal === "not-allowed") {
    progress(`kubernetes: the secret ${secret.name} may not be read, so its entries are not checked`);
    return;
  }
  if (!answer.ok) throw failed(["get", "secret"], answer.said, namespace);
  const [exists, ...present] = answer.text.trim().split(" ");
  const missing = secretEntries(request).find((entry) => !present.includes(entry));
  if (missing === undefined) return;
  throw new CannotRunError({
    what: exists ? `The secret ${secret.name} has no entry ${missing}` : `There is no secret ${secret.name}`,
    where: `namespace ${namespace}`,
    fix: `Create it, with the key from standard input: ${createSecret({ ...request, namespace })}`,
  });
}

interface RoleRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** The rules of the Role that suffices for a run, in its namespace. docs/cluster.md shows it. */
export const leastRole: readonly RoleRule[] = [
  { apiGroups: ["k6.io"], resources: ["testruns"], verbs: ["create", "get", "list", "delete"] },
  { apiGroups: [""], resources: ["configmaps"], verbs: ["create", "get", "list", "delete"] },
  { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] },
  { apiGroups: [""], resources: ["pods/log"], verbs: ["get"] },
  { apiGroups: [""], resources: ["events"], verbs: ["list"] },
  { apiGroups: ["batch"], resources: ["jobs"], verbs: ["list"] },
  { apiGroups: [""], resources: ["secrets"], resourceNames: [secret.name], verbs: ["get"] },
];

/** What a run cannot do without. Without the logs, nothing of the load that was sent could be measured. */
const needed = [
  ["create", "testruns.k6.io"],
  ["delete", "testruns.k6.io"],
  ["get", "testruns.k6.io"],
  ["list", "pods"],
  ["get", "pods", "--subresource=log"],
] as const;

async function requirePermissions(kubectl: Kubectl): Promise<void> {
  for (const [verb, resource, ...part] of needed) {
    const answer = await kubectl.ask("auth", "can-i", verb, resource, ...part);
    if (answer.ok || answer.text.trim() !== "no") continue;
    throw new CannotRunError({
      what: `You may not ${verb} ${resource}${part.length === 0 ? "" : "/log"}`,
      where: `namespace ${kubectl.namespace}`,
      fix: "Ask for the Role in docs/cluster.md. No load was sent.",
    });
  }
}
