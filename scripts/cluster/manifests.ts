import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import type { LoadFixtures } from "../../schemas/contracts/load-fixtures.ts";
import { isObject } from "../../schemas/json.ts";
import { keyVariables } from "../../schemas/redaction.ts";
import { UsageError } from "../errors.ts";
import { makeFolder } from "../files.ts";
import { bundleScenario } from "../load/bundle/bundle.ts";
import type { K6Variable } from "../load/connection-variables.ts";
import { releases } from "../load/k6/version.ts";
import type { LoadPlan } from "../load/plan.ts";
import type { PodConnection } from "./pod-connection.ts";
import { podCollector, podResources } from "./pods.ts";

/** A run on a cluster. It has no key: that is in the Secret of the cluster. */
export interface ManifestRequest {
  readonly plan: LoadPlan;
  readonly fixtures: LoadFixtures;
  readonly connection: PodConnection;
  /** A PersistentVolumeClaim with the files, for fixtures that do not fit into a ConfigMap. Default: a ConfigMap */
  readonly volumeClaim?: string | undefined;
  /** Suffix of the names in the cluster, which distinguishes concurrent runs. Default: none */
  readonly suffix?: string | undefined;
  /** URL of a Prometheus that accepts remote writes. Default: none */
  readonly prometheus?: string | undefined;
  /** Merged into the TestRun (JSON Merge Patch, RFC 7386). Default: nothing */
  readonly patch?: object | undefined;
}

/** Name of the Secret, and its entry with the key. */
export const secret = { name: "shelfcheck", key: "api-key" };
/** Kubernetes accepts at most 1 MiB in a ConfigMap, including names. */
const mostConfigMapBytes = 1_000_000;

const k6Image = `grafana/k6:${releases[0].version}`;
// The starter resumes the runners with curl. The default image of the operator has no fixed version.
const starterImage = "curlimages/curl:8.16.0";

/** The name of the run in the cluster. */
export function nameOf({ plan: { scenario, profileName }, suffix = "" }: ManifestRequest): string {
  return clusterName(`shelfcheck-${scenario}-${profileName}`, suffix);
}

/** The manifests as objects: a ConfigMap with the files of the run (unless they are on a volume), and the TestRun. */
export function manifestsFor(request: ManifestRequest, files: Readonly<Record<string, string>>): object[] {
  const { plan, volumeClaim, patch = {} } = request;
  const name = nameOf(request);
  const { inEach, inRunners } = variablesOf(request, files);
  const file = `${plan.scenario}.js`;
  const testRun = {
    apiVersion: "k6.io/v1alpha1",
    kind: "TestRun",
    metadata: { name },
    spec: {
      parallelism: plan.shards,
      script:
        volumeClaim === undefined
          ? { configMap: { name, file } }
          : { volumeClaim: { name: volumeClaim, file } },
      arguments: argumentsOf(request),
      // The initializer only inspects the script, so it gets no keys.
      initializer: { image: k6Image, env: inEach },
      starter: { image: starterImage },
      runner: {
        image: k6Image,
        env: [...inEach, ...inRunners],
        resources: podResources(plan),
      },
    },
  };
  const patched = mergePatch(testRun, patch) as object;
  if (volumeClaim !== undefined) return [patched];
  const bytes = Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes > mostConfigMapBytes) {
    throw new UsageError({
      what: `Script and fixtures are ${bytes} bytes; a ConfigMap holds at most ${mostConfigMapBytes}`,
      where: "load --manifests",
      fix: "Put the files on a volume and name its claim (--volume-claim), or discover fewer products.",
    });
  }
  return [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: files }, patched];
}

/** The variables of every pod, and those that only the pods that send load need. */
function variablesOf(request: ManifestRequest, files: Readonly<Record<string, string>>) {
  const { plan, connection, suffix = "", prometheus } = request;
  const inEach: K6Variable[] = [
    { name: "SHELFCHECK_BASE_URL", value: connection.baseUrl },
    { name: "SHELFCHECK_SEED", value: String(plan.seed) },
    { name: "SHELFCHECK_PROFILE_NAME", value: plan.profileName },
    // Makes each pod end its log with its result, for load --collect.
    { name: "SHELFCHECK_RUN_ID", value: runIdOf({ ...files, suffix }) },
    { name: "K6_NO_USAGE_REPORT", value: "true" },
    ...(prometheus === undefined ? [] : [{ name: "K6_PROMETHEUS_RW_SERVER_URL", value: prometheus }]),
  ];
  const collector = Object.entries(podCollector(plan)).map(([name, value]) => ({ name, value }));
  const key = { name: keyVariables.primary, value: "", entry: secret.key };
  return {
    inEach: inEach.map(manifested),
    inRunners: [...connection.variables, ...collector, key].map(manifested),
  };
}

