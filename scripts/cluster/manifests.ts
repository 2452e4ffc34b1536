import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Target } from "../../conformance/client/target.ts";
import { longestSeconds, plannedVirtualUsers, responsesHeld } from "../../scenarios/lib/options.ts";
import { requestRate } from "../../scenarios/lib/schedule.ts";
import type { LoadFixtures } from "../../schemas/contracts/load-fixtures.ts";
import { keyVariables } from "../../schemas/redaction.ts";
import { isLoopback } from "../config/connection.ts";
import { bundleScenario } from "../load/bundle/bundle.ts";
import { connectionVariables, type K6Variable } from "../load/connection-variables.ts";
import { releases } from "../load/k6/install.ts";
import type { LoadPlan } from "../load/plan.ts";
import { collectorVariables } from "../load/supervision.ts";
import { quotedForShell } from "../report/text.ts";

/** A load run that pods share. */
export type PodsPlan = LoadPlan & { readonly shards: number };

/** A run on a cluster. It has no key: that is in the Secret of the cluster. */
export interface ManifestRequest {
  /** The id of the run. The names of its objects end with it. */
  readonly run: string;
  readonly plan: PodsPlan;
  readonly fixtures: LoadFixtures;
  readonly connection: ReturnType<typeof podConnection>;
}

/** Name of the Secret, and its entry with the key. */
const secret = { name: "shelfcheck", key: "api-key", otherOrgKey: "other-org-api-key" };

const k6Image = `grafana/k6:${releases[0].version}`;
// The starter resumes the runners with curl. The operator's default image has no fixed version, and curl's
// names its user, which a cluster that demands another user than root cannot check.
const starterImage = "ghcr.io/grafana/k6-operator:starter-v1.6.0";

/** Time for the operator and its starter, besides the run. */
const startSeconds = 600;

/** The Pod Security Standard `restricted`. k6 runs as user 12345 in its image, the starter as 65532. */
const restricted = {
  automountServiceAccountToken: "false",
  securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
  containerSecurityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
} as const;

/** With a limit of CPU, which a quota may demand and which does no harm to a pod that sends no load. */
const starterResources = {
  requests: { cpu: "50m", memory: "16Mi" },
  limits: { cpu: "100m", memory: "200Mi" },
};

/** The manifests as objects: a ConfigMap with the files of the run, and the TestRun. */
export function manifestsFor(request: ManifestRequest, files: Readonly<Record<string, string>>): object[] {
  const { plan } = request;
  const name = nameOf(request);
  const { resources, collector } = podSize(plan);
  // On every object, so that what a run left behind can be listed.
  const labels = { "app.kubernetes.io/managed-by": "shelfcheck", "app.kubernetes.io/instance": name };
  const seconds = Math.ceil(longestSeconds(plan.scenario, plan.profile)) + startSeconds;
  const testRun = {
    apiVersion: "k6.io/v1alpha1",
    kind: "TestRun",
    // Once its pods are there, ci/kubernetes.sh waits no longer.
    metadata: { name, labels, annotations: { "shelfcheck/seconds": String(seconds) } },
    spec: {
      parallelism: plan.shards,
      script: { configMap: { name, file: `${plan.scenario}.js` } },
      // Findings of the scripts are read from the logs.
      arguments: "--log-format=json",
      // It inspects the script, and refuses more pods than virtual users.
      initializer: { disabled: true },
      starter: { image: starterImage, resources: starterResources, ...restricted },
      runner: {
        image: k6Image,
        env: [...variablesOf(request), ...named(collector)].map(manifested),
        resources,
        ...restricted,
      },
    },
  };
  return [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels }, data: files }, testRun];
}

/** The variables of a pod that sends load. */
function variablesOf({ run, plan, connection }: ManifestRequest): K6Variable[] {
  // The scenario tenants sends with the key of another organization too.
  const otherOrg = { name: keyVariables.otherOrg, value: "", entry: secret.otherOrgKey };
  return [
    { name: keyVariables.primary, value: "", entry: secret.key },
    ...(plan.scenario === "tenants" ? [otherOrg] : []),
    ...named({
      SHELFCHECK_BASE_URL: connection.baseUrl,
      SHELFCHECK_PROFILE_NAME: plan.profileName,
      SHELFCHECK_SEED: String(plan.seed),
      // Makes each pod end its log with its result, for load --collect.
      SHELFCHECK_RUN_ID: run,
      K6_NO_USAGE_REPORT: "true",
    }),
    ...connection.variables,
  ];
}

function named(values: Readonly<Record<string, string>>): K6Variable[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}

/** With its value, or with a reference to the secret, which alone holds the value. */
function manifested({ name, value, entry }: K6Variable): object {
  if (entry === undefined) return { name, value };
  return { name, valueFrom: { secretKeyRef: { name: secret.name, key: entry } } };
}

/** CPU of one request that is sent and fully checked, with few virtual users: `npm run bench -- load cpu`. */
const requestMicroseconds = 200;

/** The share of its CPU that a generator may use. With more, requests are sent late. */
const usableShare = 0.6;
/** 80 MiB for k6 with a script, 0.5 MiB each for a virtual user and its response; the rest is for bodies. */
const baseMebibytes = 256;
const heldMebibytes = 0.5;

