import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Duplex } from "node:stream";
import type { Dispatcher } from "undici";

/** The connection of a request, and the milliseconds that it took; none if it was open before. */
export interface ConnectionPhases {
  /** Its number among the connections of the run. */
  number?: number;
  /** Until the server was reached: the name's address and TCP; through a proxy also its tunnel and TLS. */
  connecting?: number;
  /** The TLS handshake. */
  securing?: number;
}

interface ConnectionOpening {
  readonly begunAt: number;
  reachedAt?: number;
  readyAt?: number;
}

/** Published by undici as it writes a request to its connection, right after `onRequestStart` of its handler. */
const written = "undici:client:sendHeaders";

/** Measures what the connections of a dispatcher take, and tells the first request of each. */
export function connectionPhases() {
  const openings = new WeakMap<object, ConnectionOpening>();
  const numbers = new WeakMap<object, number>();
  let opened = 0;
  let starting: ConnectionPhases | undefined;
  const onWritten = (message: unknown): void => {
    const { socket } = message as { readonly socket: object };
    const opening = openings.get(socket);
    openings.delete(socket);
    if (starting === undefined) return;
    starting.number = numbers.get(socket) ?? ++opened;
    numbers.set(socket, starting.number);
    if (opening?.readyAt === undefined) return;
    const { begunAt, reachedAt = opening.readyAt, readyAt } = opening;
    starting.connecting = reachedAt - begunAt;
    if (reachedAt !== readyAt) starting.securing = readyAt - reachedAt;
    starting = undefined;
  };
  subscribe(written, onWritten);
  return {
    /** Starts the clock of a connection. Call the result with its socket once it can be used. */
    begin() {
      const opening: ConnectionOpening = { begunAt: performance.now() };
      return {
        /** For TLS: the server was reached, and the handshake begins. */
        reached() {
          opening.reachedAt = performance.now();
        },
        ready(socket: Duplex) {
          opening.readyAt = performance.now();
          openings.set(socket, opening);
        },
      };
    },
    /** Fills the object that a request has as `opaque` when it is written. */
    observe(dispatcher: Dispatcher): void {
      const dispatch = dispatcher.dispatch.bind(dispatcher);
      dispatcher.dispatch = (options, handler) => {
        const { opaque } = options as { readonly opaque?: ConnectionPhases };
        const start = handler.onRequestStart?.bind(handler);
        handler.onRequestStart = (...parameters) => {
          starting = opaque;
          start?.(...parameters);
        };
        return dispatch(options, handler);
      };
    },
    end: () => void unsubscribe(written, onWritten),
  };
}
