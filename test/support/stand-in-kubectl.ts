import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

// A kubectl that plays a cluster, on a machine where six times as much time passes as a script pauses, and at once. The lines of the pods are what kubectl 1.32 printed of
// states that were recorded on a real API server with the real k6-operator 1.6.0.

const columns = {
  Pending:
    "Pending     <none>                 CreateContainerConfigError   <none>      containers with unready status: [k6]",
  Running: "Running     <none>                 <none>                       <none>      <none>",
  Succeeded: "Succeeded   <none>                 <none>                       Completed   <none>",
  // k6 ends with 99 when the share of one pod is too small for a threshold.
  Failed: "Failed      <none>                 <none>                       Error       <none>",
  Lost: "Running     2026-11-27T10:05:00Z   <none>                       <none>      <none>",
};

/** The states of the pods that send load, or what kubectl says when it fails. */
export type Look = readonly (keyof typeof columns)[] | string;

export interface PlayedCluster {
  /** What each look at the pods shows, the last one for ever. */
  readonly looks: readonly Look[];
  /** Pods whose log cannot be read, such as `run-1`. Default: none */
  readonly unreadable?: readonly string[];
  /** What kubectl says when it does not create everything, in two lines. Default: it does */
  readonly creates?: string;
  /** How many deletions fail. Default: 0 */
  readonly failingDeletions?: number;
  /** What `load --collect` ends with. Default: 0 */
  readonly collects?: number;
  /** Whether the first pause lasts until a signal ends it. Default: false */
  readonly pauses?: boolean;
}

export const said = {
  away: "The connection to the server 127.0.0.1:6443 was refused - did you specify the right host or port?",
  restarting: `error: the server doesn't have a resource type "pods"`,
  expired: "error: You must be logged in to the server (Unauthorized)",
};

/** In what kubectl prints of whole objects. */
export const keyInDefinitions = "key-in-a-definition-0123456789";

/** Puts a kubectl that plays the cluster on a PATH of its own, and writes down how it was called. */
export async function standInKubectl(home: string, cluster: PlayedCluster) {
  const {
    looks,
    unreadable = [],
    creates = "",
    failingDeletions = 0,
    collects = 0,
    pauses = false,
  } = cluster;
  const bin = await mkdtemp(join(home, "bin-"));
  for (const [place, look] of looks.entries()) await writeFile(join(bin, `look-${place}`), linesOf(look));
  const programs = {
    kubectl: `echo "$*" >> ${bin}/calls
count() { n=$(cat ${bin}/$1 2>/dev/null || echo 0); echo $((n + 1)) > ${bin}/$1; }
case "$*" in
"create secret "*) cat > /dev/null; echo created;;
"create --filename "*) cp "$3" ${bin}/created
  if [ -n "${creates}" ]; then echo "${creates}" | grep ' created'; echo "${creates}" | grep -v ' created' >&2; exit 1; fi
  echo created;;
"get pods "*custom-columns=*) count looks; [ -f ${bin}/look-$n ] || n=${looks.length - 1}
  grep -q '<none>' ${bin}/look-$n || { cat ${bin}/look-$n >&2; exit 1; }
  cat ${bin}/look-$n;;
"get events "*) sed -n 's|.*"app.kubernetes.io/instance": "\\(.*\\)"|1s Normal Created job/\\1 Created pod|p' ${bin}/created;;
"logs "*) case " ${unreadable.join(" ")} " in *" $2 "*) echo "Error from server: no route to host" >&2; exit 1;; esac
  echo "log of $2";;
"delete "*) count deletions; if [ $n -lt ${failingDeletions} ]; then echo "${said.away}" >&2; exit 1; fi; echo deleted;;
*) echo "${keyInDefinitions}"; exit 9;;
esac`,
    date: `cat ${bin}/seconds 2>/dev/null || echo 0`,
    sleep: `echo $(($(cat ${bin}/seconds 2>/dev/null || echo 0) + 6 * $1)) > ${bin}/seconds.new; mv ${bin}/seconds.new ${bin}/seconds
${pauses ? `if [ ! -f ${bin}/paused ]; then echo yes > ${bin}/paused; exec /bin/sleep 60; fi` : ":"}`,
    node: `case "$*" in *--version) exit;; esac; shift; echo "shelfcheck $*" >> ${bin}/calls; exit ${collects}`,
  };
  for (const [name, text] of Object.entries(programs))
    await writeFile(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const textOf = (file: string) => readFile(join(bin, file), "utf8").catch(() => "");
  return {
    env: { PATH: `${bin}:/usr/bin:/bin` },
    calls: async () => (await textOf("calls")).trim().split("\n"),
    /** Seconds that passed by the clock of the machine. */
    seconds: async () => Number(await textOf("seconds")),
    isPaused: async () => (await textOf("paused")) !== "",
  };
}

function linesOf(look: Look): string {
  if (typeof look === "string") return `${look}\n`;
  const pods = look.map((state, place) => `run-${place}         true     ${columns[state]}\n`);
  return [...pods, `initializer   <none>   ${columns.Succeeded}\n`].join("");
}
