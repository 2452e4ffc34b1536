import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeCertificate } from "../support/certificates.ts";
import { type Intercept, startForwardProxy, startRelay } from "../support/server.ts";
import { acceptRows, type Expectation } from "./row.ts";
import { rowsOf, type SetUp, type SetUpPlace } from "./set-up.ts";

// Conformance and load through each network between shelfcheck and the reference service. Keys, header values
// and passwords are looked for in files, output and arguments.

const succeeds: Expectation = { exit: [0] };
const both = { some: succeeds, load: succeeds };
/** Conformance and load end with this exit code, and this text is in the output. */
const says = (exit: number, text: RegExp) => ({
  some: { exit: [exit], says: text },
  load: { exit: [exit], says: text },
});
const couldNotRun = (text: RegExp) => ({ expect: says(3, text) });

/** The name of a target that has no address in the name service. */
const internalName = "catalog.internal";
/** The authority that signs the certificates of all set-ups. */
const authority = makeCertificate({ isAuthority: true });
const client = makeCertificate({ by: authority, names: ["qa"] });

async function fileIn(folder: string, name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}
const caFile = (folder: string) => fileIn(folder, "root.pem", authority.certificate);

interface TlsSetUp {
  readonly certificate?: Parameters<typeof makeCertificate>[0];
  readonly requiresClientCertificate?: boolean;
  readonly target?: (folder: string, front: { baseUrl: string }) => Promise<object>;
  /** The variable that names the file of the authority. Default: the config does */
  readonly caVariable?: "NODE_EXTRA_CA_CERTS" | "SSL_CERT_FILE";
  readonly secrets?: readonly string[];
  /** Requests that are not of this version are wrong. Default: any */
  readonly httpVersion?: string;
}

const overTls =
  ({ certificate, requiresClientCertificate = false, ...options }: TlsSetUp): SetUp["open"] =>
  async ({ service, folder, servers }) => {
    const { certificate: cert, key } = makeCertificate({ by: authority, ...certificate });
    const tls = { cert, key, ca: authority.certificate, requestCert: requiresClientCertificate };
    const front = servers.use(await startRelay(service.baseUrl, undefined, { tls, http2: true }));
    const { httpVersion, caVariable, secrets } = options;
    const ca = await caFile(folder);
    return {
      target: {
        baseUrl: front.baseUrl,
        ...(caVariable === undefined ? { ca } : {}),
        ...(await options.target?.(folder, front)),
      },
      env: caVariable === undefined ? {} : { [caVariable]: ca },
      secrets,
      wrong: () => {
        const others = front.requests.filter((one) => one.httpVersion !== (httpVersion ?? one.httpVersion));
        return others.slice(0, 1).map((one) => `sent by HTTP/${one.httpVersion}`);
      },
    };
  };

/** TLS: authorities, server names, client certificates, wrong schemes; HTTP versions, addresses of the target. */
const tls: readonly SetUp[] = [
  ...(["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"] as const).map((caVariable) => ({
    name: `a private authority (${caVariable})`,
    open: overTls({ caVariable }),
    expect: both,
  })),
  {
    name: "an unknown authority",
    open: overTls({ target: async () => ({ ca: undefined }) }),
    ...couldNotRun(/not trusted|unknown authority/),
  },
  { name: "an expired certificate", open: overTls({ certificate: { days: -1 } }), ...couldNotRun(/expired/) },
  {
    name: "a certificate for another name",
    open: overTls({ certificate: { names: ["other.internal"] } }),
    ...couldNotRun(/another name/),
  },
  {
    name: "an expired certificate that is not checked (insecure)",
    open: overTls({ certificate: { days: -1 }, target: async () => ({ insecure: true }) }),
    expect: says(0, /not checked/),
    inCi: ["some", "load"],
  },
  {
    name: "a client certificate (mTLS)",
    open: overTls({
      requiresClientCertificate: true,
      target: async (folder) => ({
        clientCertificate: await fileIn(folder, "client.pem", client.certificate),
        clientKey: await fileIn(folder, "client.key", client.key),
      }),
      // The second line of its body: enough of it to be found anywhere.
      secrets: [client.key.split("\n")[2] ?? ""],
    }),
    expect: both,
    inCi: ["some", "load"],
  },
  {
    name: "http on a port for https",
    open: overTls({ target: async (_, { baseUrl }) => ({ baseUrl: baseUrl.replace("https:", "http:") }) }),
    ...couldNotRun(/https/),
  },
  {
    name: "HTTP/2 by ALPN",
    open: overTls({ httpVersion: "2.0" }),
    expect: both,
    inCi: ["some", "load"],
  },
  {
    name: "an IPv6 literal",
    open: async ({ service, servers }) => {
      const front = servers.use(await startRelay(service.baseUrl, undefined, { host: "::1" }));
      return { target: { baseUrl: front.baseUrl } };
    },
    expect: both,
  },
];

const password = "password-of-the-proxy-4711";

