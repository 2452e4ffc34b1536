import { relative, resolve } from "node:path";
import type { CurlSettings, Way } from "../../conformance/client/way.ts";
import { placeholderOf } from "../../schemas/redaction.ts";
import { proxyFor } from "./proxy.ts";
import type { WaySources } from "./way.ts";

/** The connection that curl has to make as well. */
interface Connection {
  readonly baseUrl: string;
  readonly proxy: string | undefined;
  readonly way: Way;
}

/**
 * The connection settings of a target as options of curl, for the curl lines in reports. Secrets are named by their
 * environment variables, files by their paths relative to the working directory.
 */
export function curlSettings(sources: WaySources, connection: Connection): CurlSettings | undefined {
  const variables = new Set<string>();
  const from = (variable: string): string => {
    variables.add(variable);
    return placeholderOf(variable);
  };
  const { baseUrl, way } = connection;
  const { origin, port, hostname, protocol } = new URL(baseUrl);
  const { serverName } = way.tls ?? {};
  const isTls = protocol === "https:";
  const renamed = isTls ? serverName : undefined;
  const usualPort = isTls ? 443 : 80;
  const options = [
    ...proxyOptions(sources, connection, from),
    ...(isTls ? tlsOptions(sources, way, from) : []),
    ...(renamed === undefined
      ? []
      : ["--connect-to", `${renamed}:${port || usualPort}:${hostname}:${port || usualPort}`]),
    ...(way.http2 === false ? ["--http1.1"] : []),
  ];
  if (options.length === 0) return undefined;
  return {
    options,
    variables: [...variables],
    ...(renamed === undefined ? {} : { origin: { from: origin, to: origin.replace(hostname, renamed) } }),
  };
}

type FromVariable = (variable: string) => string;

function proxyOptions(
  { own, env }: WaySources,
  { baseUrl, proxy }: Connection,
  from: FromVariable,
): readonly string[] {
  const { protocol } = new URL(baseUrl);
  if (proxy === undefined) {
    // curl may use a proxy from the environment where shelfcheck does not.
    const everywhere = { ...env, NO_PROXY: "", no_proxy: "" };
    return proxyFor(`${protocol}//target.invalid`, everywhere) === undefined ? [] : ["--noproxy", "*"];
  }
  if (own?.proxy !== undefined) {
    const { proxyCredentials } = own;
    const { protocol, host } = new URL(own.proxy);
    const user = proxyCredentials === undefined ? [] : ["--proxy-user", from(proxyCredentials)];
    return ["--proxy", `${protocol}//${host}`, ...user];
  }
  const usual = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const variable = env[usual.toLowerCase()] ? usual.toLowerCase() : usual;
  return ["--proxy", from(variable)];
}

function tlsOptions(
  { own, env, folder, cwd }: WaySources,
  { tls = {} }: Way,
  from: FromVariable,
): readonly string[] {
  const file = (option: string, configured: string | undefined, ...named: readonly string[]) => {
    if (configured !== undefined) return [option, relative(cwd, resolve(folder, configured))];
    const variable = named.find((name) => env[name]);
    return variable === undefined ? [] : [option, from(variable)];
  };
  const passphrase = own?.clientKeyPassphrase ?? "SHELFCHECK_CLIENT_KEY_PASSPHRASE";
  return [
    // curl reads SSL_CERT_FILE itself.
    ...file("--cacert", own?.ca, "SHELFCHECK_CA", "NODE_EXTRA_CA_CERTS"),
    ...file("--cert", own?.clientCertificate, "SHELFCHECK_CLIENT_CERTIFICATE"),
    ...file("--key", own?.clientKey, "SHELFCHECK_CLIENT_KEY"),
    ...(tls.key !== undefined && env[passphrase] ? ["--pass", from(passphrase)] : []),
    ...(tls.insecure === true ? ["--insecure"] : []),
  ];
}
