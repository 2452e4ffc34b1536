import { plannedVirtualUsers, responsesHeld } from "../../scenarios/lib/options.ts";
import { requestRate } from "../../scenarios/lib/schedule.ts";
import { isLoopback } from "../config/proxy.ts";
import { connectionVariables, type K6Variable, type Reached } from "../load/connection-variables.ts";
import type { LoadPlan } from "../load/plan.ts";
import { collectorVariables } from "../load/supervision.ts";

// What a pod of a run gets besides key, script and fixtures: CPU and memory, and how it reaches the target.

/** CPU of one request that is sent and fully checked, with few virtual users: `npm run bench -- load cpu`. */
const requestMicroseconds = 200;

/** The share of its CPU that a generator may use. With more, requests are sent late. */
const usableShare = 0.6;
/** k6 with a script uses 80 MiB, a virtual user 0.5 MiB, a response that it holds as much; the rest is for large bodies. */
const baseMebibytes = 256;
const heldMebibytes = 0.5;

/** The memory limit of a pod is this multiple of the memory that it requests. */
const limitFactor = 2;
const leastMillicores = 250;

/**
 * The resources of a pod for its manifest, and the variables of its garbage collector. Only memory is limited: a throttled
 * generator would send late. A quota may demand a limit of CPU as well: then the pod requests as much as it may use.
 */
export function podSize({ scenario, profile, shards }: LoadPlan, podCores?: number) {
  const held = responsesHeld(scenario, profile);
  const users = (plannedVirtualUsers(scenario, profile) + held) * heldMebibytes;
  const mebibytes = baseMebibytes + Math.ceil(users / shards);
  const rate = requestRate(profile, scenario) / shards;
  const busy = (rate * requestMicroseconds) / 1_000_000 / usableShare;
  const millicores =
    podCores === undefined
      ? Math.max(leastMillicores, Math.ceil(busy * 10) * 100)
      : Math.round(podCores * 1000);
  const cpu = `${millicores}m`;
  const memoryBytes = mebibytes * limitFactor * 2 ** 20;
  return {
    resources: {
      requests: { cpu, memory: `${mebibytes}Mi` },
      limits: { memory: `${mebibytes * limitFactor}Mi`, ...(podCores === undefined ? {} : { cpu }) },
    },
    collector: collectorVariables({ responses: Math.ceil(held / shards), memoryBytes }),
  };
}

/** How the pods of a run reach the target. */
export interface PodConnection {
  readonly baseUrl: string;
  readonly variables: readonly K6Variable[];
  /** Files to put beside the script. */
  readonly files: Readonly<Record<string, string>>;
  /** The proxy of this machine is none for a pod, and left out. */
  readonly leavesProxyOut?: boolean;
}

/** Folders of certificates: where k6-operator mounts the files of a run, and where the image has those of its system. */
const certificateFolders = "/test:/etc/ssl/certs";

/** The settings of a target for the pods of a cluster. */
export function podConnection({ baseUrl, connection = {} }: Reached): PodConnection {
  const { ca: trusted = [], caOfSystem = [], proxy } = connection;
  const leavesProxyOut = proxy !== undefined && isLoopback(new URL(proxy).hostname);
  const ca = trusted.filter((one) => !caOfSystem.includes(one));
  return {
    baseUrl,
    variables: [
      ...connectionVariables(connection).filter(({ value }) => value !== ""),
      ...(ca.length === 0 ? [] : [{ name: "SSL_CERT_DIR", value: certificateFolders }]),
      ...(proxy === undefined || leavesProxyOut ? [] : proxyVariables(proxy)),
    ],
    files: ca.length === 0 ? {} : { "authorities.pem": ca.join("\n") },
    leavesProxyOut,
  };
}

/** The URL of a proxy is secret as a whole if it has credentials. */
function proxyVariables(proxy: string): K6Variable[] {
  const { username, password } = new URL(proxy);
  const entry = username === "" && password === "" ? undefined : "proxy-url";
  return ["HTTP_PROXY", "HTTPS_PROXY"].map((name) => ({ name, value: proxy, entry }));
}
