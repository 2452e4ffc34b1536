import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { errorCodes } from "../../schemas/api.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { transportFailureWords } from "../../schemas/words/transport.ts";
import { startService } from "../../service/start.ts";
import { askBehind, passOn, type Received, serve } from "../support/server.ts";
import type { CanaryKeys } from "./place.ts";
import type { Expectation } from "./row.ts";

/** A request that a bad target received, and the ways to respond. */
interface BadRequest extends Received {
  readonly response: ServerResponse;
  /** The key as it was sent. */
  readonly key: string;
  /** Sends the response of the service, with these headers added. */
  relay(headers?: Readonly<Record<string, string>>): unknown;
  /** Sends the response of the service with another body. */
  edit(change: (body: string) => string): Promise<void>;
  /** Stops listening and closes all connections. */
  die(): void;
}

/** One way in which a target is bad, and how commands end on it. */
export interface BadTarget {
  readonly kind: BadKind;
  /** Text that the output must contain if the target is bad from the first request on. */
  readonly says?: RegExp;
  /** Any of these findings is in the results when it turns bad under load. */
  readonly finds?: readonly Finding["code"][];
  /** It does not respond, so that each request takes the whole timeout. */
  readonly isSilent?: true;
  /** Expectations that do not follow from the kind, by command and moment. */
  readonly but?: Readonly<Record<string, Partial<Expectation>>>;
  readonly respond: (request: BadRequest) => unknown;
}

/** The kind of a bad target, which decides the exit code of a command. */
export type BadKind =
  /** It sends no complete response, or refuses every request. */
  | "gone"
  /** It sends responses that break requirements. */
  | "wrong"
  /** It is a service, and breaks requirements that no first look judges. */
  | "flawed"
  /** Its responses are correct, although unusual, or most of them are. */
  | "fine";

/** How many requests a target responds to correctly before it misbehaves; `load` counts those of k6 alone. */
export interface Onset {
  readonly after: number;
  readonly of: "all" | "load";
}

/** Starts a relay in front of a reference service of its own. It misbehaves from some request on, or never. */
export async function startTarget(
  keys: CanaryKeys,
  bad?: { readonly respond: BadTarget["respond"]; readonly onset: Onset },
): Promise<AsyncDisposable & { readonly baseUrl: string; readonly categories: readonly string[] }> {
  const service = await startService({ rate: 200, burst: 400, keys });
  const behind = new URL(service.baseUrl);
  let ofLoad = 0;
  const server = await serve(async (request, response) => {
    if (request.headers["user-agent"]?.includes("k6")) ofLoad++;
    const count = bad?.onset.of === "load" ? ofLoad : request.number;
    const relay = (headers = {}) => passOn(request, response, behind, { headers });
    if (bad === undefined || count <= bad.onset.after) return relay();
    const edit = async (change: (body: string) => string) => {
      const back = await askBehind(request, behind);
      const { "content-length": _, ...headers } = back.headers;
      response.writeHead(back.statusCode ?? 502, headers).end(change(await text(back)));
    };
    const die = () => void server[Symbol.asyncDispose]();
    try {
      const { authorization, "x-api-key": plain } = request.headers;
      const key = authorization?.replace(/^Bearer /i, "") ?? String(plain ?? "");
      await bad.respond({ ...request, response, key, relay, edit, die });
    } catch {
      // The client has gone in the middle of the response.
      response.destroy();
    }
  });
  return {
    baseUrl: server.baseUrl,
    categories: service.categories,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await service.stop();
    },
  };
}

/** Any of these transport failures, in the words of the reports. */
function saysTransport(...failures: readonly string[]): RegExp {
  const texts = failures.map((failure) => RegExp.escape(transportFailureWords(failure).text));
  return new RegExp(texts.join("|"));
}

const json = { "content-type": "application/json" };
const sends =
  (
    status: number,
    body: string | Buffer,
    headers: Readonly<Record<string, string>> = {},
  ): BadTarget["respond"] =>
  ({ response }) =>
    response.writeHead(status, { ...json, ...headers }).end(body);
const errorBody = (code: string) => JSON.stringify({ error: { code, message: "on purpose" } });
/** Half a gigabyte of zeros. Members of a gzip file may be repeated; to compress them all would take seconds. */
const bomb = Buffer.concat(Array<Buffer>(32).fill(gzipSync(Buffer.alloc(16 * 1024 * 1024), { level: 9 })));

const fails = ["failed-requests"] as const;
const invalid = ["invalid-responses"] as const;
const gone = ["target-gone-under-load", "failed-requests"] as const;
/** A body may fill k6's memory before the first one ends, which no finding can call too big. */
const tooBig = {
  finds: ["response-too-big", "target-gone-under-load", "failed-requests", "k6-memory"],
  but: Object.fromEntries(
    ["load middle", "gate middle"].map((row) => [
      row,
      { exit: [1, 3], cause: ["load-failed", "load-invalid"] } satisfies Partial<Expectation>,
    ]),
  ),
} as const;

