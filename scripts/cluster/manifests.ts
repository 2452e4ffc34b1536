import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { longestSeconds, plannedVirtualUsers } from "../../scenarios/lib/options.ts";
import type { LoadFixtures } from "../../schemas/contracts/load-fixtures.ts";
import { isObject } from "../../schemas/json.ts";
import { keyVariables } from "../../schemas/redaction.ts";
import { grouped } from "../../schemas/words/format.ts";
import { UsageError } from "../errors.ts";
import { makeFolder } from "../files.ts";
import { bundleScenario } from "../load/bundle/bundle.ts";
import type { K6Variable } from "../load/connection-variables.ts";
import { releases } from "../load/k6/version.ts";
import type { LoadPlan } from "../load/plan.ts";
import { type PlannedRun, planAnnotation, plannedRun } from "./planned-run.ts";
import type { PodConnection } from "./pod-connection.ts";
import { podCollector, podResources } from "./pods.ts";

/** A run on a cluster. It has no key: that is in the Secret of the cluster. */
export interface ManifestRequest {
  /** The id of the run. The names of its objects end with it. */
  readonly run: string;
  readonly plan: LoadPlan;
  readonly fixtures: LoadFixtures;
  readonly connection: PodConnection;
  /** A PersistentVolumeClaim with the files, for fixtures that do not fit into a ConfigMap. Default: a ConfigMap */
  readonly volumeClaim?: string | undefined;
  /** Namespace of the commands in messages and comments. Default: that of the current context */
  readonly namespace?: string | undefined;
  /** CPU cores that each pod requests and may use. Default: what the load needs, without a limit */
  readonly podCores?: number | undefined;
  /** Whether a pod inspects the script first. Operators before 1.3.0 always do. Default: only if it can pass */
  readonly inspects?: boolean | undefined;
  /** Merged into the TestRun (JSON Merge Patch, RFC 7386). Default: nothing */
  readonly patch?: object | undefined;
}

/** Name of the Secret, and its entry with the key. */
export const secret = { name: "shelfcheck", key: "api-key", otherOrgKey: "other-org-api-key" };
/** Kubernetes accepts 1 MiB of data in a ConfigMap that is created. `kubectl apply` copies it into an annotation of 256 KiB. */
const mostConfigMapBytes = 2 ** 20;

const k6Image = `grafana/k6:${releases[0].version}`;
// The starter resumes the runners with curl. The default image of the operator has no fixed version, and that of curl has a
// user with a name, which a cluster that demands another user than root cannot check.
const starterImage = "ghcr.io/grafana/k6-operator:starter-v1.6.0";

/** On every object, so that what a run left behind can be listed. */
export const managedBy = { name: "app.kubernetes.io/managed-by", value: "shelfcheck" } as const;
const instanceLabel = "app.kubernetes.io/instance";

/** What the Pod Security Standard `restricted` demands. k6 runs as user 12345 in its image, the starter as 65532. */
const restricted = {
  automountServiceAccountToken: "false",
  securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
  containerSecurityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
} as const;

/** Of the pods that send no load. With limits of CPU, which a quota may demand and which do no harm there. */
const inspectorResources = {
  requests: { cpu: "100m", memory: "256Mi" },
  limits: { cpu: "1", memory: "512Mi" },
};
const starterResources = {
  requests: { cpu: "50m", memory: "16Mi" },
  limits: { cpu: "100m", memory: "200Mi" },
};

/** The name of the run in the cluster. */
export function nameOf({ plan: { scenario, profileName }, run }: ManifestRequest): string {
  return clusterName(`shelfcheck-${scenario}-${profileName}`, run);
}

/** The command that deletes everything of a run. */
export function deletionOf(name: string, namespace?: string): string {
  const labels = `${managedBy.name}=${managedBy.value},${instanceLabel}=${name}`;
  return `kubectl delete testruns.k6.io,configmaps --selector ${labels}${option(namespace)}`;
}

function option(namespace: string | undefined): string {
  return namespace === undefined ? "" : ` --namespace ${namespace}`;
}

/** The manifests as objects: a ConfigMap with the files of the run (unless they are on a volume), and the TestRun. */
export function manifestsFor(request: ManifestRequest, files: Readonly<Record<string, string>>): object[] {
  const { plan, volumeClaim, patch = {}, inspects = mayInspect(plan) } = request;
  const name = nameOf(request);
  const { inEach, inRunners } = variablesOf(request);
  const file = `${plan.scenario}.js`;
  const labels = { [managedBy.name]: managedBy.value, [instanceLabel]: name };
  const testRun = {
    apiVersion: "k6.io/v1alpha1",
    kind: "TestRun",
    metadata: {
      name,
      labels,
      annotations: { [planAnnotation]: JSON.stringify(plannedRun(request, files)) },
    },
    spec: {
      parallelism: plan.shards,
      script:
        volumeClaim === undefined
          ? { configMap: { name, file } }
          : { volumeClaim: { name: volumeClaim, file } },
      arguments: k6Arguments,
      // The initializer only inspects the script, so it gets no keys.
      initializer: inspects
        ? { image: k6Image, env: inEach, resources: inspectorResources, ...restricted }
        : { disabled: true },
      starter: { image: starterImage, resources: starterResources, ...restricted },
      runner: {
        image: k6Image,
        env: [...inEach, ...inRunners],
        resources: podResources(plan, request.podCores),
        ...restricted,
      },
    },
  };
  const patched = mergePatch(testRun, patch) as typeof testRun;
  refuseChanged(testRun, patched);
  if (volumeClaim !== undefined) return [patched];
  const bytes = Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes > mostConfigMapBytes) {
    throw new UsageError({
      what: `Script, profile and fixtures take ${grouped(bytes)} bytes; a ConfigMap holds ${grouped(mostConfigMapBytes)}`,
      where: `ConfigMap ${name}`,
      fix: "Put the files on a volume and name its claim (--volume-claim), or discover fewer products.",
    });
  }
  return [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels }, data: files }, patched];
}

