import { once } from "node:events";
import { createServer, type IncomingMessage, request as requestOf, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { errorCodes } from "../../schemas/api.ts";
import { type RunningService, startService } from "../../service/start.ts";

/** The keys that a command is given; the target replaces them by those of the service behind it. */
export type CanaryKeys = RunningService["keys"];

/** A request that a bad target received, and the ways to respond. */
export interface ReceivedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The key as it was sent. */
  readonly key: string;
  /** The first request is 1. */
  readonly number: number;
  /** Sends the response of the service, with these headers added. */
  relay(headers?: Readonly<Record<string, string>>): Promise<void>;
  /** Stops listening and closes all connections. */
  die(): void;
}

/** How a bad target responds. */
export type Misbehaviour = (received: ReceivedRequest) => void | Promise<void>;

/** How many requests a target responds to correctly before it misbehaves; `load` counts those of k6 alone. */
export interface Onset {
  readonly after: number;
  readonly of: "all" | "load";
}

/** A running bad target. */
export interface BadTarget extends AsyncDisposable {
  readonly baseUrl: string;
  readonly categories: readonly string[];
}

/** Starts a proxy on 127.0.0.1, in front of a reference service of its own, that misbehaves from some request on. */
export async function startBadTarget(
  keys: CanaryKeys,
  misbehave: Misbehaviour | undefined,
  onset: Onset,
): Promise<BadTarget> {
  const service = await startService({ rate: 200, burst: 400 });
  const known = Object.fromEntries(
    (["primary", "sameOrg", "otherOrg"] as const).map((role) => [keys[role], service.keys[role]]),
  );
  let [all, ofLoad] = [0, 0];
  const server = createServer((request, response) => {
    const { authorization, "x-api-key": plain, "user-agent": agent = "" } = request.headers;
    const key = authorization?.replace(/^Bearer /, "") ?? String(plain ?? "");
    all++;
    if (agent.includes("k6")) ofLoad++;
    const relay = (headers = {}) => forward(request, response, { service, known, key, headers });
    const isBad = onset.of === "all" ? all > onset.after : ofLoad > onset.after;
    const received: ReceivedRequest = { request, response, key, number: all, relay, die };
    const done = isBad && misbehave !== undefined ? misbehave(received) : relay();
    Promise.resolve(done).catch(() => response.destroy());
  });
  function die(): void {
    server.close();
    server.closeAllConnections();
  }
  server.on("clientError", (_error, socket) => socket.destroy());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    categories: service.categories,
    async [Symbol.asyncDispose]() {
      die();
      await service.stop();
    },
  };
}

interface Forwarding {
  readonly service: RunningService;
  /** The service's keys by those that the command was given. */
  readonly known: Readonly<Record<string, string>>;
  readonly key: string;
  /** Added to the response. */
  readonly headers: Readonly<Record<string, string>>;
}

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { service, known, key, headers: added }: Forwarding,
): Promise<void> {
  const body = await buffer(request);
  const { authorization, "x-api-key": plain, host: _host, ...headers } = request.headers;
  const real = known[key] ?? key;
  const upstream = requestOf(new URL(request.url ?? "/", service.baseUrl), {
    method: request.method ?? "GET",
    headers: {
      ...headers,
      ...(authorization === undefined ? {} : { authorization: authorization.replace(key, () => real) }),
      ...(plain === undefined ? {} : { "x-api-key": real }),
    },
    agent: false,
  });
  upstream.end(body);
  const [answer]: [IncomingMessage] = (await once(upstream, "response")) as [IncomingMessage];
  response.writeHead(answer.statusCode ?? 500, { ...answer.headers, ...added });
  response.end(await buffer(answer));
}

const json = { "content-type": "application/json" };
const errorBody = (code: string) => JSON.stringify({ error: { code, message: "on purpose" } });
/** Half a gigabyte of zeros. Members of a gzip file may be repeated; to compress them all would take seconds. */
const bomb = Buffer.concat(Array<Buffer>(32).fill(gzipSync(Buffer.alloc(16 * 1024 * 1024), { level: 9 })));

