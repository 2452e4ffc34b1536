import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import type { ScenarioId } from "../../schemas/scenarios.ts";
import type { LoadFixtures, Profile } from "../../schemas/types.ts";
import { UsageError } from "../errors.ts";
import { makeFolder } from "../files.ts";
import { bundleScenario } from "./bundle/bundle.ts";
import { releases } from "./k6/version.ts";
import { type LoadOverrides, overrideProfile } from "./plan.ts";

/** What a run on a cluster is made from. It holds no key: the cluster's Secret does. */
export interface ManifestRequest {
  readonly scenario: ScenarioId;
  readonly profileName: string;
  readonly profile: Profile;
  readonly overrides?: LoadOverrides | undefined;
  readonly fixtures: LoadFixtures;
  readonly baseUrl: string;
  /** Pods that share the run. */
  readonly parallelism: number;
  /** A PersistentVolumeClaim that holds the files, for fixtures that a ConfigMap is too small for. */
  readonly volumeClaim?: string | undefined;
  readonly seed?: number | undefined;
}

/** The names in the cluster: the Secret `shelfcheck` has the key under `api-key`. */
const secret = { name: "shelfcheck", key: "api-key" };
/** Kubernetes takes at most 1 MiB in a ConfigMap, names and all. */
const mostConfigMapBytes = 1_000_000;

/** The manifests as values: the files of the run, and the TestRun of k6-operator. */
export function manifestsFor(request: ManifestRequest, files: Readonly<Record<string, string>>): object[] {
  const { scenario, baseUrl, parallelism, volumeClaim, seed = 1 } = request;
  const name = clusterName(`shelfcheck-${scenario}-${request.profileName}`);
  const plain = [
    { name: "SHELFCHECK_BASE_URL", value: baseUrl },
    { name: "SHELFCHECK_SEED", value: String(seed) },
    { name: "SHELFCHECK_PROFILE_NAME", value: request.profileName },
    // With it, each pod ends its log with its result, for load --collect.
    { name: "SHELFCHECK_RUN_ID", value: runIdOf(files) },
    { name: "K6_NO_USAGE_REPORT", value: "true" },
  ];
  const key = { name: "SHELFCHECK_API_KEY", valueFrom: { secretKeyRef: secret } };
  const file = `${scenario}.js`;
  const testRun = {
    apiVersion: "k6.io/v1alpha1",
    kind: "TestRun",
    metadata: { name },
    spec: {
      parallelism,
      script:
        volumeClaim === undefined
          ? { configMap: { name, file } }
          : { volumeClaim: { name: volumeClaim, file } },
      // By argument, since the operator's initializer archives the script and hands it no environment.
      arguments: "-e SHELFCHECK_PROFILE=profile.json --log-format=json",
      // Only the pods that send get the key; the initializer inspects the script, which needs none.
      initializer: { env: plain },
      runner: { image: `grafana/k6:${releases[0].version}`, env: [...plain, key] },
    },
  };
  if (volumeClaim !== undefined) return [testRun];
  const bytes = Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes > mostConfigMapBytes) {
    throw new UsageError({
      what: `Script and fixtures are ${bytes} bytes; a ConfigMap holds at most ${mostConfigMapBytes}`,
      where: "load --manifests",
      fix: "Put the files on a volume and name its claim (--volume-claim), or discover fewer products.",
    });
  }
  return [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: files }, testRun];
}

/** The same for the same files: manifests that are written again without a change belong together. */
function runIdOf(files: Readonly<Record<string, string>>): string {
  return createHash("sha256").update(JSON.stringify(files)).digest("hex").slice(0, 12);
}

/** A name that Kubernetes takes: small letters, digits and dashes. */
function clusterName(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .slice(0, 50)
    .replace(/-+$/, "");
}

/** Manifests as one YAML stream. */
export function renderManifests(manifests: readonly object[]): string {
  const intro =
    "# For k6-operator. First create the secret once, with the key from a file or standard input, never as an argument:\n" +
    `#   kubectl create secret generic ${secret.name} --from-file=${secret.key}=/dev/stdin\n`;
  return intro + manifests.map((manifest) => `---\n${stringify(manifest)}`).join("");
}

/** `load --manifests DIR`: writes the manifests, and with a volume the files that belong on it. Returns the paths. */
export async function writeManifests(directory: string, request: ManifestRequest): Promise<string[]> {
  await makeFolder(directory);
  const files = await filesOf(request);
  const path = join(directory, `${request.scenario}.yaml`);
  await writeFile(path, renderManifests(manifestsFor(request, files)));
  if (request.volumeClaim === undefined) return [path];
  const onVolume = await Promise.all(
    Object.entries(files).map(async ([name, text]) => {
      await writeFile(join(directory, name), text);
      return join(directory, name);
    }),
  );
  return [path, ...onVolume];
}

async function filesOf({
  scenario,
  profile,
  overrides,
  fixtures,
}: ManifestRequest): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), "shelfcheck-manifests-"));
  try {
    return {
      [`${scenario}.js`]: await readFile(await bundleScenario(scenario, folder), "utf8"),
      "fixtures.json": JSON.stringify(fixtures),
      "profile.json": JSON.stringify(overrideProfile(profile, scenario, overrides)),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
