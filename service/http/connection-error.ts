import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { refusalAnswer } from "../refusal.ts";
import { httpRefusal } from "./http-refusal.ts";

const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/**
 * Answers what never became a request (bytes that are no HTTP, headers too large, too slow a sender) in the
 * error shape of the spec, and closes the connection.
 */
export function answerConnectionError(error: { readonly code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal = httpRefusal(statuses[error.code ?? ""] ?? 400);
  const body = JSON.stringify(refusalAnswer(refusal).body);
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}
