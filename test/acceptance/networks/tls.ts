import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Certificate, makeCertificate } from "../../support/certificates.ts";
import { startRelay, type TestServer } from "../../support/server.ts";
import { authority, bothSucceed, caFile, couldNotRun, type Setup } from "./setup.ts";

const client = makeCertificate({ by: authority, names: ["qa"] });

/** The second line of a key's body: enough of it to be found anywhere. */
function lineOf({ key }: Certificate): string {
  return key.split("\n")[2] ?? "";
}

interface TlsSetup {
  readonly certificate?: Parameters<typeof makeCertificate>[0];
  readonly requiresClientCertificate?: boolean;
  readonly http2?: boolean;
  readonly target?: (place: {
    folder: string;
    front: TestServer;
  }) => Promise<Readonly<Record<string, unknown>>>;
  readonly env?: (folder: string) => Promise<NodeJS.ProcessEnv>;
  readonly secrets?: readonly string[];
  readonly wrong?: (front: TestServer) => readonly string[];
}

function overTls({
  certificate,
  requiresClientCertificate = false,
  http2 = true,
  ...options
}: TlsSetup): Setup["open"] {
  return async ({ service, folder, servers }) => {
    const { certificate: cert, key } = makeCertificate({ by: authority, ...certificate });
    const tls = { cert, key, ca: authority.certificate, requestCert: requiresClientCertificate };
    const front = servers.use(await startRelay(service.baseUrl, undefined, { tls, http2 }));
    const { wrong, secrets } = options;
    return {
      target: {
        baseUrl: front.baseUrl,
        ca: await caFile(folder),
        ...(await options.target?.({ folder, front })),
      },
      ...(options.env === undefined ? {} : { env: await options.env(folder) }),
      secrets,
      wrong: wrong === undefined ? undefined : () => wrong(front),
    };
  };
}

const withoutCa = async () => ({ ca: undefined });
const sentBy = (version: string) => (front: TestServer) => {
  const others = front.requests.filter(({ httpVersion }) => httpVersion !== version);
  return others.slice(0, 1).map(({ httpVersion }) => `sent by HTTP/${httpVersion}`);
};

async function clientFiles({ folder }: { folder: string }) {
  const clientCertificate = join(folder, "client.pem");
  const clientKey = join(folder, "client.key");
  await writeFile(clientCertificate, client.certificate);
  await writeFile(clientKey, client.key);
  return { clientCertificate, clientKey };
}

/** TLS: authorities, server names, client certificates, and wrong schemes. */
export const tlsSetups: readonly Setup[] = [
  { name: "a private authority (ca)", open: overTls({}), ...bothSucceed, loadInCi: true },
  {
    name: "a private authority (NODE_EXTRA_CA_CERTS)",
    open: overTls({
      target: withoutCa,
      env: async (folder) => ({ NODE_EXTRA_CA_CERTS: await caFile(folder) }),
    }),
    ...bothSucceed,
  },
  {
    name: "a private authority (SSL_CERT_FILE)",
    open: overTls({ target: withoutCa, env: async (folder) => ({ SSL_CERT_FILE: await caFile(folder) }) }),
    ...bothSucceed,
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
      const front = servers.use(await startRelay(service.baseUrl, undefined, { tls: { cert, key } }));
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
    loadInCi: true,
  },
  {
    name: "a client certificate (mTLS)",
    open: overTls({
      requiresClientCertificate: true,
      target: clientFiles,
      secrets: [lineOf(client)],
    }),
    ...bothSucceed,
    loadInCi: true,
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

/** HTTP versions, and addresses of the target. */
export const httpSetups: readonly Setup[] = [
  { name: "HTTP/2 by ALPN", open: overTls({ wrong: sentBy("2.0") }), ...bothSucceed, loadInCi: true },
  {
    name: "an IPv6 literal",
    async open({ service, servers }) {
      const front = servers.use(await startRelay(service.baseUrl, undefined, { host: "::1" }));
      return { target: { baseUrl: front.baseUrl } };
    },
    ...bothSucceed,
  },
];
