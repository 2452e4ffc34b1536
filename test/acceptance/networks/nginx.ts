import { nginx } from "../../support/gateway-programs.ts";
import { deadBaseUrl, type Handler, sendJson, serve } from "../../support/server.ts";
import { bothSucceed, couldNotRun, type Setup, type SetupPlace, succeeds } from "./setup.ts";

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
    const pass = others === undefined ? {} : { pass: "http://$behind" };
    const start = nginx({ http: `${split} ${http}`, location, ...pass });
    const { address } = place.servers.use(await start([service]));
    return { target: { baseUrl: `http://${address}/v1`, ...target } };
  };
}

const dead = (share: string) => async () => ({ [new URL(await deadBaseUrl()).host]: share });

/** A server that responds like this takes part of the requests. */
const partly =
  (share: string, respond: Handler) =>
  async ({ servers }: SetupPlace) => {
    const other = servers.use(await serve(respond));
    return { [new URL(other.url).host]: share };
  };

/** The service's own errors, in its shape. */
const failing: Handler = (_request, response) =>
  sendJson(response, 502, { error: { code: "upstream_error", message: "The catalog does not respond" } });

/** Does not respond before nginx gives up. */
const silent: Handler = () => undefined;

// k6 is limited alone, so that discovery finds products.
const limitsK6 = (status: number): NginxSetup => ({
  http: `map $http_user_agent $limited { default ""; ~*k6 all; } limit_req_zone $limited zone=z:1m rate=2r/s;`,
  location: `limit_req zone=z burst=5 nodelay; limit_req_status ${status};`,
});

/** A real nginx, with errors and limits. */
export const nginxSetups: readonly Setup[] = (
  [
    { name: "nginx", open: behindNginx({}), ...bothSucceed },
    {
      name: "nginx with 502 for 4 % of the requests",
      open: behindNginx({ behind: dead("4%") }),
      conformance: { exit: [0] },
      load: { exit: [0] },
    },
    {
      name: "nginx with 504 for 4 % of the requests",
      open: behindNginx({ behind: partly("4%", silent), location: "proxy_read_timeout 1s;" }),
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
      conformance: succeeds,
      load: {
        exit: [3],
        says: /On the way: .* with 503/,
        finds: ["lost-on-the-way"],
        spares: ["failed-requests"],
      },
      loadInCi: true,
    },
    {
      name: "nginx with a limit of its own (429)",
      open: behindNginx(limitsK6(429)),
      conformance: succeeds,
      // A client cannot read such a refusal, whoever gives it.
      load: { exit: [1], says: /Retry-After/ },
    },
    {
      name: "nginx that accepts no batch (413)",
      open: behindNginx({ location: "client_max_body_size 64;" }),
      conformance: succeeds,
      load: succeeds,
      batch: { exit: [3], says: /returned 413.*client_max_body_size/s, finds: ["no-batch-field"] },
    },
    {
      name: "nginx that accepts only small batches (413)",
      open: behindNginx({ location: "client_max_body_size 600;" }),
      conformance: succeeds,
      load: succeeds,
      batch: { exit: [1], says: /with 413/, finds: ["failed-requests"] },
    },
    {
      // Few enough that nine in a row, after which a target counts as unavailable, are improbable.
      name: "the service's own 502 for 25 % of the requests, behind nginx",
      open: behindNginx({ behind: partly("25%", failing) }),
      conformance: { exit: [0, 4] },
      load: { exit: [1], says: /failed requests/, finds: ["failed-requests"] },
    },
  ] satisfies Setup[]
).map((setup) => ({ ...setup, needs: ["nginx"] }));
