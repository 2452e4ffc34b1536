import type { Way } from "../../conformance/client/way.ts";
import { traceparentHeader } from "../../schemas/request-id.ts";
import { renamedTo } from "../load/way-variables.ts";

/** How the pods of a run reach the target, besides key, script and fixtures. */
export interface ManifestWay {
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
 * The settings of a target for the pods of a cluster: TLS, proxy, HTTP version, and headers for a gateway. Secret values
 * are not included: the Secret of the cluster has them, under the returned names.
 *
 * @throws an error of the system when `serverName` is set and the host's name does not resolve here.
 */
export async function manifestWay({
  baseUrl,
  way = {},
  proxy,
}: {
  readonly baseUrl: string;
  readonly way?: Way | undefined;
  readonly proxy?: string | undefined;
}): Promise<ManifestWay> {
  const { headers = [], host, tls = {}, http2 = true, requestIdHeader = "off", responseIdHeader } = way;
  const { authorities = [], certificate, insecure = false, serverName } = tls;
  const renamed = serverName === undefined ? undefined : await renamedTo(serverName, baseUrl);
  const sentHost = host ?? renamed?.host;
  const named = headers.map((header, place) => ({
    ...header,
    variable: header.variable ?? `SHELFCHECK_HEADER_${place + 1}`,
    isSecret: header.variable !== undefined,
  }));
  const ofProxy = proxyParts(proxy);
  return {
    baseUrl: renamed?.baseUrl ?? baseUrl,
    plain: {
      ...(renamed === undefined ? {} : { SHELFCHECK_HOSTS: renamed.hosts }),
      ...(sentHost === undefined ? {} : { SHELFCHECK_HOST: sentHost }),
      ...(named.length === 0
        ? {}
        : { SHELFCHECK_HEADERS: named.map(({ name, variable }) => `${name}=${variable}`).join(",") }),
      ...Object.fromEntries(
        named.flatMap(({ variable, value, isSecret }) => (isSecret ? [] : [[variable, value]])),
      ),
      ...(requestIdHeader === traceparentHeader ? {} : { SHELFCHECK_REQUEST_ID_HEADER: requestIdHeader }),
      ...(responseIdHeader === undefined ? {} : { SHELFCHECK_RESPONSE_ID_HEADER: responseIdHeader }),
      ...(insecure ? { SHELFCHECK_INSECURE: "true" } : {}),
      ...(authorities.length === 0 ? {} : { SSL_CERT_DIR: certificateFolders }),
      ...(http2 ? {} : { GODEBUG: "http2client=0" }),
      ...ofProxy.plain,
    },
    secret: {
      ...Object.fromEntries(
        named.flatMap(({ variable, isSecret }) => (isSecret ? [[variable, variable]] : [])),
      ),
      ...(certificate === undefined
        ? {}
        : { SHELFCHECK_CLIENT_CERTIFICATE: "client-certificate", SHELFCHECK_CLIENT_KEY: "client-key" }),
      ...ofProxy.secret,
    },
    files: authorities.length === 0 ? {} : { "authorities.pem": authorities.join("\n") },
  };
}

/** The URL of a proxy is secret as a whole if it has credentials. */
function proxyParts(proxy: string | undefined): Pick<ManifestWay, "plain" | "secret"> {
  if (proxy === undefined) return { plain: {}, secret: {} };
  const { username, password } = new URL(proxy);
  const both = (value: string) => ({ HTTP_PROXY: value, HTTPS_PROXY: value });
  return username === "" && password === ""
    ? { plain: both(proxy), secret: {} }
    : { plain: {}, secret: both("proxy-url") };
}
