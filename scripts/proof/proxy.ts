import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";
import type { Target } from "../../conformance/client/target.ts";
import type { Answer, Asked, Change, Way } from "./injection.ts";

/** A proxy under way. */
export interface Proxy extends AsyncDisposable {
  /** http://127.0.0.1:PORT/v1, in front of the target's base URL. */
  readonly baseUrl: string;
}

/**
 * Stands on 127.0.0.1 between the suite and a target, and puts a change on the answers. Keys pass through to the
 * target and nowhere else; the target must be asked through here only while the change is to show.
 */
export async function startProxy(target: Target, change: Change): Promise<Proxy> {
  const base = new URL(target.baseUrl);
  const loopback = base.hostname === "localhost" || base.hostname.startsWith("127.");
  const dispatcher: Dispatcher = loopback ? new Agent() : new EnvHttpProxyAgent();
  const ask = (asked: Asked) => askTarget(asked, { target, base, dispatcher });
  const server = createServer((incoming, outgoing) => {
    relay(incoming, outgoing).catch(() => outgoing.destroy());
  });

  async function relay(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const asked = askedOf(incoming, await buffer(incoming), target);
    const answer = await ask(asked);
    write(outgoing, (await change(answer, asked, ask)) ?? answer);
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
      await dispatcher.destroy();
    },
  };
}

const hopByHop = [
  "connection",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
  "te",
  "trailer",
  "host",
  "content-length",
];

function askedOf(
  { method = "GET", url = "", headers }: IncomingMessage,
  body: Buffer,
  target: Target,
): Asked {
  const [whole = "", ...query] = url.split("?");
  const path = whole.replace(/^\/v1/, "");
  const parameters = new URLSearchParams(query.join("?"));
  return {
    method,
    way: wayOf(method, path, parameters),
    path,
    parameters,
    headers: plainHeaders(headers, hopByHop),
    caller: callerOf(headers, target),
    body,
  };
}

function wayOf(method: string, path: string, parameters: URLSearchParams): Way {
  if (method === "POST" && path === "/products/batch-lookup") return "batch";
  if (method !== "GET") return "other";
  if (path === "/retailers") return "retailers";
  if (/^\/products\/[^/]+\/[^/]+$/.test(path)) return "by-id";
  const modes = (["url", "gtin", "category"] as const).filter((mode) => parameters.has(mode));
  return path === "/products" && modes.length === 1 ? (modes[0] ?? "other") : "other";
}

function callerOf(headers: IncomingHttpHeaders, { keys }: Target): Asked["caller"] {
  const sent = headers["x-api-key"] ?? headers.authorization?.replace(/^bearer\s+/i, "");
  if (sent === undefined) return "nobody";
  const callers = ["primary", "sameOrg", "otherOrg"] as const;
  return callers.find((caller) => keys[caller] === sent) ?? "stranger";
}

async function askTarget(
  { method, path, parameters, headers, body }: Asked,
  { target, base, dispatcher }: { target: Target; base: URL; dispatcher: Dispatcher },
): Promise<Answer> {
  const query = parameters.size === 0 ? "" : `?${encoded(parameters)}`;
  const answer = await dispatcher.request({
    origin: base.origin,
    path: `${base.pathname.replace(/\/$/, "")}${path}${query}`,
    method: method as Dispatcher.HttpMethod,
    headers,
    body: body.length === 0 ? null : body,
    headersTimeout: target.timeoutMilliseconds,
    bodyTimeout: target.timeoutMilliseconds,
  });
  const coding = String(answer.headers["content-encoding"] ?? "").toLowerCase();
  const bytes = decoded(Buffer.from(await answer.body.arrayBuffer()), coding);
  return {
    status: answer.statusCode,
    headers: plainHeaders(answer.headers, [...hopByHop, "content-encoding"]),
    body: bodyOf(bytes),
  };
}

// As the suite writes them: a space is %20 and never a plus.
function encoded(parameters: URLSearchParams): string {
  return [...parameters]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
}

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  "x-gzip": gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

// A target may compress although nobody asked it to; what is changed must be text.
function decoded(bytes: Buffer, coding: string): Buffer {
  return bytes.length === 0 ? bytes : (decoders[coding]?.(bytes) ?? bytes);
}

function bodyOf(bytes: Buffer): Answer["body"] {
  try {
    return { json: JSON.parse(bytes.toString("utf8")) as unknown };
  } catch {
    return { bytes };
  }
}

function plainHeaders(
  headers: IncomingHttpHeaders | Record<string, string | string[] | undefined>,
  left: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || left.includes(name)
        ? []
        : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  );
}

function write(outgoing: ServerResponse, { status, headers, body }: Answer): void {
  outgoing.writeHead(status, headers);
  outgoing.end("json" in body ? JSON.stringify(body.json) : body.bytes);
}