/** Whether the operator's inspection of the script can pass: it refuses more pods than virtual users. */
function mayInspect({ scenario, profile, shards }: LoadPlan): boolean {
  return shards <= plannedVirtualUsers(scenario, profile);
}

/** @throws UsageError when a patch changes what the result of a run depends on. */
function refuseChanged(
  written: { metadata: { name: string }; spec: { parallelism: number } },
  patched: { metadata?: { name?: string }; spec?: { parallelism?: number; cleanup?: string } },
): void {
  const refuse = (what: string, where: string, fix: string) => {
    throw new UsageError({ what, where: `--patch: ${where}`, fix });
  };
  if (patched.spec?.cleanup !== undefined)
    refuse(
      "The operator would delete the pods before their results are read",
      "spec.cleanup",
      "Remove it: load --kubernetes deletes the objects itself.",
    );
  if (patched.spec?.parallelism !== written.spec.parallelism)
    refuse("The number of pods cannot be patched", "spec.parallelism", "Use --shards.");
  if (patched.metadata?.name !== written.metadata.name)
    refuse(
      "The name cannot be patched: it holds the id of the run",
      "metadata.name",
      "Use labels to find the run.",
    );
}

/** The variables of every pod, and those that only the pods that send load need. */
function variablesOf({ run, plan, connection }: ManifestRequest) {
  const inEach: K6Variable[] = [
    { name: "SHELFCHECK_BASE_URL", value: connection.baseUrl },
    { name: "SHELFCHECK_SEED", value: String(plan.seed) },
    { name: "SHELFCHECK_PROFILE_NAME", value: plan.profileName },
    // Makes each pod end its log with its result, for load --collect.
    { name: "SHELFCHECK_RUN_ID", value: run },
    { name: "K6_NO_USAGE_REPORT", value: "true" },
  ];
  const collector = Object.entries(podCollector(plan)).map(([name, value]) => ({ name, value }));
  const keys = [
    { name: keyVariables.primary, value: "", entry: secret.key },
    ...(usesOtherOrg(plan) ? [{ name: keyVariables.otherOrg, value: "", entry: secret.otherOrgKey }] : []),
  ];
  return {
    inEach: inEach.map(manifested),
    inRunners: [...connection.variables, ...collector, ...keys].map(manifested),
  };
}

/** Whether the pods send with the key of another organization too. */
function usesOtherOrg({ scenario }: Pick<LoadPlan, "scenario">): boolean {
  return scenario === "tenants";
}

/** A variable in a manifest: with its value, or with a reference to the secret, which alone holds the value. */
function manifested({ name, value, entry }: K6Variable): object {
  if (entry === undefined) return { name, value };
  return { name, valueFrom: { secretKeyRef: { name: secret.name, key: entry } } };
}

const k6Arguments = [
  // As an argument, because the initializer archives the script without the environment.
  "-e SHELFCHECK_PROFILE=profile.json",
  // Findings of the scripts are read from the logs.
  "--log-format=json",
].join(" ");

/** Merges a patch into a value (RFC 7386): objects are merged by member, null removes, everything else replaces. */
function mergePatch(value: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: Record<string, unknown> = isObject(value) ? { ...value } : {};
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], change);
  }
  return merged;
}

/** A valid name in Kubernetes (lower-case letters, digits, dashes), short enough for the suffixes of the operator. */
function clusterName(text: string, run: string): string {
  const name = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .slice(0, 50 - run.length - 1)
    .replace(/-+$/, "");
  return `${name}-${run}`;
}

/** Names of the entries that the Secret must have. */
export function secretEntries({ connection, plan }: Pick<ManifestRequest, "connection" | "plan">): string[] {
  return [
    ...new Set([
      secret.key,
      ...(usesOtherOrg(plan) ? [secret.otherOrgKey] : []),
      ...connection.variables.flatMap(({ entry }) => entry ?? []),
    ]),
  ];
}

/** The command that creates the Secret, with the key from standard input. */
export function createSecret(request: Pick<ManifestRequest, "connection" | "namespace" | "plan">): string {
  const [, ...others] = secretEntries(request);
  const files = [`${secret.key}=/dev/stdin`, ...others.map((entry) => `${entry}=PATH`)];
  const from = files.map((file) => ` --from-file=${file}`).join("");
  return `kubectl create secret generic ${secret.name}${option(request.namespace)}${from}`;
}

