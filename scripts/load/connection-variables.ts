import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { writeFile } from "node:fs/promises";
import { connect, isIP } from "node:net";
import { join } from "node:path";
import { trustedAuthorities } from "../../conformance/client/dispatcher.ts";
import { type Connection, connectionSettings, settingNames, settingText } from "../../schemas/connection.ts";
import { proxyFor } from "../config/proxy.ts";

/** Where a target is, and how it is reached. */
export interface Reached {
  readonly baseUrl: string;
  readonly connection?: Connection | undefined;
}

/** An environment variable of k6. Its value is secret if an entry of the secret of a cluster holds it. */
export interface K6Variable {
  readonly name: string;
  readonly value: string;
  readonly entry?: string | undefined;
}

/**
 * The address of a target for k6, and its settings as variables of k6: those that are the same for a process on this machine
 * and for a pod, hence not those for authorities and proxies. What is not set is empty, so that nothing of another
 * target is inherited.
 *
 * @throws an error of the system when `serverName` is set and the host's name does not resolve here.
 */
export async function connectionVariables({
  baseUrl,
  connection = {},
}: Reached): Promise<{ readonly baseUrl: string; readonly variables: readonly K6Variable[] }> {
  const { headers = [], requestIdHeader = "off", serverName } = connection;
  const renamed = serverName === undefined ? undefined : await renamedTo(serverName, baseUrl);
  const { host = renamed?.host } = connection;
  const ofTable = settingNames.flatMap((name): K6Variable[] => {
    const { variable, k6, secretEntry } = connectionSettings[name];
    const value = settingText(name, { ...connection, requestIdHeader, host });
    if (k6 === "same") return [{ name: variable, value: value ?? "", entry: secretEntry }];
    return Object.entries(value === undefined ? {} : (k6 ?? {})).map(([other, text]) => ({
      name: other,
      value: text,
    }));
  });
  const ofHeaders = headers.map(({ value, variable }, place) => ({
    name: variable ?? `SHELFCHECK_HEADER_${place + 1}`,
    value,
    entry: variable,
  }));
  const listed = headers.map(({ name }, place) => `${name}=${ofHeaders[place]?.name}`).join(",");
  return {
    baseUrl: renamed?.baseUrl ?? baseUrl,
    variables: [
      { name: "SHELFCHECK_HOSTS", value: renamed?.hosts ?? "" },
      ...ofTable,
      { name: connectionSettings.headers.variable, value: listed },
      ...ofHeaders,
    ],
  };
}

/**
 * The settings of a connection for k6 on this machine. Not as arguments, which the list of processes shows.
 *
 * @param folder Folder for a file with the trusted certificate authorities, which k6 reads. It holds no secret.
 */
export async function environmentForTarget(
  target: Reached,
  env: NodeJS.ProcessEnv,
  folder: string,
): Promise<NodeJS.ProcessEnv> {
  const { baseUrl, connection: { ca = [], proxy } = {} } = target;
  const { baseUrl: address, variables } = await connectionVariables(target);
  const ofTarget: NodeJS.ProcessEnv = Object.fromEntries(variables.map(({ name, value }) => [name, value]));
  const debugging = [env.GODEBUG, ofTarget.GODEBUG].filter(Boolean).join(",");
  return {
    SHELFCHECK_BASE_URL: address,
    ...ofTarget,
    ...proxyVariables(baseUrl, proxy, env),
    ...(proxy === undefined && !env.K6_DNS ? await dnsVariables(baseUrl) : {}),
    ...(usesTls(baseUrl, proxy) && (ca.length > 0 || env.NODE_EXTRA_CA_CERTS)
      ? { SSL_CERT_FILE: await trustedFile(ca, folder) }
      : {}),
    ...(debugging === "" ? {} : { GODEBUG: debugging }),
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
async function renamedTo(serverName: string, baseUrl: string) {
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
