import { connectionVariables, type K6Variable, type Reached } from "../load/connection-variables.ts";

/** How the pods of a run reach the target, besides key, script and fixtures. */
export interface PodConnection {
  readonly baseUrl: string;
  readonly variables: readonly K6Variable[];
  /** Files to put beside the script. */
  readonly files: Readonly<Record<string, string>>;
}

/** Folders of certificates: where k6-operator mounts the files of a run, and where the image has those of its system. */
const certificateFolders = "/test:/etc/ssl/certs";

/** The settings of a target for the pods of a cluster. */
export function podConnection({ baseUrl, connection = {} }: Reached): PodConnection {
  const { ca: trusted = [], caOfSystem = [], proxy } = connection;
  const ca = trusted.filter((one) => !caOfSystem.includes(one));
  return {
    baseUrl,
    variables: [
      ...connectionVariables(connection).filter(({ value }) => value !== ""),
      ...(ca.length === 0 ? [] : [{ name: "SSL_CERT_DIR", value: certificateFolders }]),
      ...(proxy === undefined ? [] : proxyVariables(proxy)),
    ],
    files: ca.length === 0 ? {} : { "authorities.pem": ca.join("\n") },
  };
}

/** The URL of a proxy is secret as a whole if it has credentials. */
function proxyVariables(proxy: string): K6Variable[] {
  const { username, password } = new URL(proxy);
  const entry = username === "" && password === "" ? undefined : "proxy-url";
  return ["HTTP_PROXY", "HTTPS_PROXY"].map((name) => ({ name, value: proxy, entry }));
}
