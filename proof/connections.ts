import { text } from "node:stream/consumers";
import { type Dispatcher, errors } from "undici";
import type { Connections } from "../conformance/client/dispatcher.ts";
import { endToEndHeaders, type Send, splitUrl } from "../service/wire.ts";

/**
 * The connections of a client to a service in this process: sockets, HTTP as text and streams of bodies would
 * take half of the time of a trial.
 */
export function connectionsWithin(send: Send): Connections {
  async function answered({ method, path, headers, body }: Dispatcher.RequestOptions) {
    const sent = typeof body === "string" || body === null ? (body ?? "") : await text(body as never);
    const named = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
    const response = await send({
      method,
      ...splitUrl(path),
      headers: endToEndHeaders(Object.fromEntries(named)),
      body: Buffer.from(sent),
    });
    const bytes = method === "HEAD" ? new ArrayBuffer(0) : new Uint8Array(response.body).buffer;
    return {
      statusCode: response.status,
      headers: response.headers,
      body: {
        async arrayBuffer() {
          // Later, as from a stream: the order of requests depends on it, and so what a fault that counts them shows.
          await new Promise<void>((resolve) => process.nextTick(resolve));
          return bytes;
        },
      },
    };
  }
  return {
    async request(options) {
      const { promise: aborted, reject } = Promise.withResolvers<never>();
      (options.signal as AbortSignal).addEventListener("abort", () =>
        reject(new errors.RequestAbortedError()),
      );
      // A service that gives no response closes the connection.
      const answer = answered(options).catch(() => {
        throw new errors.SocketError("other side closed");
      });
      return await Promise.race([answer, aborted]);
    },
    destroy: async () => undefined,
  };
}
