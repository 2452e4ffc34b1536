import { BlockList, isIP } from "node:net";
import { UsageError } from "../errors.ts";

/** The address in use, and the addresses for which config and environment allow load. */
export interface LoadPermission {
  readonly baseUrl: string;
  /** Name of the target in the config; undefined if it is given by its address only. */
  readonly name?: string | undefined;
  /** The config file, for messages. */
  readonly file?: string | undefined;
  /** Base URL in the target's entry, if the entry has `allowLoad: true`. */
  readonly allowedBaseUrl?: string | undefined;
  /** Value of SHELFCHECK_ALLOW_LOAD, hosts separated by commas. */
  readonly allowedHosts?: string | undefined;
}

/**
 * Checks before the first request, without resolving the name, that load or a burst over the rate limit is
 * allowed at a public address. The built-in service needs no permission.
 * @throws UsageError with the line to add to the config.
 */
export function requireLoadAllowed(
  { permission }: { readonly permission?: LoadPermission },
  pressure: "load" | "burst",
): void {
  if (permission === undefined) return;
  const { baseUrl, name, file, allowedBaseUrl, allowedHosts = "" } = permission;
  const { host, hostname } = new URL(baseUrl);
  const allowed = allowedBaseUrl === undefined ? undefined : new URL(allowedBaseUrl).host;
  const named = allowedHosts.toLowerCase().split(/[, ]+/);
  if (isOwnNetwork(hostname) || allowed === host || named.includes(host) || named.includes(hostname)) return;
  const isBurst = pressure === "burst";
  const line =
    name === undefined
      ? "an entry under targets in shelfcheck.config.ts, name it with --target, and give it this line: allowLoad: true"
      : `this line to targets.${name} in ${file}: allowLoad: true`;
  const fix =
    allowed === undefined
      ? `If you are allowed to send load to it, add ${line}`
      : `allowLoad of targets.${name} applies to ${allowed}, and the base URL in use comes from a flag or the environment.`;
  const others = '\nOr do not exceed its rate limit: set avoid: ["burst"], or skip the section limits.';
  throw new UsageError({
    what: `${isBurst ? "Exceeding the rate limit of" : "Load on"} an address that is not private must be allowed explicitly`,
    where: `${baseUrl}${name === undefined ? "" : `, target ${name}`}; no load was sent`,
    fix: `${fix}\nOr allow this host, and others after commas: SHELFCHECK_ALLOW_LOAD=${host}${isBurst ? others : ""}`,
  });
}

const networks = {
  ipv4: "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16",
  ipv6: "::/127 fc00::/7 fe80::/10",
} as const;
const ownNetworks = new BlockList();
for (const family of ["ipv4", "ipv6"] as const)
  for (const network of networks[family].split(" ")) {
    const [address = "", prefix] = network.split("/");
    ownNetworks.addSubnet(address, Number(prefix), family);
  }

// Never in the public DNS: RFC 6761, 6762 (appendix G), 8375 and 9476, `internal` of ICANN, and `svc` of
// Kubernetes, with services NAME.NAMESPACE.svc, or longer NAME.NAMESPACE.svc.cluster.local.
const ownDomains = "localhost local internal intranet private svc corp home lan test".split(" ");

/**
 * Whether a host is this machine or in a private network, without resolving it: a private address, a name of
 * one label, or one in a domain that is never public.
 * @param hostname As in `URL.hostname`: IPv6 addresses are in brackets.
 */
export function isOwnNetwork(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const version = isIP(host);
  if (version !== 0) return ownNetworks.check(host, version === 6 ? "ipv6" : "ipv4");
  const labels = host.toLowerCase().split(".");
  const isHome = labels.slice(-2).join(".") === "home.arpa";
  return labels.length === 1 || isHome || ownDomains.includes(labels.at(-1) ?? "");
}
