import { text } from "node:stream/consumers";
import { Dispatcher, errors } from "undici";
import type { Connections } from "../conformance/client/dispatcher.ts";
import { endToEndHeaders, type Send, splitUrl } from "../service/wire.ts";

/** To a service in this process: sockets, and HTTP as text, would take half of the time of a trial. */
class Within extends Dispatcher {
  readonly #send: Send;
  constructor(send: Send) {
    super();
    this.#send = send;
  }

  override dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    let isOver = false;
    const end = (error: Error) => {
      if (!isOver) handler.onResponseError?.(controller, error);
      isOver = true;
    };
    const controller = {
      aborted: false,
      paused: false,
      reason: null,
      pause: () => undefined,
      resume: () => undefined,
      abort: end,
    };
    handler.onRequestStart?.(controller, {});
    this.#answered(request).then(
      ({ status, headers, body }) => {
        if (isOver) return;
        isOver = true;
        handler.onResponseStart?.(controller, status, headers, "");
        if (body.length > 0) handler.onResponseData?.(controller, body);
        handler.onResponseEnd?.(controller, {});
      },
      // A service that gives no response closes the connection.
      () => end(new errors.SocketError("other side closed")),
    );
    return true;
  }

  override async destroy(): Promise<void> {}

  async #answered({ method, path, headers, body }: Dispatcher.DispatchOptions) {
    const sent = typeof body === "string" || body === null ? (body ?? "") : await text(body as never);
    const named = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
    const response = await this.#send({
      method,
      ...splitUrl(path),
      headers: endToEndHeaders(Object.fromEntries(named)),
      body: Buffer.from(sent),
    });
    return method === "HEAD" ? { ...response, body: Buffer.alloc(0) } : response;
  }
}

/** The connections of a client to a service in this process. */
export const connectionsWithin = (send: Send): Connections => ({
  dispatcher: new Within(send),
  certificateEnds: () => undefined,
});
