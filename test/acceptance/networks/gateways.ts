import { startRelay } from "../../support/server.ts";
import { bothSucceed, couldNotRun, type Setup, succeeds } from "./setup.ts";

const gatewaySecrets = ["gateway-client-id-7731", "secret-of-the-gateway-8842"] as const;

function behindGateway(headers: Readonly<Record<string, { env: "CF_ID" | "CF_SECRET" }>>): Setup["open"] {
  return async ({ service, servers }) => {
    const front = servers.use(
      await startRelay(
        service.baseUrl,
        (request, response) => {
          const sent = [request.headers["cf-access-client-id"], request.headers["cf-access-client-secret"]];
          // As careless gateways do, it returns what it got.
          response.setHeader("x-gateway-saw", sent.join(" "));
          if (sent.every((value, place) => value === gatewaySecrets[place])) return false;
          response.writeHead(403, { "content-type": "text/html", server: "cloudflare" });
          response.end("<html><h1>403 Forbidden</h1><center>cloudflare</center></html>");
          return true;
        },
        { prefix: "/gw/api" },
      ),
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

/** Gateways with rules of their own. */
export const gatewaySetups: readonly Setup[] = [
  {
    name: `a target that allows ${mostPerSecond} requests per second (maxRequestsPerSecond)`,
    async open({ service, servers }) {
      const times: number[] = [];
      const answer = () => {
        times.push(performance.now());
        return false;
      };
      const front = servers.use(await startRelay(service.baseUrl, answer));
      return {
        target: { baseUrl: front.baseUrl, maxRequestsPerSecond: mostPerSecond, avoid: ["burst"] },
        wrong: () => {
          const rate = rateAt(times);
          return rate <= mostPerSecond * 1.1 ? [] : [`${rate.toFixed(1)} requests per second`];
        },
      };
    },
    conformance: succeeds,
    load: { exit: [0], says: /Sent at most 5\/s, the maxRequestsPerSecond of the target/ },
  },
  {
    name: "a gateway that redirects to its login",
    async open({ service, servers }) {
      const other = servers.use(await startRelay(service.baseUrl));
      const front = servers.use(
        await startRelay(service.baseUrl, (_request, response) => {
          response.writeHead(302, { location: `${other.baseUrl}/login` }).end();
          return true;
        }),
      );
      const wrong = () => (other.requests.length === 0 ? [] : ["the redirect was followed"]);
      return { target: { baseUrl: front.baseUrl }, wrong };
    },
    ...couldNotRun(/returned 302 to every request, and redirects to http:\/\/127\.0\.0\.1:\d+\/v1\/login/),
  },
  {
    name: "a gateway that requires two headers, below a path",
    open: behindGateway({
      "CF-Access-Client-Id": { env: "CF_ID" },
      "CF-Access-Client-Secret": { env: "CF_SECRET" },
    }),
    ...bothSucceed,
    loadInCi: true,
  },
  {
    name: "a gateway that misses one of its two headers",
    open: behindGateway({ "CF-Access-Client-Id": { env: "CF_ID" } }),
    ...couldNotRun(/gateway/i),
  },
];
