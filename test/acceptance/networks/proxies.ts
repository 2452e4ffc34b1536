import { makeCertificate } from "../../support/certificates.ts";
import { freePort, startForwardProxy, startRelay } from "../../support/server.ts";
import { authority, bothSucceed, caFile, couldNotRun, internalName, type Setup } from "./setup.ts";

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
    const { certificate: cert, key } = makeCertificate({ by: authority, names: [internalName] });
    const options = tls ? { tls: { cert, key }, http2: true } : {};
    const front = servers.use(await startRelay(service.baseUrl, undefined, options));
    const proxy = servers.use(await startForwardProxy(wanted));
    const port = isDead ? await freePort() : proxy.port;
    const origin = `${tls ? "https" : "http"}://${internalName}:${front.port}`;
    const isRightWay = (request: string) =>
      tls ? request === `CONNECT ${internalName}:${front.port}` : request.includes(` ${origin}/v1/`);
    return {
      target: {
        baseUrl: `${origin}/v1`,
        ca: await caFile(folder),
      },
      env: { [tls ? "HTTPS_PROXY" : "HTTP_PROXY"]: `http://${credentials}@127.0.0.1:${port}` },
      secrets: ["password-of-the-proxy-4711"],
      wrong: () => proxy.asked.filter((request) => !isRightWay(request)).slice(0, 1),
    };
  };
}

const noProxy = /The proxy cannot be reached, or refuses the request: http:\/\/127\.0\.0\.1:/;
const proxyIsTheCause = { doctor: { exit: [3], says: noProxy }, ...couldNotRun(noProxy) } as const;

/** Forward proxies. */
export const proxySetups: readonly Setup[] = [
  {
    name: "an https target through CONNECT, with credentials",
    open: throughProxy({}),
    ...bothSucceed,
    loadInCi: true,
  },
  {
    name: "an http target through a proxy, with credentials",
    open: throughProxy({ tls: false }),
    ...bothSucceed,
  },
  {
    name: "a proxy that refuses the credentials (https)",
    open: throughProxy({ wanted: "somebody:else-entirely" }),
    ...proxyIsTheCause,
  },
  {
    name: "a dead proxy (https)",
    open: throughProxy({ isDead: true }),
    ...proxyIsTheCause,
  },
];
