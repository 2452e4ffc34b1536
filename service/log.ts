import type { IncomingHttpHeaders } from "node:http";

/** Receives one line of the log, without the line break. */
export type WriteLine = (line: string) => void;

/** The log of one request that has begun. */
interface RequestLog {
  /** An unexpected error, whose details only the log shows. */
  failed(error: unknown): void;
  completed(statusCode: number): void;
}

/** What the log shows of a request. */
interface LoggedRequest {
  /** The same as in the response's `x-request-id`. */
  readonly id: string;
  readonly head: { readonly method?: string | undefined; readonly headers: IncomingHttpHeaders };
  /** The path with the names of its parameters in place of their values. */
  readonly path: string;
}

/** As in pino, so that its tools can read the lines. */
const levels = { info: 30, error: 50 };

/** The form of an id of W3C Trace Context: hexadecimal digits, so nothing else gets into the log by it. */
const traceparent = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** As JSON lines, without URL and other headers: a client may have put a key into either. */
export function logRequest(write: WriteLine, { id, head, path }: LoggedRequest): RequestLog {
  const startedAt = performance.now();
  const line = (level: keyof typeof levels, msg: string, fields: object) =>
    write(JSON.stringify({ level: levels[level], time: Date.now(), reqId: id, ...fields, msg }));
  const trace = String(head.headers.traceparent);
  line("info", "incoming request", {
    req: { method: head.method, route: path, ...(traceparent.test(trace) && { traceparent: trace }) },
  });
  return {
    failed: (error) => line("error", "internal error", { err: shownError(error) }),
    completed: (statusCode) =>
      line("info", "request completed", {
        res: { statusCode },
        responseTime: performance.now() - startedAt,
      }),
  };
}

function shownError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack } = error;
  return { type: name, message, stack };
}