/** A variable in a manifest: with its value, or with a reference to the secret, which alone holds the value. */
function manifested({ name, value, entry }: K6Variable): object {
  if (entry === undefined) return { name, value };
  return { name, valueFrom: { secretKeyRef: { name: secret.name, key: entry } } };
}

function argumentsOf({ prometheus }: ManifestRequest): string {
  return [
    // As an argument, because the initializer archives the script without the environment.
    "-e SHELFCHECK_PROFILE=profile.json",
    // Findings of the scripts are read from the logs.
    "--log-format=json",
    ...(prometheus === undefined ? [] : ["--out experimental-prometheus-rw"]),
  ].join(" ");
}

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

/** An id that depends only on the files: writing the same manifests again does not change it. */
function runIdOf(files: Readonly<Record<string, string>>): string {
  return createHash("sha256").update(JSON.stringify(files)).digest("hex").slice(0, 12);
}

/** A valid name in Kubernetes (lower-case letters, digits, dashes), short enough for the suffixes of the operator. */
function clusterName(text: string, suffix: string): string {
  const ending = suffix === "" ? "" : `-${suffix}`;
  const name = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .slice(0, 50 - ending.length)
    .replace(/-+$/, "");
  return name + ending;
}

/** Names of the entries that the Secret must have. */
export function secretEntries({ connection }: Pick<ManifestRequest, "connection">): string[] {
  return [...new Set([secret.key, ...connection.variables.flatMap(({ entry }) => entry ?? [])])];
}

/** The command that creates the Secret, with the key from standard input. @param options Further options of kubectl. */
export function createSecret(request: Pick<ManifestRequest, "connection">, options = ""): string {
  const [, ...others] = secretEntries(request);
  const files = [`${secret.key}=/dev/stdin`, ...others.map((entry) => `${entry}=PATH`)];
  const from = files.map((file) => ` --from-file=${file}`).join("");
  return `kubectl create secret generic ${secret.name}${options}${from}`;
}

/** The manifests as one YAML stream. */
export function renderManifests(
  manifests: readonly object[],
  request: Pick<ManifestRequest, "connection">,
): string {
  const intro =
    "# For k6-operator. First create the secret once, with the key from a file or standard input, never as an argument:\n" +
    `#   ${createSecret(request)}\n` +
    (secretEntries(request).length === 1
      ? ""
      : "# Each file holds one value without a line break after it; a client key has no passphrase.\n") +
    "# When all pods have ended, and before the TestRun is deleted, make one result of their logs:\n" +
    "#   kubectl logs -l k6_cr=NAME,runner=true --tail=-1 --prefix --max-log-requests=1000 | shelfcheck load --collect -\n";
  return intro + manifests.map((manifest) => `---\n${stringify(manifest)}`).join("");
}

/** The manifests of a run as YAML, with its name in the cluster. */
export async function manifestsOf(
  request: ManifestRequest,
): Promise<{ readonly name: string; readonly text: string }> {
  const text = renderManifests(manifestsFor(request, await filesOf(request)), request);
  return { name: nameOf(request), text };
}

/**
 * `load --manifests DIR`: writes the manifests. For a volume, it also writes the files, and a pod that copies them to the
 * volume. Returns the paths.
 */
export async function writeManifests(directory: string, request: ManifestRequest): Promise<string[]> {
  await makeFolder(directory);
  const files = await filesOf(request);
  const { volumeClaim } = request;
  const texts = {
    [`${request.plan.scenario}.yaml`]: renderManifests(manifestsFor(request, files), request),
    ...(volumeClaim === undefined ? {} : { ...files, "fill-volume.yaml": fillingPod(volumeClaim, files) }),
  };
  return await Promise.all(
    Object.entries(texts).map(async ([name, text]) => {
      const path = join(directory, name);
      await writeFile(path, text);
      return path;
    }),
  );
}

/** YAML of a pod that mounts the volume, with the commands that copy the files and remove the pod. */
function fillingPod(claim: string, files: Readonly<Record<string, string>>): string {
  const name = `${claim}-fill`;
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: {
      restartPolicy: "Never",
      containers: [
        {
          name: "fill",
          image: "busybox:1.37",
          command: ["sleep", "3600"],
          volumeMounts: [{ name: "files", mountPath: "/files" }],
        },
      ],
      volumes: [{ name: "files", persistentVolumeClaim: { claimName: claim } }],
    },
  };
  const commands = [
    "kubectl apply -f fill-volume.yaml",
    `kubectl wait --for=condition=Ready pod/${name}`,
    ...Object.keys(files).map((file) => `kubectl cp ${file} ${name}:/files/${file}`),
    `kubectl delete pod ${name}`,
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
