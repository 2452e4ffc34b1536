import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { writeFile } from "node:fs/promises";
import { connect, isIP } from "node:net";
import { join } from "node:path";
import { trustedAuthorities } from "../../conformance/client/dispatcher.ts";
import type { Way } from "../../conformance/client/way.ts";
import { proxyFor } from "../config/proxy.ts";

/** How a target is reached. */
interface Reached {
  readonly baseUrl: string;
  readonly way?: Way | undefined;
  /** URL of the proxy. Default: none */
  readonly proxy?: string | undefined;
}

/**
 * The connection settings of a target as environment variables for k6 and its scripts. Not as arguments, which the list
 * of processes shows. Settings that the target does not have are empty, so that none of another target is inherited.
 *
 * @param folder Folder for a file with the trusted certificate authorities, which k6 reads. It holds no secret.
 */
export async function wayVariables(
  { baseUrl, way = {}, proxy }: Reached,
  env: NodeJS.ProcessEnv,
  folder: string,
): Promise<NodeJS.ProcessEnv> {
  const { headers = [], tls = {}, http2 = true } = way;
  const named = headers.map(({ name, value, variable }, place) => ({
    name,
    value,
    variable: variable ?? `SHELFCHECK_HEADER_${place + 1}`,
  }));
  const { authorities = [], certificate = "", key = "", insecure = false, serverName } = tls;
  const renamed = serverName === undefined ? undefined : await renamedTo(serverName, baseUrl);
  return {
    SHELFCHECK_BASE_URL: renamed?.baseUrl ?? baseUrl,
    SHELFCHECK_HOSTS: renamed?.hosts ?? "",
    SHELFCHECK_HOST: way.host ?? renamed?.host ?? "",
    SHELFCHECK_HEADERS: named.map(({ name, variable }) => `${name}=${variable}`).join(","),
    ...Object.fromEntries(named.map(({ variable, value }) => [variable, value])),
    SHELFCHECK_REQUEST_ID_HEADER: way.requestIdHeader ?? "off",
    SHELFCHECK_RESPONSE_ID_HEADER: way.responseIdHeader ?? "",
    SHELFCHECK_CLIENT_CERTIFICATE: certificate,
    SHELFCHECK_CLIENT_KEY: key,
    SHELFCHECK_INSECURE: String(insecure),
    ...proxyVariables(baseUrl, proxy, env),
    ...(proxy === undefined && !env.K6_DNS ? await dnsVariables(baseUrl) : {}),
    ...(usesTls(baseUrl, proxy) && (authorities.length > 0 || env.NODE_EXTRA_CA_CERTS)
      ? { SSL_CERT_FILE: await trustedFile(authorities, folder) }
      : {}),
    ...(http2 ? {} : { GODEBUG: [env.GODEBUG, "http2client=0"].filter(Boolean).join(",") }),
  };
}

/** Whether the target or the proxy in front of it is reached over TLS. */
function usesTls(...urls: readonly (string | undefined)[]): boolean {
  return urls.some((url) => url?.startsWith("https:"));
}

/**
 * k6 has no setting for the TLS server name. The server name therefore replaces the host in the base URL, and `hosts` maps
 * it to the host's IP address.
 */
export async function renamedTo(serverName: string, baseUrl: string) {
  const url = new URL(baseUrl);
  const { host } = url;
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  const address = isIP(hostname) === 0 ? (await lookup(hostname)).address : hostname;
  url.hostname = serverName;
  return { baseUrl: url.href, hosts: `${serverName}=${address}`, host };
}

const connectMilliseconds = 3000;

/**
 * k6 tries one address for each connection, by default IPv4. If the IPv4 addresses of a name accept no connections and an
 * IPv6 address does, `K6_DNS` makes it prefer IPv6.
 *
 * @param resolve Returns all addresses of a name.
 */
export async function dnsVariables(
  baseUrl: string,
  resolve: (name: string) => Promise<LookupAddress[]> = (name) => lookup(name, { all: true }),
): Promise<NodeJS.ProcessEnv> {
  const { hostname, port, protocol } = new URL(baseUrl);
  if (isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return {};
  const addresses = await resolve(hostname).catch(() => []);
  const ofFamily = (family: number) => addresses.filter((one) => one.family === family);
  if (ofFamily(4).length === 0 || ofFamily(6).length === 0) return {};
  const at = Number(port || (protocol === "https:" ? 443 : 80));
  const accepts = async (family: number) =>
    (await Promise.all(ofFamily(family).map(({ address }) => acceptsConnections(address, at)))).includes(
      true,
    );
  return (await accepts(4)) || !(await accepts(6)) ? {} : { K6_DNS: "policy=preferIPv6" };
}

async function acceptsConnections(host: string, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host, port, timeout: connectMilliseconds });
  socket.on("connect", () => resolve(true));
  socket.on("timeout", () => resolve(false));
  socket.on("error", () => resolve(false));
  return await promise.finally(() => socket.destroy());
}

/** Variables that select the proxy of the config, or none, if the environment alone would select another. */
function proxyVariables(
  baseUrl: string,
  proxy: string | undefined,
  env: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  if (proxyFor(baseUrl, env) === proxy) return {};
  if (proxy === undefined) {
    // Go takes an IPv6 address without brackets here.
    const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, "");
    const NO_PROXY = [env.no_proxy ?? env.NO_PROXY, host].filter(Boolean).join(",");
    return { NO_PROXY, no_proxy: NO_PROXY };
  }
  const names = ["HTTP_PROXY", "HTTPS_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
  return { ...Object.fromEntries(names.map((name) => [name, proxy])), NO_PROXY: "", no_proxy: "" };
}

/** Writes all trusted authorities to one file, since SSL_CERT_FILE replaces those of the system. */
async function trustedFile(authorities: readonly string[], folder: string): Promise<string> {
  const path = join(folder, "authorities.pem");
  await writeFile(path, [...trustedAuthorities(), ...authorities].join("\n"));
  return path;
}
