import { createPrivateKey } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Certificate, makeCertificate } from "../../../conformance/testing/certificates.ts";
import type { RunningService } from "../../../service/start.ts";
import { startForwardProxy } from "../../testing/forward-proxy.ts";
import { type Front, startFront } from "../../testing/front.ts";
import { freePort, startNginx } from "../../testing/nginx.ts";
import type { Expectation } from "../surroundings/cell.ts";

/** A network in front of the reference service, with the settings of a target that fit it or do not. */
export interface Setup {
  readonly name: string;
  readonly open: (place: SetupPlace) => Promise<Opened>;
  readonly conformance: Expectation;
  readonly load: Expectation;
  /** Load by batches. Default: not run */
  readonly batch?: Expectation;
}

/** Where a setup is built. */
interface SetupPlace {
  readonly service: RunningService;
  /** Folder for certificates and keys, which the run does not write to. */
  readonly folder: string;
  /** Servers and proxies that end with the cell. */
  readonly servers: AsyncDisposableStack;
}

interface Opened {
  /** The target's entry in the config. */
  readonly target: Readonly<Record<string, unknown>>;
  readonly env?: NodeJS.ProcessEnv;
  /** Beside the API keys. */
  readonly secrets?: readonly string[];
  /** What is wrong after the run; empty when the requests took the way that they had to. */
  readonly wrong?: () => readonly string[];
}

export const setupParts = ["tls", "http", "proxies", "gateways", "nginx"] as const;

const name = "catalog.internal";
const authority = makeCertificate({ isAuthority: true });
const client = makeCertificate({ by: authority, names: ["qa"] });
const passphrase = "passphrase-of-the-client-key";
const right: Expectation = { exit: [0] };

/** Conformance and load end with 3, and this text is in the output. */
function couldNotRun(says: RegExp): Pick<Setup, "conformance" | "load"> {
  return { conformance: { exit: [3], says }, load: { exit: [3], says } };
}

const fine = { conformance: right, load: right };

async function caFile(folder: string): Promise<string> {
  const path = join(folder, "root.pem");
  await writeFile(path, authority.certificate);
  return path;
}

/** The second line of a key's body: enough of it to be found anywhere. */
function lineOf({ key }: Certificate): string {
  return key.split("\n")[2] ?? "";
}

interface TlsSetup {
  readonly certificate?: Parameters<typeof makeCertificate>[0];
  readonly asksForClient?: boolean;
  readonly http2?: boolean;
  readonly target?: (place: { folder: string; front: Front }) => Promise<Readonly<Record<string, unknown>>>;
  readonly env?: (folder: string) => Promise<NodeJS.ProcessEnv>;
  readonly secrets?: readonly string[];
  readonly wrong?: (front: Front) => readonly string[];
}

function overTls({ certificate, asksForClient = false, http2 = true, ...options }: TlsSetup): Setup["open"] {
  return async ({ service, folder, servers }) => {
    const { certificate: cert, key } = makeCertificate({ by: authority, ...certificate });
    const tls = { cert, key, ca: authority.certificate, requestCert: asksForClient };
    const front = servers.use(await startFront({ upstream: service.baseUrl, tls, http2 }));
    const { wrong, secrets } = options;
    return {
      target: {
        baseUrl: front.baseUrl,
        ca: await caFile(folder),
        ...(await options.target?.({ folder, front })),
      },
      ...(options.env === undefined ? {} : { env: await options.env(folder) }),
      ...(secrets === undefined ? {} : { secrets }),
      ...(wrong === undefined ? {} : { wrong: () => wrong(front) }),
    };
  };
}

const withoutCa = async () => ({ ca: undefined });
const sentBy = (version: string) => (front: Front) =>
  [...front.versions].every((one) => one === version) ? [] : [`sent by HTTP/${[...front.versions].join()}`];