/** Time for images, new nodes, and the operator, besides the run. */
const startSeconds = 600;

/** The commands of a run by hand, in their order. @param file Path of its manifest. */
export function commandsOf(request: ManifestRequest, file: string): string[] {
  const name = nameOf(request);
  const inNamespace = option(request.namespace);
  const { scenario, profile } = request.plan;
  // `kubectl wait` does not end at the stage error.
  const seconds = Math.ceil(longestSeconds(scenario, profile)) + startSeconds;
  return [
    `kubectl create -f ${file}${inNamespace}`,
    `kubectl wait testrun/${name} --for=jsonpath='{.status.stage}'=finished --timeout=${seconds}s${inNamespace}`,
    `kubectl logs -l k6_cr=${name},runner=true --tail=-1 --prefix --max-log-requests=1000${inNamespace} | npx shelfcheck load --collect - --plan ${file}`,
    deletionOf(name, request.namespace),
  ];
}

/** The manifests as one YAML stream. */
export function renderManifests(manifests: readonly object[], request: ManifestRequest): string {
  const comment = [
    "For k6-operator. First create the secret once, with the key from a file or standard input, never as an argument:",
    `  ${createSecret(request)}`,
    ...(secretEntries(request).length === 1
      ? []
      : ["Each file holds one value; a client key has no passphrase."]),
    "Each written manifest is one run. Create it, wait, make one result of the logs, and then delete it:",
    ...commandsOf(request, `${request.plan.scenario}.yaml`).map((command) => `  ${command}`),
    ...((request.inspects ?? mayInspect(request.plan))
      ? []
      : ["There are more pods than virtual users, which takes k6-operator 1.3.0 or later."]),
  ];
  const lines = comment.map((line) => `# ${line}\n`).join("");
  return lines + manifests.map((manifest) => `---\n${stringify(manifest)}`).join("");
}

/** The manifests of a run as YAML, with its name in the cluster, its plan and its files. */
export interface Manifests {
  readonly name: string;
  readonly text: string;
  readonly planned: PlannedRun;
  readonly files: Readonly<Record<string, string>>;
}

export async function manifestsOf(request: ManifestRequest): Promise<Manifests> {
  const files = await filesOf(request);
  const text = renderManifests(manifestsFor(request, files), request);
  return { name: nameOf(request), text, planned: plannedRun(request, files), files };
}

/**
 * `load --manifests DIR`: writes the manifests. For a volume, it also writes the files, and a pod that copies them to the
 * volume. Returns the paths.
 */
export async function writeManifests(directory: string, request: ManifestRequest): Promise<string[]> {
  await makeFolder(directory);
  const { text, files } = await manifestsOf(request);
  const { volumeClaim, namespace } = request;
  const texts = {
    [`${request.plan.scenario}.yaml`]: text,
    ...(volumeClaim === undefined
      ? {}
      : { ...files, "fill-volume.yaml": fillingPod(volumeClaim, files, namespace) }),
  };
  return await Promise.all(
    Object.entries(texts).map(async ([name, content]) => {
      const path = join(directory, name);
      await writeFile(path, content);
      return path;
    }),
  );
}

/** YAML of a pod that mounts the volume, with the commands that copy the files and remove the pod. */
function fillingPod(
  claim: string,
  files: Readonly<Record<string, string>>,
  namespace: string | undefined,
): string {
  const name = `${claim}-fill`;
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { [managedBy.name]: managedBy.value } },
    spec: {
      restartPolicy: "Never",
      automountServiceAccountToken: false,
      // A user with a number, since the image's own is root; the group lets it write to the volume.
      securityContext: { ...restricted.securityContext, runAsUser: 12345, fsGroup: 12345 },
      containers: [
        {
          name: "fill",
          image: "busybox:1.37",
          command: ["sleep", "3600"],
          resources: starterResources,
          securityContext: restricted.containerSecurityContext,
          volumeMounts: [{ name: "files", mountPath: "/files" }],
        },
      ],
      volumes: [{ name: "files", persistentVolumeClaim: { claimName: claim } }],
    },
  };
  const commands = [
    `kubectl create -f fill-volume.yaml${option(namespace)}`,
    `kubectl wait --for=condition=Ready pod/${name}${option(namespace)}`,
    ...Object.keys(files).map((file) => `kubectl cp ${file} ${name}:/files/${file}${option(namespace)}`),
    `kubectl delete pod ${name}${option(namespace)}`,
  ];
  const intro = `# Copies the files of the run to the volume. In this folder:\n${commands.map((line) => `#   ${line}\n`).join("")}`;
  return `${intro}---\n${stringify(pod)}`;
}

async function filesOf({ plan, fixtures, connection }: ManifestRequest): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), "shelfcheck-manifests-"));
  try {
    return {
      ...connection.files,
      [`${plan.scenario}.js`]: await readFile(await bundleScenario(plan.scenario, folder), "utf8"),
      "fixtures.json": JSON.stringify(fixtures),
      "profile.json": JSON.stringify(plan.profile),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
