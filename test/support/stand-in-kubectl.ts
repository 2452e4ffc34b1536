import { chmod, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// A kubectl that plays a cluster. What it prints of Jobs, pods, events and stages was recorded on a real API server with the
// real k6-operator 1.6.0; cluster-states/ has the recordings.

export const recordings = [
  "well",
  "quota",
  "restricted",
  "image",
  "no-node",
  "starter-user",
  "no-k6",
  "too-many-pods",
] as const;
export type RecordedState = (typeof recordings)[number];

/** What one look at the TestRun shows: a stage, none yet, or that the API server is away. */
export type Look = { readonly stage?: string } | "away" | "deleted" | "forbidden";

export interface PlayedCluster {
  /** Name of the TestRun that the test creates. */
  readonly name: string;
  /** Whether the operator is there, and can skip the inspection. Default: "1.6.0" */
  readonly operator?: "1.6.0" | "1.2.0" | "none";
  /** Names in the secret; null for no secret. Default: the entry of the key */
  readonly secret?: string | null;
  /** Verbs and resources that the user may not use. Default: none */
  readonly forbidden?: readonly string[];
  /** Namespace of the current context; empty for none. Default: "perf" */
  readonly contextNamespace?: string;
  /** What each look at the TestRun shows, the last one for ever. Default: those of the recording */
  readonly looks?: readonly Look[];
  /** Jobs, pods and events. Default: "well" */
  readonly recorded?: RecordedState;
  /** Changes the text of the recorded objects. */
  readonly change?: (objects: string) => string;
  /** What the pods logged, or "played" for what those of the created manifest log. Default: nothing */
  readonly log?: readonly string[] | "played";
  /** Commands that fail, with what they say, and how often. */
  readonly failing?: readonly (readonly [command: string, said: string, times?: number])[];
}

interface Recorded {
  readonly stages: readonly { readonly stage?: string }[];
  readonly objects: readonly { readonly kind: string }[];
  readonly initializerLog: string;
}

const refused = (what: string) =>
  `Error from server (Forbidden): ${what} is forbidden: User "qa" cannot do that in the namespace "perf"`;
const away =
  "The connection to the server 127.0.0.1:6443 was refused - did you specify the right host or port?";

/** Puts a kubectl on a PATH of its own that plays the cluster and writes down how it was called. */
export async function standInKubectl(home: string, cluster: PlayedCluster) {
  const bin = await mkdtemp(join(home, "bin-"));
  const { recorded = "well", operator = "1.6.0", secret = "api-key", forbidden = [], log = [] } = cluster;
  const path = join(import.meta.dirname, "cluster-states", `${recorded}.json`);
  const text = (await readFile(path, "utf8")).replaceAll(/shelfcheck-(lookup|paging)-smoke/g, cluster.name);
  const { stages, objects, initializerLog } = JSON.parse(cluster.change?.(text) ?? text) as Recorded;
  const looks = cluster.looks ?? stages;
  if (log !== "played") await writeFile(join(bin, "log"), log.map((line) => `${line}\n`).join(""));
  const played = `${process.execPath} ${fileURLToPath(new URL("./played-pods.ts", import.meta.url))} ${bin}/created`;
  await writeFile(join(bin, "initializer.log"), initializerLog);
  for (const kind of ["Job", "Pod", "Event"]) {
    const items = objects.filter((one) => one.kind === kind);
    await writeFile(join(bin, kind), JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  }
  for (const [place, look] of looks.entries()) await writeFile(join(bin, `look-${place}`), lookText(look));
  const failing = cluster.failing ?? [];
  const script = `#!/bin/sh
echo "$*" >> ${bin}/calls
refuse() { echo "$1" >&2; exit 1; }
${failing.map(([command, said, times], place) => failure(bin, command, said, { times, place })).join("\n")}
case "$*" in
"config current-context"*) echo staging;;
"config view"*) printf '%s' '${cluster.contextNamespace ?? "perf"}';;
"get namespace "*) ${forbidden.includes("get namespaces") ? `refuse '${refused("namespaces")}'` : 'echo "namespace/$3"'};;
"explain testruns.spec.initializer.disabled"*) ${operator === "1.6.0" ? "echo FIELD: disabled" : `refuse 'error: field "disabled" does not exist'`};;
"get testruns.k6.io --output name"*) ${operator === "none" ? `refuse "error: the server doesn't have a resource type \\"testruns\\""` : ":"};;
"get customresourcedefinition"*) refuse '${refused("customresourcedefinitions")} at the cluster scope';;
"get secret"*) ${forbidden.includes("get secrets") ? `refuse '${refused("secrets")}'` : secret === null ? ":" : `echo "shelfcheck ${secret}"`};;
"auth can-i "*) case "$5" in --subresource=*) part=/\${5#*=};; *) part=;; esac; case "$3 $4$part" in ${forbidden.map((one) => `"${one}"`).join("|") || '"none"'}) echo no; exit 1;; *) echo yes;; esac;;
"create secret "*) cat > ${bin}/secret; echo created;;
"create --filename"* | "create -f "*) cp "$3" ${bin}/created; echo created;;
"wait testrun/"*) echo condition met;;
"apply "*) refuse 'The ConfigMap "x" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes';;
"get testruns.k6.io "*) n=$(cat ${bin}/looks 2>/dev/null || echo 0); echo $((n + 1)) > ${bin}/looks
  [ -f ${bin}/look-$n ] || n=${looks.length - 1}
  read -r first < ${bin}/look-$n; case "$first" in "{"*) cat ${bin}/look-$n;; *) refuse "$first";; esac;;
"get jobs"*) cat ${bin}/Job;;
"get pods"*) cat ${bin}/Pod;;
"get events"*) cat ${bin}/Event;;
"logs"*"runner!=true"*) cat ${bin}/initializer.log;;
"logs"*) ${log === "played" ? played : `cat ${bin}/log`};;
"delete"*) echo deleted;;
*) echo "unexpected: $*" >&2; exit 9;;
esac
`;
  await writeFile(join(bin, "kubectl"), script);
  await chmod(join(bin, "kubectl"), 0o755);
  return {
    env: { PATH: `${bin}:/usr/bin:/bin` },
    calls: async () => (await readFile(join(bin, "calls"), "utf8")).trim().split("\n"),
    created: () => readFile(join(bin, "created"), "utf8"),
  };
}

function lookText(look: Look): string {
  if (look === "away") return `${away}\n`;
  if (look === "deleted") return 'Error from server (NotFound): testruns.k6.io "x" not found\n';
  if (look === "forbidden") return `${refused("testruns.k6.io")}\n`;
  return `${JSON.stringify({ kind: "TestRun", status: look.stage === undefined ? {} : look })}\n`;
}

/** A command that fails a number of times, or always. */
function failure(
  bin: string,
  command: string,
  said: string,
  { times, place }: { times: number | undefined; place: number },
): string {
  const count = `${bin}/failed-${place}`;
  const fails = times === undefined ? "true" : `[ "$(wc -l < ${count} 2>/dev/null || echo 0)" -lt ${times} ]`;
  return `case "$*" in ${command.replaceAll(" ", "\\ ")}*) if ${fails}; then echo x >> ${count}; refuse '${said}'; fi;; esac`;
}