async function clientFiles({ folder }: { folder: string }) {
  const clientCertificate = join(folder, "client.pem");
  const clientKey = join(folder, "client.key");
  await writeFile(clientCertificate, client.certificate);
  const encrypted = { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase } as const;
  await writeFile(clientKey, createPrivateKey(client.key).export(encrypted));
  return { clientCertificate, clientKey, clientKeyPassphrase: "KEY_PASS" };
}

const tlsSetups: readonly Setup[] = [
  { name: "a private authority (ca)", open: overTls({}), ...fine },
  {
    name: "a private authority (NODE_EXTRA_CA_CERTS)",
    open: overTls({
      target: withoutCa,
      env: async (folder) => ({ NODE_EXTRA_CA_CERTS: await caFile(folder) }),
    }),
    ...fine,
  },
  {
    name: "a private authority (SSL_CERT_FILE)",
    open: overTls({ target: withoutCa, env: async (folder) => ({ SSL_CERT_FILE: await caFile(folder) }) }),
    ...fine,
  },
  {
    name: "a private authority (SSL_CERT_DIR)",
    open: overTls({
      target: withoutCa,
      env: async (folder) => {
        await caFile(folder);
        return { SSL_CERT_DIR: folder };
      },
    }),
    ...fine,
  },
  {
    name: "an unknown authority",
    open: overTls({ target: withoutCa }),
    ...couldNotRun(/not trusted|unknown authority/),
  },
  { name: "an expired certificate", open: overTls({ certificate: { days: -1 } }), ...couldNotRun(/expired/) },
  {
    name: "a certificate for another name",
    open: overTls({ certificate: { names: ["other.internal"] } }),
    ...couldNotRun(/another name/),
  },
  {
    name: "a self-signed certificate",
    async open({ service, servers }) {
      const { certificate: cert, key } = makeCertificate();
      const front = servers.use(await startFront({ upstream: service.baseUrl, tls: { cert, key } }));
      return { target: { baseUrl: front.baseUrl } };
    },
    ...couldNotRun(/self-signed|signed its certificate itself/),
  },
  {
    name: "a certificate that expires in 9 days",
    open: overTls({ certificate: { days: 9.5 } }),
    conformance: { exit: [0], says: /9 days/ },
    load: { exit: [0], says: /9 days/ },
  },
  {
    name: "an expired certificate that is not checked (insecure)",
    open: overTls({ certificate: { days: -1 }, target: async () => ({ insecure: true }) }),
    conformance: { exit: [0], says: /not checked/ },
    load: { exit: [0], says: /not checked/ },
  },
  {
    name: "another server name (serverName)",
    open: overTls({ certificate: { names: [name] }, target: async () => ({ serverName: name }) }),
    ...fine,
  },
  {
    name: "a client certificate with an encrypted key (mTLS)",
    open: overTls({
      asksForClient: true,
      target: clientFiles,
      env: async () => ({ KEY_PASS: passphrase }),
      secrets: [passphrase, lineOf(client)],
    }),
    ...fine,
  },
  {
    name: "no client certificate where one is required",
    open: overTls({ asksForClient: true }),
    ...couldNotRun(/client certificate/),
  },
  {
    name: "http on a port for https",
    open: overTls({ target: async ({ front }) => ({ baseUrl: front.baseUrl.replace("https:", "http:") }) }),
    ...couldNotRun(/https/),
  },
  {
    name: "https on a port for http",
    async open({ service }) {
      return { target: { baseUrl: service.baseUrl.replace("http:", "https:") } };
    },
    ...couldNotRun(/http:\/\//),
  },
];

const httpSetups: readonly Setup[] = [
  { name: "HTTP/2 by ALPN", open: overTls({ wrong: sentBy("2.0") }), ...fine },
  {
    name: "HTTP/1.1 although HTTP/2 is offered (http2: false)",
    open: overTls({ target: async () => ({ http2: false }), wrong: sentBy("1.1") }),
    ...fine,
  },
  {
    name: "an IPv6 literal",
    async open({ service, servers }) {
      const front = servers.use(await startFront({ upstream: service.baseUrl, listen: "::1" }));
      return { target: { baseUrl: front.baseUrl } };
    },
    ...fine,
  },
  {
    name: "a name instead of an address (localhost)",
    async open({ service }) {
      return { target: { baseUrl: service.baseUrl.replace("127.0.0.1", "localhost") } };
    },
    ...fine,
  },
];

const credentials = "qa:password-of-the-proxy-4711";

function throughProxy({
  wanted = credentials,
  isDead = false,
  tls = true,
}: {
  wanted?: string;
  isDead?: boolean;
  tls?: boolean;
}): Setup["open"] {
  return async ({ service, folder, servers }) => {
    const { certificate: cert, key } = makeCertificate({ by: authority, names: [name] });
    const options = tls ? { tls: { cert, key }, http2: true } : {};
    const front = servers.use(await startFront({ upstream: service.baseUrl, ...options }));
    const proxy = servers.use(await startForwardProxy(wanted));
    const port = isDead ? await freePort() : proxy.port;
    const origin = `${tls ? "https" : "http"}://${name}:${front.port}`;
    const isRightWay = (request: string) =>
      tls ? request === `CONNECT ${name}:${front.port}` : request.includes(` ${origin}/v1/`);
    return {
      target: {
        baseUrl: `${origin}/v1`,
        ca: await caFile(folder),
        proxy: `http://127.0.0.1:${port}`,
        proxyCredentials: "PROXY_LOGIN",
      },
      env: { PROXY_LOGIN: credentials },
      secrets: ["password-of-the-proxy-4711"],
      wrong: () => proxy.requests.filter((request) => !isRightWay(request)).slice(0, 1),
    };
  };
}

const proxySetups: readonly Setup[] = [
  {
    name: "another server name through a proxy",
    async open(place) {
      const opened = await throughProxy({})(place);
      return { ...opened, target: { ...opened.target, serverName: name } };
    },
    conformance: right,
    load: { exit: [2], says: /k6 cannot use another server name \(serverName\) through a proxy/ },
  },
  { name: "an https target through CONNECT, with credentials", open: throughProxy({}), ...fine },
  { name: "an http target through a proxy, with credentials", open: throughProxy({ tls: false }), ...fine },
  {
    name: "a proxy that refuses the credentials (https)",
    open: throughProxy({ wanted: "somebody:else-entirely" }),
    ...couldNotRun(/Exit 3: The proxy cannot be reached, or refuses the request: http:\/\/127\.0\.0\.1:/),
  },
  {
    name: "a proxy that refuses the credentials (http)",
    open: throughProxy({ wanted: "somebody:else-entirely", tls: false }),
    ...couldNotRun(/Exit 3: The proxy cannot be reached, or refuses the request: http:\/\/127\.0\.0\.1:/),
  },
  {
    name: "a dead proxy (https)",
    open: throughProxy({ isDead: true }),
    ...couldNotRun(/Exit 3: The proxy cannot be reached, or refuses the request: http:\/\/127\.0\.0\.1:/),
  },
  {
    name: "a dead proxy (http)",
    open: throughProxy({ isDead: true, tls: false }),
    ...couldNotRun(/Exit 3: The proxy cannot be reached, or refuses the request: http:\/\/127\.0\.0\.1:/),
  },
];

const gatewaySecrets = ["gateway-client-id-7731", "secret-of-the-gateway-8842"] as const;

function behindGateway(headers: Readonly<Record<string, { env: "CF_ID" | "CF_SECRET" }>>): Setup["open"] {
  return async ({ service, servers }) => {
    const front = servers.use(
      await startFront({
        upstream: service.baseUrl,
        prefix: "/gw/api",
        answer(request, response) {
          const sent = [request.headers["cf-access-client-id"], request.headers["cf-access-client-secret"]];
          // As careless gateways do, it returns what it got.
          response.setHeader("x-gateway-saw", sent.join(" "));
          if (sent.every((value, place) => value === gatewaySecrets[place])) return false;
          response.writeHead(403, { "content-type": "text/html", server: "cloudflare" });
          response.end("<html><h1>403 Forbidden</h1><center>cloudflare</center></html>");
          return true;
        },
      }),
    );
    const [CF_ID, CF_SECRET] = gatewaySecrets;
    const values = { CF_ID, CF_SECRET };
    // A variable that no setting names is not known to hold a secret.
    const named = Object.values(headers).map((header) => [header.env, values[header.env]]);
    return {
      target: { baseUrl: `${front.baseUrl}/`, headers },
      env: Object.fromEntries(named),
      secrets: gatewaySecrets,
    };
  };
}

const mostPerSecond = 5;

/** Requests per second that the front received, over the time from the first to the last; 0 below three requests. */
function rateAt(times: readonly number[]): number {
  const [first = 0] = times;
  const seconds = ((times.at(-1) ?? first) - first) / 1000;
  return times.length < 3 ? 0 : (times.length - 1) / seconds;
}

const gatewaySetups: readonly Setup[] = [
  {
    name: `a target that allows ${mostPerSecond} requests per second (maxRequestsPerSecond)`,
    async open({ service, servers }) {
      const times: number[] = [];
      const answer = () => {
        times.push(performance.now());
        return false;
      };
      const front = servers.use(await startFront({ upstream: service.baseUrl, answer }));
      return {
        target: { baseUrl: front.baseUrl, maxRequestsPerSecond: mostPerSecond, avoid: ["burst"] },
        wrong: () => {
          const rate = rateAt(times);
          return rate <= mostPerSecond * 1.1 ? [] : [`${rate.toFixed(1)} requests per second`];
        },
      };
    },
    conformance: right,
    load: { exit: [0], says: /Sent at most 5\/s, the maxRequestsPerSecond of the target/ },
  },
  {
    name: "a gateway that redirects to its login",
    async open({ service, servers }) {
      const other = servers.use(await startFront({ upstream: service.baseUrl }));
      const front = servers.use(
        await startFront({
          upstream: service.baseUrl,
          answer(_request, response) {
            response.writeHead(302, { location: `${other.baseUrl}/login` }).end();
            return true;
          },
        }),
      );
      const wrong = () => (other.versions.size === 0 ? [] : ["the redirect was followed"]);
      return { target: { baseUrl: front.baseUrl }, wrong };
    },
    ...couldNotRun(/redirects every request \(302\) to http:\/\/127\.0\.0\.1:\d+\/v1\/login/),
  },
  {
    name: "a gateway that requires two headers, below a path",
    open: behindGateway({
      "CF-Access-Client-Id": { env: "CF_ID" },
      "CF-Access-Client-Secret": { env: "CF_SECRET" },
    }),
    ...fine,
  },
  {
    name: "a gateway that misses one of its two headers",
    open: behindGateway({ "CF-Access-Client-Id": { env: "CF_ID" } }),
    ...couldNotRun(/gateway/i),
  },
];

interface NginxSetup {
  /** Addresses behind nginx, with the percentage of the requests that each gets. Default: the service */
  readonly behind?: (place: SetupPlace) => Promise<Readonly<Record<string, string>>>;
  readonly http?: string;
  readonly location?: string;
  readonly target?: Readonly<Record<string, unknown>>;
}

function behindNginx({ behind, http = "", location = "", target = {} }: NginxSetup): Setup["open"] {
  return async (place) => {
    const service = new URL(place.service.baseUrl).host;
    const others = await behind?.(place);
    const shares = Object.entries(others ?? {}).map(([address, share]) => `${share} ${address};`);
    const split =
      others === undefined ? "" : `split_clients "$request_id" $behind { ${shares.join(" ")} * ${service}; }`;
    const upstream = others === undefined ? service : "$behind";
    const front = place.servers.use(await startNginx({ upstream, http: `${split} ${http}`, location }));
    return { target: { baseUrl: front.baseUrl, ...target } };
  };
}

const dead = (share: string) => async () => ({ [`127.0.0.1:${await freePort()}`]: share });

/** The service's own errors, in its shape. */
const failing =
  (share: string) =>
  async ({ service, servers }: SetupPlace) => {
    const front = servers.use(
      await startFront({
        upstream: service.baseUrl,
        answer(_request, response) {
          response.writeHead(502, { "content-type": "application/json" });
          response.end('{"error":{"code":"upstream_error","message":"The catalog does not respond"}}');
          return true;
        },
      }),
    );
    return { [new URL(front.baseUrl).host]: share };
  };

/** Responds after nginx has given up. */
const slow =
  (share: string) =>
  async ({ service, servers }: SetupPlace) => {
    const answer = () => true;
    const front = servers.use(await startFront({ upstream: service.baseUrl, answer }));
    return { [new URL(front.baseUrl).host]: share };
  };

// k6 is limited alone, so that discovery finds products.
const limitsK6 = (status: number): NginxSetup => ({
  http: `map $http_user_agent $limited { default ""; ~*k6 all; } limit_req_zone $limited zone=z:1m rate=2r/s;`,
  location: `limit_req zone=z burst=5 nodelay; limit_req_status ${status};`,
});

const nginxSetups: readonly Setup[] = [
  { name: "nginx", open: behindNginx({}), ...fine },
  {
    name: "nginx with 502 for 4 % of the requests",
    open: behindNginx({ behind: dead("4%") }),
    conformance: { exit: [0] },
    load: { exit: [0] },
  },
  {
    name: "nginx with 504 for 4 % of the requests",
    open: behindNginx({ behind: slow("4%"), location: "proxy_read_timeout 1s;" }),
    conformance: { exit: [0] },
    load: { exit: [0] },
  },
  {
    name: "nginx with 502 for 60 % of the requests",
    open: behindNginx({ behind: dead("60%") }),
    ...couldNotRun(/gateway/i),
  },
  {
    name: "nginx with a limit of its own (503)",
    open: behindNginx(limitsK6(503)),
    conformance: right,
    load: { exit: [3], says: /On the way: .* with 503/, finds: ["lost-on-the-way"] },
  },
  {
    name: "nginx with a limit of its own (429)",
    open: behindNginx(limitsK6(429)),
    conformance: right,
    // Its refusals are sent again: whether enough gets through in time depends on the machine.
    load: { exit: [0, 3], says: /On the way: .* with 429/ },
  },
  {
    name: "nginx that accepts no batch (413)",
    open: behindNginx({ location: "client_max_body_size 64;" }),
    conformance: right,
    load: right,
    batch: { exit: [3], says: /responded with 413.*client_max_body_size/s, finds: ["no-batch-field"] },
  },
  {
    name: "nginx that accepts only small batches (413)",
    open: behindNginx({ location: "client_max_body_size 600;" }),
    conformance: right,
    load: right,
    batch: { exit: [3], says: /On the way: .* with 413.*client_max_body_size/s, finds: ["lost-on-the-way"] },
  },
  {
    // Few enough that nine in a row, after which a target counts as unavailable, are improbable.
    name: "the service's own 502 for 25 % of the requests, behind nginx",
    open: behindNginx({ behind: failing("25%") }),
    conformance: { exit: [0, 4] },
    load: { exit: [1], says: /failed requests/, finds: ["failed-requests"] },
  },
];

/** All setups by part. */
export const setups: Readonly<Record<(typeof setupParts)[number], readonly Setup[]>> = {
  tls: tlsSetups,
  http: httpSetups,
  proxies: proxySetups,
  gateways: gatewaySetups,
  nginx: nginxSetups,
};
