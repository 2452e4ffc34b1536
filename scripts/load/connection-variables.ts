import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { writeFile } from "node:fs/promises";
import { connect, isIP } from "node:net";
import { join } from "node:path";
import { trustedAuthorities } from "../../conformance/client/dispatcher.ts";
import {
  type Connection,
  connectionSettings,
  isSet,
  settingNames,
  settingValue,
} from "../../schemas/connection.ts";
import { traceparentHeader } from "../../schemas/request-id.ts";
import { proxyFor } from "../config/proxy.ts";

/** Where a target is, and how it is reached. */
interface Reached {
  readonly baseUrl: string;
  readonly connection?: Connection | undefined;
}

/** The settings of a connection as environment variables of k6, with the values that k6 does not need left out. */
export interface ConnectionVariables {
  readonly baseUrl: string;
  /** Values that are not secret. */
  readonly plain: Readonly<Record<string, string>>;
  /** Secret values, and the entries of the secret of a cluster that hold them. */
  readonly secret: Readonly<Record<string, { readonly value: string; readonly entry: string }>>;
}

/**
 * The variables that are the same for a process on this machine and for a pod: all except those for authorities and proxies.
 *
 * @throws an error of the system when `serverName` is set and the host's name does not resolve here.
 */
export async function connectionVariables({
  baseUrl,
  connection = {},
}: Reached): Promise<ConnectionVariables> {
  const plain: Record<string, string> = {};
  const secret: Record<string, { value: string; entry: string }> = {};
  for (const name of settingNames) {
    const { kind, variable, script, k6Environment, secretEntry, set } = connectionSettings[name];
    if (isSet(name, connection)) Object.assign(plain, k6Environment);
    if (script !== true) continue;
    const value =
      kind === "switch" ? isSet(name, connection) && set?.variable : settingValue(name, connection);
    if (typeof value !== "string") continue;
    if (secretEntry === undefined) plain[variable] = value;
    else secret[variable] = { value, entry: secretEntry };
  }
  const { headers = [], requestIdHeader = "off", serverName } = connection;
  const named = headers.map((header, place) => ({
    ...header,
    variable: header.variable ?? `SHELFCHECK_HEADER_${place + 1}`,
    isSecret: header.variable !== undefined,
  }));
  for (const { variable, value, isSecret } of named) {
    if (isSecret) secret[variable] = { value, entry: variable };
    else plain[variable] = value;
  }
  const renamed = serverName === undefined ? undefined : await renamedTo(serverName, baseUrl);
  return {
    baseUrl: renamed?.baseUrl ?? baseUrl,
    plain: {
      ...(renamed === undefined ? {} : { SHELFCHECK_HOSTS: renamed.hosts, SHELFCHECK_HOST: renamed.host }),
      ...(named.length === 0
        ? {}
        : { SHELFCHECK_HEADERS: named.map(({ name, variable }) => `${name}=${variable}`).join(",") }),
      ...plain,
      ...(requestIdHeader === traceparentHeader ? {} : { SHELFCHECK_REQUEST_ID_HEADER: requestIdHeader }),
    },
    secret,
  };
}

/** What the scripts read and a connection may leave out. It is emptied, so that nothing of another target is inherited. */
const emptied = Object.fromEntries(
  [
    "SHELFCHECK_HOSTS",
    connectionSettings.headers.variable,
    ...Object.values(connectionSettings).flatMap(({ script, variable }) =>
      script === true ? [variable] : [],
    ),
  ].map((variable) => [variable, ""]),
);

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
  const { baseUrl: address, plain, secret } = await connectionVariables(target);
  const secrets = Object.entries(secret).map(([variable, { value }]) => [variable, value]);
  const { GODEBUG } = plain;
  return {
    ...emptied,
    SHELFCHECK_BASE_URL: address,
    ...plain,
    ...Object.fromEntries(secrets),
    ...proxyVariables(baseUrl, proxy, env),
    ...(proxy === undefined && !env.K6_DNS ? await dnsVariables(baseUrl) : {}),
    ...(usesTls(baseUrl, proxy) && (ca.length > 0 || env.NODE_EXTRA_CA_CERTS)
      ? { SSL_CERT_FILE: await trustedFile(ca, folder) }
      : {}),
    ...(GODEBUG === undefined ? {} : { GODEBUG: [env.GODEBUG, GODEBUG].filter(Boolean).join(",") }),
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
