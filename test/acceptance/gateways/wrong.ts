import {
  apache,
  haproxy,
  nginx,
  node,
  type OpenFront,
  type Software,
} from "../../support/gateway-programs.ts";
import type { Configuration, GatewayCommand } from "./configurations.ts";

// Misconfigured gateways and caches: each has its exit code and its subject, which no list of texts decides.

type Ending = readonly [exit: number | readonly number[], says: RegExp, never?: RegExp];

/** What doctor looks at may be right. */
const anyDoctor: Ending = [[0, 3], /./];

function wrong(
  name: string,
  needs: readonly Software[],
  fronts: readonly OpenFront[],
  outcomes: Partial<Readonly<Record<GatewayCommand, Ending>>>,
  more: Partial<Configuration> = {},
): Configuration {
  const expect = Object.fromEntries(
    Object.entries({ doctor: anyDoctor, ...outcomes }).map(([command, [exit, says, never]]) => [
      command,
      { exit: [exit].flat(), says, never },
    ]),
  );
  return { name, needs, fronts, expect, ...more };
}

const withId = [{ headers: { "X-Request-Id": "of-the-service" } }];

const limited = (rate: string) => ({
  http: `limit_req_zone $binary_remote_addr zone=z:1m rate=${rate};`,
  location: "limit_req zone=z burst=40 nodelay; limit_req_status 429;",
});
const tracked = `stick-table type ip size 10k expire 10s store http_req_rate(1s)
http-request track-sc0 src`;
const limitedHaproxy = `${tracked}\nhttp-request deny deny_status 429 if { sc_http_req_rate(0) gt 60 }`;
const retryAfter: Ending = [1, /Retry-After/];
/** A 429 without Retry-After and without the error shape, of whoever. */
const limits = {
  conformance: retryAfter,
  load: [0, /passed/],
  "rate-limit": [1, /Retry-After in whole seconds\. The response comes from a gateway/],
  gate: retryAfter,
} as const satisfies Partial<Record<GatewayCommand, Ending>>;
/** A cache that no load sees to be wrong. */
const behindCache = { load: [0, /passed/] } as const satisfies Partial<Record<GatewayCommand, Ending>>;
/** A limit that a busy machine reaches. */
const lowLimit = { services: [{ limit: 60 }] } as const;
const unseen = "proxy_cache cache; proxy_ignore_headers Cache-Control Vary;";
/** What belongs to a key comes without it, or with another one, or a key gets what nobody got. */
const leak =
  /without a key returned 200|an invalid key returned 200|after a refused request, returned 401|which the key may not use, returned 200|a retailer that GET .retailers does not list for this|which only the (first|other) organization may use/;
const cached = `proxy_cache cache; proxy_cache_valid any 20s; proxy_ignore_headers Cache-Control Vary;`;
const notArriving = (header: string) =>
  new RegExp(`FAILED authentication\\.${header}: [\\s\\S]*returned 401`);
const down = { isDown: true } as const;
const unavailable = (name: RegExp): Partial<Record<GatewayCommand, Ending>> => ({
  conformance: [3, name],
  doctor: [3, name],
});

/** A proxy of Node that accepts so many requests in each second, and refuses the others in this way. */
function limitingNode(most: number, refusal: string): OpenFront {
  return node(`const http = require("node:http");
let [n, end] = [0, 0];
http.createServer((q, r) => {
  const now = Date.now();
  if (now > end) [n, end] = [0, now + 1000];
  if (++n > ${most}) { q.resume(); r.${refusal}; return; }
  const behind = http.request("http://UP" + q.url, { method: q.method, headers: q.headers }, (a) => {
    r.writeHead(a.statusCode, a.headers);
    a.pipe(r);
  });
  q.pipe(behind);
}).listen(PORT, "127.0.0.1");`);
}

