import type { Connection } from "../../schemas/connection.ts";
import { connectionVariables } from "../load/connection-variables.ts";

/** How the pods of a run reach the target, besides key, script and fixtures. */
export interface PodConnection {
  readonly baseUrl: string;
  /** Environment variables whose values are not secret. */
  readonly plain: Readonly<Record<string, string>>;
  /** For each secret environment variable, the entry of the Secret that has its value. */
  readonly secret: Readonly<Record<string, string>>;
  /** Files to put beside the script. */
  readonly files: Readonly<Record<string, string>>;
}

/** Folders of certificates: where k6-operator mounts the files of a run, and where the image has those of its system. */
const certificateFolders = "/test:/etc/ssl/certs";

/**
 * The settings of a target for the pods of a cluster. Secret values are not included: the Secret of the cluster has them,
 * under the returned names.
 *
 * @throws as connectionVariables.
 */
export async function podConnection(target: {
  readonly baseUrl: string;
  readonly connection?: Connection | undefined;
}): Promise<PodConnection> {
  const { ca = [], proxy } = target.connection ?? {};
  const { baseUrl, plain, secret } = await connectionVariables(target);
  const entries = Object.entries(secret).map(([variable, { entry }]) => [variable, entry]);
  const ofProxy = proxyParts(proxy);
  return {
    baseUrl,
    plain: {
      ...plain,
      ...(ca.length === 0 ? {} : { SSL_CERT_DIR: certificateFolders }),
      ...ofProxy.plain,
    },
    secret: { ...Object.fromEntries(entries), ...ofProxy.secret },
    files: ca.length === 0 ? {} : { "authorities.pem": ca.join("\n") },
  };
}

/** The URL of a proxy is secret as a whole if it has credentials. */
function proxyParts(proxy: string | undefined): Pick<PodConnection, "plain" | "secret"> {
  if (proxy === undefined) return { plain: {}, secret: {} };
  const { username, password } = new URL(proxy);
  const both = (value: string) => ({ HTTP_PROXY: value, HTTPS_PROXY: value });
  return username === "" && password === ""
    ? { plain: both(proxy), secret: {} }
    : { plain: {}, secret: both("proxy-url") };
}
