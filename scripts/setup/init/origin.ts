import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Host of the repository's remote `origin`; empty without one, or without git. Only the host: an address may hold
 * a password.
 */
export async function originOf(root: string): Promise<string> {
  try {
    const { stdout } = await run("git", ["-C", root, "config", "--get", "remote.origin.url"]);
    return hostOf(stdout.trim());
  } catch {
    return "";
  }
}

/** Of `https://user:password@host/path`, `ssh://git@host:22/path` and `git@host:path`. */
function hostOf(address: string): string {
  const parsed = URL.parse(address);
  if (parsed !== null && parsed.host !== "") return parsed.hostname;
  return address.match(/^(?:[^@/]+@)?([^:/]+):/)?.[1] ?? "";
}
