import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { relative, resolve } from "node:path";
import { createSecureContext } from "node:tls";
import { keyHeaders } from "../../schemas/api.ts";
import {
  type Connection,
  connectionSettings,
  type GatewayHeader,
  settingNames,
  settingText,
} from "../../schemas/connection.ts";
import type { Config, TargetConfig } from "../../schemas/contracts/config.ts";
import { keyVariables, placeholderOf } from "../../schemas/redaction.ts";
import { traceparentHeader } from "../../schemas/request-id.ts";
import { UsageError } from "../errors.ts";
import { looksLikeKey, masked, refuseEmpty, requiredSecret } from "./keys.ts";

interface ConnectionSources {
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
 * @throws UsageError for a header that cannot be sent, a variable that is not set, a file that cannot be
 * read, a secret in the config, or as proxyFor.
 */
export function readConnection(sources: ConnectionSources, baseUrl: string): Connection {
  const { env, cwd } = sources;
  const [certificate, key] = [settingOf("clientCertificate", sources), settingOf("clientKey", sources)];
  // Go reads SSL_CERT_FILE itself, Node does not.
  const ofSystem = pemOf({ text: env.SSL_CERT_FILE || undefined, where: "SSL_CERT_FILE", folder: cwd });
  const caOfSystem = ofSystem === undefined ? undefined : [ofSystem];
  const ca = [pemOf(settingOf("ca", sources)) ?? [], caOfSystem ?? []].flat();
  const requestIdHeader = idHeaderOf(settingOf("requestIdHeader", sources));
  const headers = readHeaders(sources, requestIdHeader);
  const connection: Connection = {
    host: hostOf(settingOf("host", sources)),
    requestIdHeader,
    clientCertificate: pemOf(certificate),
    clientKey: pemOf(key),
    insecure: switchOf("insecure", sources),
    http2: switchOf("http2", sources),
    ca: ca.length === 0 ? undefined : ca,
    caOfSystem,
    headers: headers.length === 0 ? undefined : headers,
    proxy: proxyFor(baseUrl, env),
  };
  requirePair(connection, certificate.where, key.where);
  return { ...connection, curl: curlOptions(sources, baseUrl, connection) };
}

/** A setting as the user gave it, and the place of that for messages. */
interface Given {
  readonly text: string | undefined;
  readonly where: string;
  /** Paths in it are relative to this folder. */
  readonly folder: string;
}

function settingOf(
  name: "host" | "requestIdHeader" | "ca" | "clientCertificate" | "clientKey",
  { own, env, place, folder, cwd }: ConnectionSources,
): Given {
  const { variable } = connectionSettings[name];
  refuseEmpty(env, variable);
  const text = own?.[name];
  return text === undefined
    ? { text: env[variable], where: variable, folder: cwd }
    : { text, where: `${place}.${name}`, folder };
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

function hostOf({ text: host, where }: Given): string | undefined {
  if (host === undefined || /^[\w.:[\]-]+$/.test(host)) return host;
  throw new UsageError({
    what: `The host ${JSON.stringify(host)} is not allowed in a Host header`,
    where,
    fix: "Expected a host name, with a port if needed, such as catalog.example.com:8443.",
  });
}

function idHeaderOf({ text: name = traceparentHeader, where }: Given): string | undefined {
  if (name === "off") return undefined;
  refuseName(name, where);
  return name;
}

/** The text of a file with certificates or a key. */
function pemOf({ text: name, where, folder }: Given): string | undefined {
  if (name === undefined) return undefined;
  const path = resolve(folder, name);
  let pem: string;
  try {
    pem = readFileSync(path, "utf8");
  } catch (cause) {
    const fix = `Correct the path. If it is relative, it begins at ${folder}.`;
    throw new UsageError({ what: `The file ${path} cannot be read`, where, fix }, { cause });
  }
  if (pem.includes("-----BEGIN ")) return pem;
  const fix = "Expected -----BEGIN …. To convert a certificate: openssl x509 -inform der -in FILE";
  throw new UsageError({ what: `The file ${path} is not in PEM format`, where, fix });
}

/** @throws UsageError for one of the two, or a pair that Node cannot use: no server would accept them. */
function requirePair(
  { clientCertificate: cert, clientKey: key }: Connection,
  ofCertificate: string,
  ofKey: string,
): void {
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
  const listed = listedHeaders(env).map(([, { env: variable }]) => variable);
  return [...Object.values(keyVariables), ...ofTargets, ...listed];
}

function readHeaders({ own, env, place }: ConnectionSources, ofIds = ""): GatewayHeader[] {
  refuseEmpty(env, "SHELFCHECK_HEADERS");
  const where = own?.headers === undefined ? "SHELFCHECK_HEADERS" : `${place}.headers`;
  const entries = own?.headers === undefined ? listedHeaders(env) : Object.entries(own.headers);
  return entries.map(([name, value], at) => {
    refuseName(name, where, [ofIds, ...entries.slice(0, at).map(([before]) => before)]);
    if (typeof value !== "string") {
      const fix = `Set it to the value of the header ${name}, or remove the header.`;
      return { name, value: requiredSecret(env, value.env, fix), variable: value.env };
    }
    if (!looksLikeKey(value)) return { name, value };
    throw new UsageError({
      what: `${masked(value)} looks like a secret`,
      where: `${where}[${JSON.stringify(name)}]`,
      fix: `Put it in an environment variable, and refer to that here: env("CF_SECRET").`,
    });
  });
}

/** Parses SHELFCHECK_HEADERS: `Name=VARIABLE, Name=VARIABLE`. */
function listedHeaders({
  SHELFCHECK_HEADERS: list = "",
}: NodeJS.ProcessEnv): [name: string, { readonly env: string }][] {
  const entries = list.split(",").map((entry) => entry.trim());
  return entries.filter(Boolean).map((entry) => {
    const [, name, variable] = entry.match(/^([^=\s]+)\s*=\s*(\w+)$/) ?? [];
    if (name !== undefined && variable !== undefined) return [name, { env: variable }];
    throw new UsageError({
      what: `An entry does not have the form Name=VARIABLE: ${masked(entry)}`,
      where: "SHELFCHECK_HEADERS",
      fix: "Expected headers and the variables that hold their values, separated by commas, such as CF-Access-Client-Id=CF_ID.",
    });
  });
}

// Keys have their own settings, and the clients set the other headers.
const taken = [
  ...Object.values(keyHeaders),
  ...["accept", "host", "connection", "content-length", "content-type", "transfer-encoding"],
];

/** @param others Names that are taken besides. */
function refuseName(name: string, where: string, others: readonly string[] = []): void {
  const isToken = /^[!#$%&'*+.^`|~\w-]+$/.test(name);
  const isTaken = [...taken, ...others].some((one) => one.toLowerCase() === name.toLowerCase());
  if (isToken && !isTaken) return;
  throw new UsageError({
    what: isToken ? `The header ${name} cannot be set here` : `${masked(name)} is not a header name`,
    where,
    fix: isToken
      ? "For an API key use the setting keys, for Host the setting host, and name no header twice; shelfcheck sets the others itself."
      : "Expected letters, digits and dashes.",
  });
}

/** Options of curl for reports: secrets as names of variables, files as paths from the working directory. */
export function curlOptions(
  { own, env, folder, cwd }: ConnectionSources,
  baseUrl: string,
  connection: Connection,
): string[] | undefined {
  /** An option whose value is in the first of these variables that is set. */
  const from = (option: string, ...names: readonly string[]): string[] => {
    const variable = names.find((name) => env[name]);
    return variable === undefined ? [] : [option, placeholderOf(variable)];
  };
  const isTls = new URL(baseUrl).protocol === "https:";
  const usual = isTls ? "HTTPS_PROXY" : "HTTP_PROXY";
  const proxy = from("--proxy", usual.toLowerCase(), usual);
  // curl may use a proxy from the environment where shelfcheck does not.
  const isDirect = proxy.length > 0 && connection.proxy === undefined;
  const ofTls = (isTls ? settingNames : []).flatMap((name) => {
    const { set, curl, variable } = connectionSettings[name];
    if (curl === undefined) return [];
    if (set !== undefined) return settingText(name, connection) === undefined ? [] : [curl];
    const configured = own?.[name];
    if (typeof configured === "string") return [curl, relative(cwd, resolve(folder, configured))];
    // curl reads SSL_CERT_FILE itself.
    return from(curl, variable, ...(name === "ca" ? ["NODE_EXTRA_CA_CERTS"] : []));
  });
  const options = [...(isDirect ? ["--noproxy", "*"] : proxy), ...ofTls];
  return options.length === 0 ? undefined : options;
}

/**
 * The proxy of the environment for an address, if any: HTTP_PROXY or HTTPS_PROXY by scheme, in either case,
 * as in curl and Go. Hosts in NO_PROXY, their subdomains and loopback addresses are reached directly;
 * networks in it are not read.
 * @throws UsageError for a value that is not the URL of a proxy. It omits the value: it may hold a password.
 */
export function proxyFor(baseUrl: string, env: NodeJS.ProcessEnv): string | undefined {
  const { protocol, hostname, port } = new URL(baseUrl);
  const usual = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const variable = [usual.toLowerCase(), usual].find((name) => (env[name] ?? "") !== "");
  if (variable === undefined || isLoopback(hostname)) return undefined;
  const direct = (env.no_proxy ?? env.NO_PROXY ?? "").split(/[\s,]+/).filter((entry) => entry !== "");
  const usualPort = protocol === "https:" ? "443" : "80";
  if (direct.some((entry) => covers(entry, hostname, port || usualPort))) return undefined;
  const value = env[variable] ?? "";
  const proxy = URL.parse(value.includes("://") ? value : `http://${value}`);
  if (proxy !== null && /^https?:$/.test(proxy.protocol) && isEncoded(proxy.username + proxy.password)) {
    // As in curl, a path in it has no meaning.
    proxy.pathname = "/";
    return proxy.href;
  }
  throw new UsageError({
    what: "The value is not the URL of an HTTP proxy",
    where: variable,
    fix: "Expected http://host:port, for example http://proxy.example.com:3128, or http://user:password@host:port, percent-encoded. To bypass the proxy, put the target's host in NO_PROXY.",
  });
}

/** Whether a percent sign in it always begins an escape. */
function isEncoded(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}

/** @param hostname As in `URL.hostname`, where IPv6 addresses are in brackets, or without them. */
export function isLoopback(hostname: string): boolean {
  const loopback = /^((.+\.)?localhost\.?|127\.\d+\.\d+\.\d+|\[?::1\]?|\[?::ffff:7f[\da-f]{2}:[\da-f]+\]?)$/i;
  return loopback.test(hostname);
}

/** Whether an entry of NO_PROXY is for a host: `*`, an address, a name or a domain, perhaps with a port. */
function covers(entry: string, hostname: string, port: string): boolean {
  // An IPv6 address is written in several ways; a URL has one of them.
  const address = entry.replace(/^\[|\]$/g, "");
  if (isIP(address) === 6) return new URL(`http://[${address}]`).hostname === hostname;
  const [, host = "", wantedPort = port] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
  const isHost = entry === "*" || hostname === host || hostname.endsWith(`.${host}`);
  return isHost && wantedPort === port;
}
