import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { trustedAuthorities } from "../../conformance/client/dispatcher.ts";
import type { Target } from "../../conformance/client/target.ts";
import { type Connection, connectionSettings, settingNames, settingText } from "../../schemas/connection.ts";

/** An environment variable of k6. Its value is secret if an entry of the secret of a cluster holds it. */
export interface K6Variable {
  readonly name: string;
  readonly value: string;
  readonly entry?: string | undefined;
}

/**
 * The settings of a target as variables of k6, for this machine and pods alike, hence without authorities and
 * proxies. What is not set is empty, so that nothing of another target is inherited.
 */
export function connectionVariables(connection: Connection = {}): K6Variable[] {
  const { headers = [], requestIdHeader = "off" } = connection;
  const ofTable = settingNames.flatMap((name): K6Variable[] => {
    const { variable, k6, secretEntry } = connectionSettings[name];
    const value = settingText(name, { ...connection, requestIdHeader });
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
  return [...ofTable, { name: connectionSettings.headers.variable, value: listed }, ...ofHeaders];
}

/**
 * The settings of a connection for k6 on this machine. Not as arguments, which the list of processes shows.
 * @param folder for a file with the trusted certificate authorities, which k6 reads. It holds no secret.
 */
export async function environmentForTarget(
  { baseUrl, connection = {} }: Pick<Target, "baseUrl" | "connection">,
  env: NodeJS.ProcessEnv,
  folder: string,
): Promise<NodeJS.ProcessEnv> {
  const { ca = [], proxy } = connection;
  const ofTarget: NodeJS.ProcessEnv = Object.fromEntries(
    connectionVariables(connection).map(({ name, value }) => [name, value]),
  );
  const debugging = [env.GODEBUG, ofTarget.GODEBUG].filter(Boolean).join(",");
  return {
    SHELFCHECK_BASE_URL: baseUrl,
    ...ofTarget,
    ...proxyVariables(baseUrl, proxy, env),
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
 * k6 reads them in its own way (`.example.com` is not `example.com`, networks count, capital letters come first):
 * what we reach directly, it must too, and the rest through the same proxy.
 */
function proxyVariables(baseUrl: string, proxy: string | undefined, env: NodeJS.ProcessEnv) {
  const { hostname, protocol } = new URL(baseUrl);
  const direct = (env.no_proxy ?? env.NO_PROXY ?? "").split(/[\s,]+/).filter(Boolean);
  if (proxy === undefined) {
    // Go takes an IPv6 address without brackets here.
    const NO_PROXY = [...direct, hostname.replace(/^\[|\]$/g, "")].join(",");
    return { NO_PROXY, no_proxy: NO_PROXY };
  }
  const NO_PROXY = direct.filter((entry) => !entry.includes("/")).join(",");
  const name = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  return { NO_PROXY, no_proxy: NO_PROXY, [name]: proxy, [name.toLowerCase()]: proxy };
}

/** Writes all trusted authorities to one file, since SSL_CERT_FILE replaces those of the system. */
async function trustedFile(authorities: readonly string[], folder: string): Promise<string> {
  const path = join(folder, "authorities.pem");
  await writeFile(path, [...trustedAuthorities(), ...authorities].join("\n"));
  return path;
}

/** Variables of k6 that reach it: those of its outputs, of the address of its dashboard, and of DNS. */
const passedOn = /^K6_(OUT|DNS|WEB_DASHBOARD_(HOST|PORT)|(PROMETHEUS_RW|INFLUXDB|OTEL|CSV|CLOUD)_.*)$/;

/** The environment without the variables of k6 that would change a run. */
export function k6Environment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith("K6_") || passedOn.test(name)),
  );
}