/** Every kind of bad target, by its name in the matrix. */
export const misbehaviours = {
  hangs: () => undefined,
  closes: ({ response }) => void response.socket?.end(),
  resets: ({ response }) => void response.socket?.resetAndDestroy(),
  dies: ({ die }) => die(),
  "half a body": ({ response }) => {
    response.writeHead(200, { ...json, "content-length": "1000" });
    response.write('{"retailers":[', () => response.destroy());
  },
  "endless body": async ({ response }) => {
    response.writeHead(200, json);
    const piece = Buffer.alloc(64 * 1024, "x");
    response.write('{"retailers":["');
    while (!response.destroyed) if (!response.write(piece)) await once(response, "drain");
  },
  "gzip bomb": ({ response }) => {
    response.writeHead(200, { ...json, "content-encoding": "gzip" });
    response.end(bomb);
  },
  "broken gzip": ({ response }) => {
    response.writeHead(200, { ...json, "content-encoding": "gzip" });
    response.end('{"retailers":[]}');
  },
  "huge headers": ({ relay }) => relay({ "x-huge": "x".repeat(1024 * 1024) }),
  "status 999": ({ response }) => {
    response.writeHead(999, json);
    response.end(errorBody("odd"));
  },
  "503": ({ response }) => {
    response.writeHead(503, json);
    response.end(errorBody("unavailable"));
  },
  "429 for an hour": ({ response }) => {
    response.writeHead(429, { ...json, "retry-after": "3600" });
    response.end(errorBody(errorCodes[429]));
  },
  "429 again and again": ({ response }) => {
    response.writeHead(429, { ...json, "retry-after": "1" });
    response.end(errorBody(errorCodes[429]));
  },
  "500": ({ response }) => {
    response.writeHead(500, json);
    response.end(errorBody(errorCodes[500]));
  },
  HTML: ({ response }) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<!doctype html><title>Welcome</title><p>It works.");
  },
  redirect: ({ response }) => {
    response.writeHead(302, { location: "http://127.0.0.1:9/login" });
    response.end();
  },
  "not HTTP": ({ response }) => void response.socket?.end("SSH-2.0-OpenSSH_9.9\r\n"),
  "slow drip": async ({ response }) => {
    response.writeHead(200, json);
    while (!response.destroyed) {
      response.write(" ");
      await sleep(200);
    }
  },
  "empty body": ({ response }) => {
    response.writeHead(200, json);
    response.end();
  },
  "deep JSON": ({ response }) => {
    response.writeHead(200, json);
    response.end("[".repeat(200_000) + "]".repeat(200_000));
  },
  "20 MB of JSON": ({ response }) => {
    response.writeHead(200, json);
    response.end(
      JSON.stringify({ retailers: Array.from({ length: 400_000 }, () => ({ slug: "x".repeat(40) })) }),
    );
  },
  "key echoed": ({ response, key, number }) => {
    const echo = spellings(key).join(" | ");
    response.writeHead(200, {
      "content-type": "text/plain",
      "x-echo": encodeURIComponent(key).slice(0, 8000),
    });
    // Whatever cuts a body at a fixed length cuts the key elsewhere in each response.
    response.end("-".repeat((number * 7) % 2000) + echo);
  },
  "hangs on the batch": async ({ request, relay }) => {
    if (!(request.url ?? "").includes("batch")) await relay();
  },
  "2 in 100 hang": async ({ number, relay }) => {
    if (number % 50 !== 7) await relay();
  },
} as const satisfies Record<string, Misbehaviour>;

export type BadName = keyof typeof misbehaviours;

/** The spellings in which a service may echo a key. */
export function spellings(key: string): string[] {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  return [
    key,
    key.toUpperCase(),
    key.toLowerCase(),
    base64(key),
    base64(`user:${key}`),
    base64(key.toUpperCase()),
    Buffer.from(key).toString("base64url"),
    Buffer.from(key).toString("hex"),
    encodeURIComponent(key),
    JSON.stringify(key),
  ];
}
