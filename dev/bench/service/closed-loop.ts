import { connect } from "node:net";

/** What a closed loop of connections measured. */
export interface LoopResult {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds from request to response, sorted. */
  readonly latencies: Float64Array;
  readonly statuses: Readonly<Record<string, number>>;
}

/**
 * Sends requests on a few connections, on each the next one as soon as the response to the last has arrived: just enough
 * HTTP to keep a server on the same machine busy. Responses need a Content-Length. Uses a whole CPU core.
 * @param requests HTTP/1.1 requests as bytes, sent in turn.
 */
export async function closedLoop(
  port: number,
  requests: readonly Buffer[],
  { connections, total }: { connections: number; total: number },
): Promise<LoopResult> {
  const latencies = new Float64Array(total);
  const statuses: Record<string, number> = {};
  let sent = 0;
  let answered = 0;
  const started = performance.now();
  // Never sleeps: waking this process up would be a large part of the server's cost of a response.
  let spinning = setImmediate(function spin() {
    spinning = setImmediate(spin);
  });
  await Promise.all(Array.from({ length: Math.min(connections, total) }, runConnection));
  clearImmediate(spinning);
  const seconds = (performance.now() - started) / 1000;
  return { requests: answered, seconds, latencies: latencies.sort(), statuses };

  function runConnection(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let missing = -1;
    let sentAt = 0;
    let head = "";
    const next = () => {
      const request = requests[sent % requests.length];
      if (sent >= total || request === undefined) {
        socket.end();
        return;
      }
      sent++;
      sentAt = performance.now();
      socket.write(request);
    };
    socket.on("connect", next);
    socket.on("error", reject);
    socket.on("close", () => resolve());
    socket.on("data", (chunk: Buffer) => {
      if (missing === -1) {
        head += chunk.toString("latin1");
        const end = head.indexOf("\r\n\r\n");
        if (end === -1) return;
        const length = /content-length: (\d+)/i.exec(head)?.[1];
        if (length === undefined) {
          reject(new Error(`a response without Content-Length: ${head.slice(0, 200)}`));
          return;
        }
        const status = head.slice(9, 12);
        statuses[status] = (statuses[status] ?? 0) + 1;
        missing = Number(length) - (head.length - end - 4);
        head = "";
      } else {
        missing -= chunk.length;
      }
      if (missing > 0) return;
      missing = -1;
      latencies[answered++] = performance.now() - sentAt;
      next();
    });
    return promise;
  }
}

/** A percentile of sorted latencies. jstat's percentile is off by one near the end. */
export function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
