import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { WireConnection } from "../../service/wire.ts";

/**
 * The process that has the TCP connection between these ports of this machine. Only Linux says so; undefined elsewhere, for
 * a process of another user, and when the connection is closed already.
 * @param likely processes to look at first: looking at all of them takes milliseconds.
 */
export function processOf(
  ports: Pick<WireConnection, "clientPort" | "serverPort">,
  likely: readonly (number | undefined)[] = [],
): number | undefined {
  try {
    const inode = ["/proc/net/tcp", "/proc/net/tcp6"].map((table) => inodeIn(table, ports)).find(Boolean);
    if (inode === undefined) return undefined;
    const link = `socket:[${inode}]`;
    return likely.find((pid) => pid !== undefined && filesOf(pid).includes(link)) ?? ownerOf(link);
  } catch {
    return undefined;
  }
}

/** The inode of the client's socket. Other connections may have the same port at one end. */
function inodeIn(
  table: string,
  { clientPort, serverPort }: Pick<WireConnection, "clientPort" | "serverPort">,
): string | undefined {
  const [local, remote] = [clientPort, serverPort].map(
    (port) => `:${port.toString(16).toUpperCase().padStart(4, "0")}`,
  );
  const row = readFileSync(table, "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .find(([, from = "", to = "", ...rest]) => {
      return from.endsWith(local ?? "") && to.endsWith(remote ?? "") && rest[6] !== "0";
    });
  return row?.[9];
}

function ownerOf(link: string): number | undefined {
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number)
    .toSorted((a, b) => b - a)
    .find((pid) => filesOf(pid).includes(link));
}

function filesOf(pid: number): string[] {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).flatMap((name) => {
      try {
        return [readlinkSync(`${folder}/${name}`)];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}