const throughProxy =
  ({ wanted = `qa:${password}`, isDead = false, isTls = true } = {}): SetUp["open"] =>
  async ({ service, folder, servers }) => {
    const { certificate: cert, key } = makeCertificate({ by: authority, names: [internalName] });
    const options = isTls ? { tls: { cert, key }, http2: true } : {};
    const front = servers.use(await startRelay(service.baseUrl, undefined, options));
    const proxy = servers.use(await startForwardProxy(wanted));
    const port = isDead ? 1 : proxy.port;
    const origin = `${isTls ? "https" : "http"}://${internalName}:${front.port}`;
    const isRightWay = (request: string) =>
      isTls ? request === `CONNECT ${internalName}:${front.port}` : request.includes(` ${origin}/v1/`);
    return {
      target: { baseUrl: `${origin}/v1`, ca: await caFile(folder) },
      env: { [isTls ? "HTTPS_PROXY" : "HTTP_PROXY"]: `http://qa:${password}@127.0.0.1:${port}` },
      secrets: [password],
      wrong: () => proxy.asked.filter((request) => !isRightWay(request)).slice(0, 1),
    };
  };

const noProxy = /The proxy cannot be reached, or refuses the request: http:\/\/127\.0\.0\.1:/;
const proxyIsTheCause = { doctor: { exit: [3], says: noProxy }, ...says(3, noProxy) };

const proxies: readonly SetUp[] = [
  {
    name: "an https target through CONNECT, with credentials",
    open: throughProxy(),
    expect: both,
    inCi: ["some", "load"],
  },
  {
    name: "an http target through a proxy, with credentials",
    open: throughProxy({ isTls: false }),
    expect: both,
  },
  {
    name: "a proxy that refuses the credentials (https)",
    open: throughProxy({ wanted: "somebody:else-entirely" }),
    expect: proxyIsTheCause,
  },
  { name: "a dead proxy (https)", open: throughProxy({ isDead: true }), expect: proxyIsTheCause },
];

const CF_ID = "gateway-client-id-7731";
const CF_SECRET = "secret-of-the-gateway-8842";
const twoHeaders = {
  "CF-Access-Client-Id": { env: "CF_ID" },
  "CF-Access-Client-Secret": { env: "CF_SECRET" },
};

/** A gateway that requires two headers. As careless ones do, it returns what it got. */
const requiresHeaders: Intercept = ({ headers }, response) => {
  const sent = [headers["cf-access-client-id"], headers["cf-access-client-secret"]];
  response.setHeader("x-gateway-saw", sent.join(" "));
  if (sent[0] === CF_ID && sent[1] === CF_SECRET) return false;
  response.writeHead(403, { "content-type": "text/html", server: "cloudflare" });
  response.end("<html><h1>403 Forbidden</h1><center>cloudflare</center></html>");
  return true;
};

/** Behind it, with these headers in the config. A variable that none names is not known to hold a secret. */
const behindGateway =
  (headers: object, env: NodeJS.ProcessEnv) =>
  async ({ service, servers }: SetUpPlace) => {
    const options = { prefix: "/gw/api" };
    const front = servers.use(await startRelay(service.baseUrl, requiresHeaders, options));
    return { target: { baseUrl: `${front.baseUrl}/`, headers }, env, secrets: [CF_ID, CF_SECRET] };
  };

const mostPerSecond = 5;

/** Gateways with rules of their own. */
const gateways: readonly SetUp[] = [
  {
    name: `a target that allows ${mostPerSecond} requests per second (maxRequestsPerSecond)`,
    async open({ service, servers }) {
      const times: number[] = [];
      const front = servers.use(
        await startRelay(service.baseUrl, () => {
          times.push(performance.now());
          return false;
        }),
      );
      return {
        target: { baseUrl: front.baseUrl, maxRequestsPerSecond: mostPerSecond, avoid: ["burst"] },
        wrong: () => {
          const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000;
          const rate = (times.length - 1) / seconds;
          return times.length < 3 || rate <= mostPerSecond * 1.1
            ? []
            : [`${rate.toFixed(1)} requests per second`];
        },
      };
    },
    expect: {
      some: succeeds,
      load: { exit: [0], says: /Limited to 5\/s by the target.s maxRequestsPerSecond/ },
    },
    inCi: ["load"],
  },
  {
    name: "a gateway that requires two headers, below a path",
    open: behindGateway(twoHeaders, { CF_ID, CF_SECRET }),
    expect: both,
    inCi: ["some", "load"],
  },
  {
    name: "a gateway that misses one of its two headers",
    open: behindGateway({ "CF-Access-Client-Id": { env: "CF_ID" } }, { CF_ID }),
    ...couldNotRun(/gateway/i),
  },
];

/** CI runs conformance where it cannot, which ends at once, and one network of each kind. */
const inCi = ["some"] as const;
const rows = [...tls, ...proxies, ...gateways].flatMap((setUp) =>
  rowsOf({ ...(setUp.expect.some?.exit[0] === 3 ? { inCi } : {}), ...setUp }),
);
const { load = [], some = [] } = Object.groupBy(rows, ({ command }) =>
  command.startsWith("load") ? "load" : "some",
);
acceptRows(some);
// One process is the server of all: with the TLS of several loads it answers too few for the rarest kind of request.
acceptRows(load, { atOnce: false });
