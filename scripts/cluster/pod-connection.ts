import { isLoopback } from "../config/proxy.ts";
import { connectionVariables, type K6Variable, type Reached } from "../load/connection-variables.ts";

/** How the pods of a run reach the target, besides key, script and fixtures. */
export interface PodConnection {
  readonly baseUrl: string;
  readonly variables: readonly K6Variable[];
  /** Files to put beside the script. */
  readonly files: Readonly<Record<string, string>>;
  /** What this machine has and the pods do not, as sentences for the reader. */
  readonly notes?: readonly string[];
}

/** Folders of certificates: where k6-operator mounts the files of a run, and where the image has those of its system. */
const certificateFolders = "/test:/etc/ssl/certs";

/** The settings of a target for the pods of a cluster. */
export function podConnection({ baseUrl, connection = {} }: Reached): PodConnection {
  const { ca: trusted = [], caOfSystem = [], proxy: ours } = connection;
  // A proxy on this machine is none for a pod.
  const proxy = ours !== undefined && isLoopback(new URL(ours).hostname) ? undefined : ours;
  const ca = trusted.filter((one) => !caOfSystem.includes(one));
  return {
    baseUrl,
    variables: [
      ...connectionVariables(connection).filter(({ value }) => value !== ""),
      ...(ca.length === 0 ? [] : [{ name: "SSL_CERT_DIR", value: certificateFolders }]),
      ...(proxy === undefined ? [] : proxyVariables(proxy)),
    ],
    files: ca.length === 0 ? {} : { "authorities.pem": ca.join("\n") },
    notes: proxy === ours ? [] : ["The proxy of this machine is not in the manifests: the pods use none."],
  };
}

/** The URL of a proxy is secret as a whole if it has credentials. */
function proxyVariables(proxy: string): K6Variable[] {
  const { username, password } = new URL(proxy);
  const entry = username === "" && password === "" ? undefined : "proxy-url";
  return ["HTTP_PROXY", "HTTPS_PROXY"].map((name) => ({ name, value: proxy, entry }));
}
