import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createSecureContext } from "node:tls";
import { keyHeaders } from "../../schemas/api.ts";
import { type Connection, connectionSettings, type GatewayHeader } from "../../schemas/connection.ts";
import type { Config, TargetConfig } from "../../schemas/contracts/config.ts";
import { keyVariables } from "../../schemas/redaction.ts";
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
  const { SSL_CERT_FILE: ofSystem } = sources.env;
  // Go reads SSL_CERT_FILE itself, Node does not.
  const caOfSystem = ofSystem ? [pemOf("SSL_CERT_FILE", ofSystem, sources.cwd)] : undefined;
  const own = settingOf("ca", sources, pemOf);
  const ca = [...(own === undefined ? [] : [own]), ...(caOfSystem ?? [])];
  const connection = {
    host: settingOf("host", sources, hostOf),
    requestIdHeader: settingOf("requestIdHeader", sources, idHeaderOf, traceparentHeader),
    clientCertificate: settingOf("clientCertificate", sources, pemOf),
    clientKey: settingOf("clientKey", sources, pemOf),
    insecure: switchOf("insecure", sources),
    http2: switchOf("http2", sources),
    ca: ca.length === 0 ? undefined : ca,
    caOfSystem,
    headers: headers.length === 0 ? undefined : headers,
    proxy: proxyFor(baseUrl, sources.env),
  };
  requirePair(connection, sources);
  return connection;
}

type TextSetting = "host" | "requestIdHeader" | "ca" | "clientCertificate" | "clientKey";

/** Reads a setting as the user gave it: in the config, which overrides the variable. */
function settingOf<Value>(
  name: TextSetting,
  sources: ConnectionSources,
  read: (where: string, text: string, folder: string) => Value,
  usual?: string,
): Value | undefined {
  const { own, env, folder, cwd } = sources;
  const { variable } = connectionSettings[name];
  refuseEmpty(env, variable);
  const configured = own?.[name];
  const text = configured ?? env[variable] ?? usual;
  return text === undefined
    ? undefined
    : read(placeOf(name, sources), text, configured === undefined ? cwd : folder);
}

/** Where a setting was given, for messages. */
function placeOf(name: TextSetting, { own, place }: ConnectionSources): string {
  return own?.[name] === undefined ? connectionSettings[name].variable : `${place}.${name}`;
}

function switchOf(name: "insecure" | "http2", { own, env }: ConnectionSources): boolean | undefined {
  const { set, variable } = connectionSettings[name];
  const value = env[variable];
  if (own?.[name] !== undefined || set === undefined || value === undefined) return own?.[name];
  if (value === set.variable) return set.config;
  if (value === set.otherwise) return !set.config;
  throw new UsageError({
    what: `The value ${JSON.stringify(value)} is neither ${set.variable} nor ${set.otherwise}`,
    where: variable,
    fix: `Set it to ${set.variable} or ${set.otherwise}, or unset it.`,
  });
}

function hostOf(where: string, host: string): string {
  if (/^[\w.:[\]-]+$/.test(host)) return host;
  throw new UsageError({
    what: `The host ${JSON.stringify(host)} is not allowed in a Host header`,
    where,
    fix: "Expected a host name, with a port if needed, such as catalog.example.com:8443.",
  });
}

function idHeaderOf(where: string, name: string): string | undefined {
  if (name === "off") return undefined;
  refuseName(name, where);
  return name;
}

/** The text of a file with certificates or a key. */
function pemOf(where: string, name: string, folder: string): string {
  const path = resolve(folder, name);
  let pem: string;
  try {
    pem = readFileSync(path, "utf8");
  } catch (cause) {
    const fix = "Correct the path. In a configuration file, it is relative to that file.";
    throw new UsageError({ what: `The file ${path} cannot be read`, where, fix }, { cause });
  }
  if (pem.includes("-----BEGIN ")) return pem;
  const fix = "Expected -----BEGIN …. To convert a certificate: openssl x509 -inform der -in FILE";
  throw new UsageError({ what: `The file ${path} is not in PEM format`, where, fix });
}

/** @throws UsageError when only one of the two is set, or Node cannot use both together. No server would accept them. */
function requirePair(
  { clientCertificate: cert, clientKey: key }: Pick<Connection, "clientCertificate" | "clientKey">,
  sources: ConnectionSources,
): void {
  const [ofCertificate, ofKey] = [placeOf("clientCertificate", sources), placeOf("clientKey", sources)];
  if ((cert === undefined) !== (key === undefined)) {
    throw new UsageError({
      what: "Only one of client certificate and client key is set",
      where: cert === undefined ? ofKey : ofCertificate,
      fix: "Set clientCertificate and clientKey in the target's entry, or their variables, or neither of the two.",
    });
  }
  try {
    if (cert !== undefined) createSecureContext({ cert, key });
  } catch (cause) {
    const what =
      "The client certificate and the client key cannot be read, do not belong together, or the key needs a passphrase";
    const fix =
      "Expected a certificate in PEM format, and the key with which it was made. To remove its passphrase: openssl pkey -in KEY -out NEW_KEY";
    throw new UsageError({ what, where: `${ofCertificate}, ${ofKey}`, fix }, { cause });
  }
}

/** Names of the variables that hold the secrets of all targets: keys, and values of headers. */
export function secretVariables({ targets = {} }: Config, env: NodeJS.ProcessEnv): string[] {
  const ofTargets = Object.values(targets).flatMap(({ keys = {}, headers = {} }) => [
    ...Object.values(keys),
    ...Object.values(headers).flatMap((value) => (typeof value === "string" ? [] : [value.env])),
  ]);
  const listed = listedHeaders(env).map(([, variable]) => variable);
  return [...Object.values(keyVariables), ...ofTargets, ...listed];
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
      const secret = checkedSecret(requiredVariable(env, value.env, fix), value.env, "value");
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
