import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/**
 * The process that has a TCP connection from this port to one of this machine. Only Linux says so; undefined elsewhere, for
 * a process of another user, and when the connection is closed already.
 * @param likely processes to look at first: looking at all of them takes milliseconds.
 */
export function processOf(
  clientPort: number,
  likely: readonly (number | undefined)[] = [],
): number | undefined {
  try {
    const inode = ["/proc/net/tcp", "/proc/net/tcp6"]
      .map((table) => inodeIn(table, clientPort))
      .find(Boolean);
    if (inode === undefined) return undefined;
    const link = `socket:[${inode}]`;
    return likely.find((pid) => pid !== undefined && filesOf(pid).includes(link)) ?? ownerOf(link);
  } catch {
    return undefined;
  }
}

/** The inode of the socket that is bound to a port and connected. */
function inodeIn(table: string, port: number): string | undefined {
  const end = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const row = readFileSync(table, "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .find((columns) => columns[1]?.endsWith(end) === true && columns[9] !== "0");
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
