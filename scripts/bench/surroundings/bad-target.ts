import { once } from "node:events";
import { createServer, type IncomingMessage, request as requestOf, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { errorCodes } from "../../../schemas/api.ts";
import { type RunningService, startService } from "../../../service/start.ts";

/** The keys that a command is given; the target in front of the service knows what they stand for. */
export type CanaryKeys = RunningService["keys"];

/** A request that a bad target met, and what it may do about it. */
export interface Met {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The key as it was sent. */
  readonly key: string;
  /** Counts from 1. */
  readonly number: number;
  /** Responds as the service does. */
  relay(): Promise<void>;
  /** Nothing listens any more, and what is open breaks. */
  die(): void;
}

/** What a bad target does with a request. */
export type Misbehaviour = (met: Met) => void | Promise<void>;

/** From which request on it is bad: `load` counts those of k6 alone. */
export interface Onset {
  readonly after: number;
  readonly of: "all" | "load";
}

/** A bad target under way. */
export interface BadTarget extends AsyncDisposable {
  readonly baseUrl: string;
  readonly categories: readonly string[];
}

/** Stands on 127.0.0.1 in front of a reference service of its own, and is as bad as it is told to be. */
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
    const relay = () => forward(request, response, { service, known, key });
    const isBad = onset.of === "all" ? all > onset.after : ofLoad > onset.after;
    const met: Met = { request, response, key, number: all, relay, die };
    const done = isBad && misbehave !== undefined ? misbehave(met) : relay();
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

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { service, known, key }: { service: RunningService; known: Record<string, string>; key: string },
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
  response.writeHead(answer.statusCode ?? 500, answer.headers);
  response.end(await buffer(answer));
}

const json = { "content-type": "application/json" };
const errorBody = (code: string) => JSON.stringify({ error: { code, message: "on purpose" } });
/** Half a gigabyte of nothing, in parts: packing it whole takes seconds. */
const bomb = Buffer.concat(Array<Buffer>(32).fill(gzipSync(Buffer.alloc(16 * 1024 * 1024), { level: 9 })));

/** Every way in which a target may be bad; the name stands in the matrix. */
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
  "huge headers": ({ response }) => {
    response.writeHead(200, { ...json, "x-huge": "x".repeat(1024 * 1024) });
    response.end('{"retailers":[]}');
  },
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
  "key echoed": ({ response, key }) => {
    response.writeHead(200, {
      "content-type": "text/plain",
      "x-echo": encodeURIComponent(key).slice(0, 8000),
    });
    response.end(spellings(key).join(" | ").padStart(1600, "-"));
  },
  "hangs on the batch": async (met) => {
    if (!(met.request.url ?? "").includes("batch")) await met.relay();
  },
  "2 in 100 hang": async (met) => {
    if (met.number % 50 !== 7) await met.relay();
  },
} as const satisfies Record<string, Misbehaviour>;

/** A name in the matrix. */
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
