import { BlockList, isIP } from "node:net";
import { UsageError } from "../errors.ts";

/** What a run is about to do that a public address must allow: send load, or more than its rate limit accepts. */
export type Pressure = "load" | "burst";

/** What a choice of target knows of that; the built-in service may always be loaded. */
interface Choice {
  readonly permission?: LoadPermission;
}

/** For which address a target's config, or the environment, allows load. */
export interface LoadPermission {
  readonly baseUrl: string;
  /** Name of the target in the config; undefined for one that has only an address. */
  readonly name: string | undefined;
  /** Where the target's entry is, for messages. */
  readonly file: string;
  /** Address in the target's entry, when that says `allowLoad: true`. */
  readonly allowedBaseUrl: string | undefined;
  /** SHELFCHECK_ALLOW_LOAD: the host that load is meant for. */
  readonly allowedHost: string | undefined;
}

/**
 * Stops load and bursts at a public address that nobody allowed them for: before the first request, and before a name
 * is looked up.
 *
 * @throws UsageError with the line to add.
 */
export function requireLoadAllowed({ permission }: Choice, pressure: Pressure): void {
  if (permission === undefined) return;
  const { baseUrl, name, file, allowedBaseUrl, allowedHost } = permission;
  const { host, hostname } = new URL(baseUrl);
  if (isOwnNetwork(hostname)) return;
  if (allowedBaseUrl !== undefined && new URL(allowedBaseUrl).host === host) return;
  if (allowedHost === host || allowedHost === hostname) return;
  const others = {
    load: "",
    burst: ' Or do not exceed its rate limit: set avoid: ["burst"], or use --skip limits.',
  };
  throw new UsageError({
    what: {
      load: "Load on a public address must be allowed explicitly",
      burst: "Exceeding the rate limit of a public address must be allowed explicitly",
    }[pressure],
    where: `${baseUrl}${name === undefined ? "" : `, target ${name}`}; nothing was sent`,
    fix: `${lineToAdd()} Or, for this host only: SHELFCHECK_ALLOW_LOAD=${host}.${others[pressure]}`,
  });

  function lineToAdd(): string {
    if (name === undefined)
      return "If you are allowed to send load to it, add an entry under targets in shelfcheck.config.ts, with this line: allowLoad: true";
    if (allowedBaseUrl !== undefined)
      return `allowLoad of targets.${name} applies to ${new URL(allowedBaseUrl).host}, and the base URL in use comes from a flag or the environment.`;
    return `If you are allowed to send load to it, add this line to targets.${name} in ${file}: allowLoad: true`;
  }
}

const ownNetworks = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const)
  ownNetworks.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["::", 127],
  ["fc00::", 7],
  ["fe80::", 10],
] as const)
  ownNetworks.addSubnet(network, prefix, "ipv6");

// RFC 6761, 6762 (with its appendix G), 8375 and 9476, and ICANN's `internal`: names that no public name server answers.
const ownDomains = new Set([
  "localhost",
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "test",
]);

/**
 * Whether a host is this machine or in a private network, by its look alone: a private address, a name of one label, or
 * one below a domain that is never public.
 *
 * @param hostname As URL gives it: IPv6 in brackets.
 */
export function isOwnNetwork(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const version = isIP(host);
  if (version !== 0) return ownNetworks.check(host, version === 6 ? "ipv6" : "ipv4");
  const labels = host.toLowerCase().split(".");
  return (
    labels.length === 1 || ownDomains.has(labels.at(-1) ?? "") || labels.slice(-2).join(".") === "home.arpa"
  );
}