/** Every bad target, by its name. A new one is one entry. Those that wait longest come first, so that others use the processor meanwhile. */
export const badTargets = {
  "hangs on the batch": {
    kind: "fine",
    isSilent: true,
    but: {
      "conformance first": { exit: [4] },
      "conformance middle": { exit: [4] },
      // A load of batches that all hang has failed.
      "gate middle": { exit: [1], finds: fails },
    },
    respond: ({ url, relay }) => url.includes("batch") || relay(),
  },
  hangs: {
    kind: "gone",
    isSilent: true,
    says: saysTransport("silent"),
    finds: gone,
    respond: () => undefined,
  },
  closes: { kind: "gone", says: saysTransport("reset"), finds: gone, respond: ({ socket }) => socket.end() },
  dies: { kind: "gone", says: saysTransport("refused", "reset"), finds: gone, respond: ({ die }) => die() },
  "endless body": {
    kind: "gone",
    says: saysTransport("too big"),
    ...tooBig,
    respond: async ({ response }) => {
      response.writeHead(200, json);
      const piece = Buffer.alloc(64 * 1024, "x");
      response.write('{"retailers":["');
      while (!response.destroyed) if (!response.write(piece)) await once(response, "drain");
    },
  },
  "gzip bomb": {
    kind: "gone",
    says: saysTransport("too big"),
    ...tooBig,
    respond: sends(200, bomb, { "content-encoding": "gzip" }),
  },
  "huge headers, Retry-After, an echo of request headers": {
    kind: "fine",
    respond: ({ relay, headers }) =>
      relay({
        "x-huge": "x".repeat(256 * 1024),
        "retry-after": "3",
        ...Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [`x-echo-${name}`, String(value)]),
        ),
      }),
  },
  "retailers that the list did not have": {
    kind: "flawed",
    // It finds no product that it may look up.
    but: { "doctor first": { exit: [3] }, "load first": { exit: [3] } },
    respond: ({ url, edit, relay }) => {
      if (url.endsWith("retailers")) return relay();
      return edit((body) => body.replaceAll(/"retailer":"([^"]*)"/g, '"retailer":"o\'dd/../$1 %2F\\u0000"'));
    },
  },
  "not HTTP": {
    kind: "gone",
    says: saysTransport("not HTTP"),
    finds: gone,
    respond: ({ socket }) => socket.end("SSH-2.0-OpenSSH_9.9\r\n"),
  },
  "503": { kind: "gone", says: /\b503\b/, finds: fails, respond: sends(503, errorBody("unavailable")) },
  "429 for an hour": {
    kind: "gone",
    says: /3,?600/,
    finds: ["rate-limit-reached"],
    respond: sends(429, errorBody(errorCodes[429]), { "retry-after": "3600" }),
  },
  "429 again and again": {
    kind: "gone",
    says: /\b429\b/,
    finds: ["rate-limit-reached"],
    respond: sends(429, errorBody(errorCodes[429]), { "retry-after": "1" }),
  },
  "500": {
    kind: "wrong",
    says: /\b500\b/,
    finds: fails,
    but: {
      "conformance middle": { exit: [1, 3] },
    },
    respond: sends(500, errorBody(errorCodes[500])),
  },
  HTML: {
    kind: "wrong",
    says: /JSON/,
    finds: invalid,
    respond: sends(200, "<!doctype html><title>Welcome</title><p>It works.", { "content-type": "text/html" }),
  },
  redirect: {
    kind: "wrong",
    says: /http:\/\/127\.0\.0\.1:9\/login/,
    finds: fails,
    respond: sends(302, "", { location: "http://127.0.0.1:9/login" }),
  },
  "key echoed": {
    kind: "wrong",
    says: /JSON/,
    finds: invalid,
    respond: ({ response, key, number }) => {
      const echo = spellings(key).join(" | ");
      response.writeHead(200, {
        "content-type": "text/plain",
        "x-echo": encodeURIComponent(key).slice(0, 8000),
      });
      // Whatever cuts a body at a fixed length cuts the key elsewhere in each response.
      response.end("-".repeat((number * 7) % 2000) + echo);
    },
  },
  "key in other forms": {
    kind: "wrong",
    // Its responses are JSON objects, so it may be a service.
    but: {
      "conformance first": { exit: [1] },
      "load first": { exit: [3] },
    },
    finds: invalid,
    respond: ({ response, key }) => {
      const half = key.length / 2;
      const forms = {
        half: key.slice(0, half),
        rest: { half: key.slice(half) },
        [key]: 1,
      };
      response.writeHead(200, json);
      // The client gets the key in two pieces.
      response.write(`{"retailers":{},"price":"none","whole":${JSON.stringify(key).slice(0, -half)}`, () =>
        setImmediate(() =>
          response.end(`${JSON.stringify(key).slice(-half)},"forms":${JSON.stringify(forms)}}`),
        ),
      );
    },
  },
  "401 for the key": {
    kind: "gone",
    says: /401/,
    finds: fails,
    but: { "load first": { exit: [3] } },
    respond: sends(401, errorBody(errorCodes[401])),
  },
} as const satisfies Record<string, BadTarget>;

/** The spellings in which a service may echo a key. */
function spellings(key: string): string[] {
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
