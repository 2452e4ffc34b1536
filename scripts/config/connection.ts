import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createSecureContext } from "node:tls";
import { keyHeaders } from "../../schemas/api.ts";
import { type Connection, connectionSettings, type GatewayHeader } from "../../schemas/connection.ts";
import type { Config, TargetConfig } from "../../schemas/contracts/config.ts";
import { traceparentHeader } from "../../schemas/request-id.ts";
import { UsageError } from "../errors.ts";
import { checkedSecret, looksLikeKey, masked, refuseEmpty, requiredVariable } from "./keys.ts";
import { proxyFor } from "./proxy.ts";

export interface ConnectionSources {
  readonly own: TargetConfig | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** The target's entry in the config, for messages. */
  readonly place: string;
  /** Folder of the config file. Paths in the config are relative to it, paths in variables to `cwd`. */
  readonly folder: string;
  readonly cwd: string;
}

/**
 * Reads how a target is reached. Its entry in the config overrides the environment.
 *
 * @throws UsageError for a header that cannot be sent, a variable that is not set, a file that cannot be read, a secret in the
 *   config, or as proxyFor.
 */
export function readConnection(sources: ConnectionSources, baseUrl: string): Connection {
  const headers = readHeaders(sources);
  return {
    host: readHost(sources),
    requestIdHeader: readRequestIdHeader(sources),
    ...readCertificates(sources),
    insecure: switchOf("insecure", sources),
    http2: switchOf("http2", sources),
    headers: headers.length === 0 ? undefined : headers,
    proxy: proxyFor(baseUrl, sources.env),
  };
}

type TextSetting = "host" | "requestIdHeader" | "ca" | "clientCertificate" | "clientKey";

/** A setting as the user gave it: in the config, which overrides the variable. `folder`: that of its paths. */
function givenAs(name: TextSetting, { own, env, place, folder, cwd }: ConnectionSources) {
  const { variable } = connectionSettings[name];
  refuseEmpty(env, variable);
  const configured = own?.[name];
  return configured === undefined
    ? { value: env[variable], where: variable, folder: cwd }
    : { value: configured, where: `${place}.${name}`, folder };
}

function switchOf(name: "insecure" | "http2", { own, env }: ConnectionSources): boolean | undefined {
  const { set, variable } = connectionSettings[name];
  const value = env[variable];
  if (set === undefined) return own?.[name];
  if (value !== undefined && value !== set.variable && value !== set.otherwise) {
    throw new UsageError({
      what: `The value ${JSON.stringify(value)} is neither ${set.variable} nor ${set.otherwise}`,
      where: variable,
      fix: `Set it to ${set.variable} or ${set.otherwise}, or unset it.`,
    });
  }
  return own?.[name] ?? (value === set.variable ? set.config : undefined);
}

function readHost(sources: ConnectionSources): string | undefined {
  const { value: host, where } = givenAs("host", sources);
  if (host === undefined || /^[\w.:[\]-]+$/.test(host)) return host;
  throw new UsageError({
    what: `The host ${JSON.stringify(host)} is not allowed in a Host header`,
    where,
    fix: "Expected a host name, with a port if needed, such as catalog.example.com:8443.",
  });
}

function readRequestIdHeader(sources: ConnectionSources): string | undefined {
  const { value: name = traceparentHeader, where } = givenAs("requestIdHeader", sources);
  if (name === "off") return undefined;
  refuseName(name, where);
  return name;
}

function readCertificates(
  sources: ConnectionSources,
): Pick<Connection, "ca" | "caOfSystem" | "clientCertificate" | "clientKey"> {
  const { env } = sources;
  const ca = pemOf("ca", sources);
  // Go reads SSL_CERT_FILE itself, Node does not.
  const systems = env.SSL_CERT_FILE ? readPem(env.SSL_CERT_FILE, "SSL_CERT_FILE", sources.cwd) : undefined;
  const clientCertificate = pemOf("clientCertificate", sources);
  const clientKey = pemOf("clientKey", sources);
  const [given, missing] =
    clientCertificate === undefined
      ? (["clientKey", "clientCertificate"] as const)
      : (["clientCertificate", "clientKey"] as const);
  if ((clientCertificate === undefined) !== (clientKey === undefined)) {
    throw new UsageError({
      what: "Only one of client certificate and client key is set",
      where: givenAs(given, sources).where,
      fix: `Set ${missing} in the target's entry or ${connectionSettings[missing].variable}, or neither of the two.`,
    });
  }
  const authorities = [ca, systems].flatMap((pem) => pem ?? []);
  requirePair(clientCertificate, clientKey, sources);
  return {
    ca: authorities.length === 0 ? undefined : authorities,
    caOfSystem: systems === undefined ? undefined : [systems],
    clientCertificate,
    clientKey,
  };
}