export const wrongConfigurations: readonly Configuration[] = [
  // Limits of the gateway.
  wrong("nginx limits the rate with its own 429", ["nginx"], [nginx(limited("60r/s"))], {
    ...limits,
    doctor: [0, /Ready/],
  }),
  wrong(
    "nginx limits the rate with 503",
    ["nginx"],
    [nginx({ ...limited("60r/s"), location: "limit_req zone=z burst=40 nodelay;" })],
    {
      conformance: [[3, 4], /503/],
      load: [0, /passed/],
      "rate-limit": [[1, 3], /a gateway \(nginx/i],
      gate: [[1, 3, 4], /503/],
    },
  ),
  wrong(
    "HAProxy limits the rate with its own 429",
    ["haproxy"],
    [haproxy({ frontend: limitedHaproxy })],
    { ...limits, conformance: [1, /HAProxy/] },
    { inCi: true },
  ),
  wrong(
    "a proxy of Node limits the rate with 420",
    [],
    [limitingNode(50, `writeHead(420, { "content-type": "application/json" }).end('{"message":"calm"}')`)],
    { conformance: [1, /\b420\b/] },
    { services: withId },
  ),
  // Sizes and methods.
  wrong(
    "nginx refuses batches above 600 bytes",
    ["nginx"],
    [nginx({ location: "client_max_body_size 600;" })],
    { conformance: [1, /413/], batch: [1, /413/], doctor: [0, /Ready/] },
    { inCi: true },
  ),
  // What does not arrive.
  wrong("nginx drops the query", ["nginx"], [nginx({ pass: "http://UP$uri" })], {
    conformance: [[1, 4], /query/i],
    doctor: [3, /exactly one of/i],
  }),
  wrong(
    "nginx strips Authorization",
    ["nginx"],
    [nginx({ location: `proxy_set_header Authorization "";` })],
    {
      conformance: [1, notArriving("bearer")],
      load: [3, /X-Api-Key it is accepted/],
    },
  ),
  wrong(
    "Apache strips both key headers",
    ["apache"],
    [apache({ server: "RequestHeader unset Authorization\nRequestHeader unset X-Api-Key" })],
    { conformance: [3, /API key is required/], doctor: [3, /API key is required/] },
  ),
  wrong("nginx decodes %2F", ["nginx"], [nginx({ pass: "http://UP/" })], { conformance: [1, /%2F|slash/i] }),
  wrong(
    "HAProxy redirects everything",
    ["haproxy"],
    [haproxy({ frontend: "http-request redirect location https://login.example/" })],
    { conformance: [3, /login\.example/], doctor: [3, /login\.example/] },
  ),
  // Bodies that are replaced.
  wrong(
    "nginx replaces the bodies of errors",
    ["nginx"],
    [nginx({ location: "proxy_intercept_errors on; error_page 400 401 403 404 /none; " })],
    { conformance: [1, /shape|JSON/] },
    { inCi: true },
  ),
  // Nothing in this response says that it is not the service's.
  wrong(
    "HAProxy makes 200 of 404",
    ["haproxy"],
    [haproxy({ frontend: "http-response set-status 200 if { status 404 }" })],
    {
      conformance: [
        1,
        /FAILED by-id\.unknown-product[\s\S]*returned 200 \(not_found\); expected 404/,
        /DELETE/,
      ],
    },
  ),
  // Down and slow.
  wrong(
    "nginx, service down",
    ["nginx"],
    [nginx()],
    { ...unavailable(/502/), load: [3, /502/], gate: [3, /502/] },
    { ...down, inCi: true },
  ),
  wrong(
    "nginx, service slower than its time limit",
    ["nginx"],
    [nginx({ location: "proxy_read_timeout 300ms;" })],
    { conformance: [3, /504/], doctor: [3, /504/] },
    { services: [{ delay: 900 }] },
  ),
  // Caches.
  wrong(
    "nginx caches by URL, unseen",
    ["nginx"],
    [nginx({ location: cached })],
    { ...behindCache, conformance: [1, leak], gate: [1, leak] },
    lowLimit,
  ),
  wrong(
    "nginx caches by URL and Authorization",
    ["nginx"],
    [
      nginx({
        location: `${unseen} proxy_cache_valid 200 20s; proxy_cache_key "$request_uri$http_authorization";`,
      }),
    ],
    {
      load: [0, /passed/],
      conformance: [1, /organization|granted|X-Api-Key/i],
      gate: [1, leak],
    },
    lowLimit,
  ),
  wrong(
    "a public response without Vary",
    ["nginx"],
    [nginx()],
    { conformance: [0, /public/] },
    { services: [{ cacheControl: "public, max-age=60" }] },
  ),
  wrong(
    "nginx keeps 429 by key",
    ["nginx"],
    [
      nginx({
        location: `${unseen} proxy_cache_key "$request_uri$http_authorization$http_x_api_key"; proxy_cache_valid 429 60s;`,
      }),
    ],
    {
      conformance: [
        1,
        /honest-wait[\s\S]*Still refused|limits\.per-organization[\s\S]*The two organizations share/,
      ],
      load: [0, /passed/],
      gate: [1, /honest-wait[\s\S]*Still refused|limits\.per-organization/],
    },
  ),
  // Replicas.
  wrong(
    "one of two instances lacks a retailer",
    ["nginx"],
    [nginx()],
    {
      conformance: [1, /FAILED retailers\.scope/],
      // No product of the retailer is sent if discovery met the instance that lacks it.
      load: [[0, 1], /./],
      "rate-limit": [[0, 1, 3], /./],
      gate: [1, /FAILED retailers\.scope/],
    },
    { services: [{}, { lacks: ["northsea"] }], inCi: true },
  ),
  wrong(
    "one of two instances does not know Bearer",
    ["nginx"],
    [nginx()],
    {
      conformance: [1, /authentication\.bearer/],
      doctor: [[0, 3], /401/],
      load: [[1, 3], /401/],
      "rate-limit": [[1, 3], /401/],
      gate: [1, /authentication\.bearer/],
    },
    { services: [{}, { keyHeaders: ["x-api-key"] }] },
  ),
  // What was not seen, or not whole.
  wrong(
    "nginx refuses the long cursors of later pages",
    ["nginx"],
    [nginx({ http: "client_header_buffer_size 256; large_client_header_buffers 4 512;" })],
    {
      conformance: [1, /414/, /appear only in pages/],
      doctor: [[0, 3], /./, /Check the spelling/],
    },
    { services: [{ cursorLength: 560 }] },
  ),
  wrong(
    "HAProxy drops requests above a rate without a response",
    ["haproxy"],
    [haproxy({ frontend: `${tracked}\nhttp-request silent-drop if { sc_http_req_rate(0) gt 90 }` })],
    { conformance: [[1, 3, 4], /got no response|no response came|was closed/, /reached no rate limit\./] },
  ),
];
