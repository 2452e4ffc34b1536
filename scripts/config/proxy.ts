import { isIP } from "node:net";
import { UsageError } from "../errors.ts";

/**
 * The proxy of the environment for an address, if any: HTTP_PROXY or HTTPS_PROXY by scheme, in either case,
 * as in curl and Go. Hosts in NO_PROXY, their subdomains and loopback addresses are reached directly;
 * networks in it are not read.
 * @throws UsageError for a value that is not the URL of a proxy. It omits the value, which may hold a
 * password.
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
  if (proxy !== null && /^https?:$/.test(proxy.protocol) && proxy.hostname !== "") return proxy.href;
  throw new UsageError({
    what: "The value is not the URL of an HTTP proxy",
    where: variable,
    fix: "Expected http://host:port, for example http://proxy.example.com:3128. To bypass the proxy, put the target's host in NO_PROXY.",
  });
}

/** @param hostname As in `URL.hostname`: IPv6 addresses are in brackets. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i.test(hostname);
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