/** @throws UsageError when Node cannot use certificate and key together. No server would accept them. */
function requirePair(cert: string | undefined, key: string | undefined, sources: ConnectionSources): void {
  if (cert === undefined) return;
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new UsageError(
      {
        what: "The client certificate and the client key cannot be read, do not belong together, or the key needs a passphrase",
        where: `${givenAs("clientCertificate", sources).where}, ${givenAs("clientKey", sources).where}`,
        fix: "Expected a certificate in PEM format, and the key with which it was made. To remove its passphrase: openssl pkey -in KEY -out NEW_KEY",
      },
      { cause: error },
    );
  }
}

function pemOf(name: "ca" | "clientCertificate" | "clientKey", sources: ConnectionSources) {
  const { value, where, folder } = givenAs(name, sources);
  return value === undefined ? undefined : readPem(value, where, folder);
}

function readPem(name: string, where: string, folder: string): string {
  const path = resolve(folder, name);
  let pem: string;
  try {
    pem = readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(
      {
        what: `The file ${path} cannot be read`,
        where,
        fix: "Correct the path. In a configuration file, it is relative to that file.",
      },
      { cause: error },
    );
  }
  if (pem.includes("-----BEGIN ")) return pem;
  throw new UsageError({
    what: `The file ${path} is not in PEM format`,
    where,
    fix: "Expected -----BEGIN …. To convert a certificate: openssl x509 -inform der -in FILE",
  });
}

/** Names of the variables that hold other secrets than keys, for all targets. */
export function secretVariables({ targets = {} }: Config, env: NodeJS.ProcessEnv): string[] {
  const ofTargets = Object.values(targets).flatMap(({ headers = {} }) =>
    Object.values(headers).flatMap((value) => (typeof value === "string" ? [] : [value.env])),
  );
  return [...ofTargets, ...listedHeaders(env).map(([, variable]) => variable)];
}

function readHeaders({ own, env, place }: ConnectionSources): GatewayHeader[] {
  refuseEmpty(env, "SHELFCHECK_HEADERS");
  const configured = own?.headers;
  const entries: (readonly [name: string, value: string | { env: string }, where: string])[] =
    configured === undefined
      ? listedHeaders(env).map(([name, variable]) => [name, { env: variable }, "SHELFCHECK_HEADERS"])
      : Object.entries(configured).map(([name, value]) => [name, value, `${place}.headers`]);
  return entries.map(([name, value, where]) => {
    refuseName(name, where);
    if (typeof value !== "string") {
      const fix = `Set it to the value of the header ${name}, or remove the header.`;
      const secret = checkedSecret(requiredVariable(env, value.env, fix), value.env);
      return { name, value: secret, variable: value.env };
    }
    if (looksLikeKey(value)) {
      throw new UsageError({
        what: `${masked(value)} looks like a secret`,
        where: `${where}[${JSON.stringify(name)}]`,
        fix: `Put it in an environment variable, and refer to that here: env("CF_SECRET").`,
      });
    }
    return { name, value };
  });
}

/** Parses SHELFCHECK_HEADERS: `Name=VARIABLE, Name=VARIABLE`. */
function listedHeaders({
  SHELFCHECK_HEADERS: list = "",
}: NodeJS.ProcessEnv): [name: string, variable: string][] {
  return list.split(",").flatMap((entry): [string, string][] => {
    const [, name, variable] = entry.trim().match(/^([^=\s]+)\s*=\s*(\w+)$/) ?? [];
    if (name !== undefined && variable !== undefined) return [[name, variable]];
    if (entry.trim() === "") return [];
    throw new UsageError({
      what: `An entry does not have the form Name=VARIABLE: ${masked(entry.trim())}`,
      where: "SHELFCHECK_HEADERS",
      fix: "Expected headers and the variables that hold their values, separated by commas, such as CF-Access-Client-Id=CF_ID.",
    });
  });
}

// Keys have their own settings, and the clients set the other headers.
const taken = new Set([
  ...Object.values(keyHeaders).map((name) => name.toLowerCase()),
  ...["host", "connection", "content-length", "content-type", "transfer-encoding"],
]);

function refuseName(name: string, where: string): void {
  const isToken = /^[!#$%&'*+.^`|~\w-]+$/.test(name);
  if (isToken && !taken.has(name.toLowerCase())) return;
  throw new UsageError({
    what: isToken ? `The header ${name} cannot be set here` : `${masked(name)} is not a header name`,
    where,
    fix: isToken
      ? "For an API key use the setting keys, for Host the setting host; shelfcheck sets the other headers itself."
      : "Expected letters, digits and dashes.",
  });
}
