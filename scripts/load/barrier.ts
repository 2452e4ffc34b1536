import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Holds processes until all of them are ready. */
export interface Barrier {
  /** Each process asks this address once, and gets its answer when all have asked. */
  readonly url: string;
  /** Lets everybody through, as when one of them will never come. */
  open(): void;
  close(): Promise<void>;
}

/** Starts a barrier for `count` processes on a free port of this machine. */
export async function startBarrier(count: number): Promise<Barrier> {
  const waiting: ServerResponse[] = [];
  let isOpen = false;
  const open = () => {
    isOpen = true;
    // 204: the time series has the latency of answers 200, and this wait is none of the target's.
    for (const response of waiting.splice(0)) response.writeHead(204).end();
  };
  const server = createServer((_request, response) => {
    waiting.push(response);
    if (isOpen || waiting.length >= count) open();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    open,
    close() {
      open();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}