/** The memory limit of a pod is this multiple of the memory that it requests. */
const limitFactor = 2;
const leastMillicores = 250;

/**
 * The resources of a pod, and the variables of its garbage collector. Only memory is limited: a throttled
 * generator would send late.
 */
export function podSize({ scenario, profile, shards }: PodsPlan) {
  const held = responsesHeld(scenario, profile);
  const users = (plannedVirtualUsers(scenario, profile) + held) * heldMebibytes;
  const mebibytes = baseMebibytes + Math.ceil(users / shards);
  const rate = requestRate(profile, scenario) / shards;
  const busy = (rate * requestMicroseconds) / 1_000_000 / usableShare;
  const millicores = Math.max(leastMillicores, Math.ceil(busy * 10) * 100);
  const memoryBytes = mebibytes * limitFactor * 2 ** 20;
  return {
    resources: {
      requests: { cpu: `${millicores}m`, memory: `${mebibytes}Mi` },
      limits: { memory: `${mebibytes * limitFactor}Mi` },
    },
    collector: collectorVariables({ responses: Math.ceil(held / shards), memoryBytes }),
  };
}

/** Where k6-operator mounts the files of a run, and where the image has the certificates of its system. */
const certificateFolders = "/test:/etc/ssl/certs";

/** How the pods of a run reach the target, with the files to put beside the script. */
export function podConnection(target: Pick<Target, "baseUrl" | "connection">) {
  const { baseUrl, connection = {} } = target;
  const { ca: trusted = [], caOfSystem = [], proxy } = connection;
  // The proxy of this machine is none for a pod.
  const leavesProxyOut = proxy !== undefined && isLoopback(new URL(proxy).hostname);
  const ca = trusted.filter((one) => !caOfSystem.includes(one));
  return {
    baseUrl,
    variables: [
      ...connectionVariables(connection).filter(({ value }) => value !== ""),
      ...(ca.length === 0 ? [] : [{ name: "SSL_CERT_DIR", value: certificateFolders }]),
      ...(proxy === undefined || leavesProxyOut ? [] : proxyVariables(new URL(proxy))),
    ],
    files: Object.fromEntries(ca.length === 0 ? [] : [["authorities.pem", ca.join("\n")]]),
    leavesProxyOut,
  };
}

/** The URL of a proxy is secret as a whole if it has credentials. */
function proxyVariables({ href: value, username, password }: URL): K6Variable[] {
  const entry = username + password === "" ? undefined : "proxy-url";
  return ["HTTP_PROXY", "HTTPS_PROXY"].map((name) => ({ name, value, entry }));
}

/** Valid in Kubernetes (lower-case letters, digits, dashes), and short enough for the operator's suffixes. */
function nameOf({ plan: { scenario, profileName }, run }: ManifestRequest): string {
  const name = `shelfcheck-${scenario}-${profileName}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .slice(0, 50 - run.length - 1)
    .replace(/-+$/, "");
  return `${name}-${run}`;
}

/** `ci/kubernetes.sh`, in a clone or in the package. */
const script = fileURLToPath(
  new URL(`${extname(import.meta.filename) === ".ts" ? "" : "../"}../../ci/kubernetes.sh`, import.meta.url),
);

/** What to do with the manifests of a run. @param file Their path. */
export function nextSteps(request: ManifestRequest, { file, cwd }: { file: string; cwd: string }): string {
  const entries = new Set(variablesOf(request).flatMap(({ entry }) => entry ?? []));
  // The key comes from standard input, and each other entry from a file.
  const from = [...entries].map(
    (entry) => ` --from-file=${entry}=${entry === secret.key ? "/dev/stdin" : "PATH"}`,
  );
  return [
    "The key comes from a secret. To create it once, with the key on standard input:",
    `  kubectl create secret generic ${secret.name} --namespace NAMESPACE${from.join("")}`,
    "To run it, once:",
    `  sh ${quotedForShell(relative(cwd, script))} ${quotedForShell(file)} NAMESPACE`,
    ...(request.connection.leavesProxyOut
      ? ["The proxy of this machine is not in the manifests: the pods use none."]
      : []),
    "",
  ].join("\n");
}

/** `load --manifests DIR`: writes the manifests as a list in JSON, which kubectl reads. Returns the path. */
export async function writeManifests(directory: string, request: ManifestRequest): Promise<string> {
  const { plan, fixtures, connection } = request;
  await mkdir(directory, { recursive: true });
  const path = join(directory, `${plan.scenario}.json`);
  const folder = await mkdtemp(join(tmpdir(), "shelfcheck-manifests-"));
  try {
    const items = manifestsFor(request, {
      ...connection.files,
      [`${plan.scenario}.js`]: await readFile(await bundleScenario(plan.scenario, folder), "utf8"),
      "fixtures.json": JSON.stringify(fixtures),
      "profile.json": JSON.stringify(plan.profile),
    });
    await writeFile(path, `${JSON.stringify({ apiVersion: "v1", kind: "List", items }, null, 2)}\n`);
    return path;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
