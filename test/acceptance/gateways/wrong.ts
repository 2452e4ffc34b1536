import {
  apache,
  envoy,
  express,
  fastify,
  haproxy,
  lighttpd,
  nginx,
  node,
  type OpenFront,
  type Software,
  squid,
  varnish,
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

const typed = (name: string) => `type.googleapis.com/envoy.extensions.filters.http.${name}`;
const withId = [{ headers: { "X-Request-Id": "of-the-service" } }];

const limited = (rate: string) => ({
  http: `limit_req_zone $binary_remote_addr zone=z:1m rate=${rate};`,
  location: "limit_req zone=z burst=40 nodelay; limit_req_status 429;",
});
const tracked = `stick-table type ip size 10k expire 10s store http_req_rate(1s)
http-request track-sc0 src`;
const limitedHaproxy = `${tracked}\nhttp-request deny deny_status 429 if { sc_http_req_rate(0) gt 60 }`;
const bucket = (tokens: number) => ({
  name: "local",
  typed_config: {
    "@type": typed("local_ratelimit.v3.LocalRateLimit"),
    stat_prefix: "l",
    token_bucket: { max_tokens: tokens, tokens_per_fill: tokens, fill_interval: "1s" },
    filter_enabled: { default_value: { numerator: 100 } },
    filter_enforced: { default_value: { numerator: 100 } },
  },
});
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
const cacheAll = `sub vcl_recv { if (req.method == "GET") { return (hash); } return (pass); }
sub vcl_backend_response { set beresp.ttl = 20s; return (deliver); }`;
const cacheFound = `sub vcl_recv { if (req.method == "GET") { return (hash); } return (pass); }
sub vcl_backend_response { if (beresp.status == 200) { set beresp.ttl = 20s; } else { set beresp.uncacheable = true; } return (deliver); }`;
const unseen = "proxy_cache cache; proxy_ignore_headers Cache-Control Vary;";
const cachePages = `sub vcl_recv { if (req.method == "GET" && req.url ~ "category=") { return (hash); } return (pass); }
sub vcl_backend_response { set beresp.ttl = 60s; return (deliver); }`;
/** What belongs to a key comes without it, or with another one, or a key gets what nobody got. */
const leak =
  /without a key returned 200|an invalid key returned 200|after a refused request, returned 401|which the key may not use, returned 200|a retailer that GET .retailers does not list for this|which only the (first|other) organization may use/;
const cached = `proxy_cache cache; proxy_cache_valid any 20s; proxy_ignore_headers Cache-Control Vary;`;
const shownCached = `${cached} add_header X-Cache-Status $upstream_cache_status always;`;
const notArriving = (header: string) => new RegExp(`authentication\\.${header}: .*returned 401`);
const down = { isDown: true } as const;
const unavailable = (name: RegExp): Partial<Record<GatewayCommand, Ending>> => ({
  conformance: [3, name],
  doctor: [3, name],
});

/** A proxy of Node, with statements before it passes a request on; `n` and `end` are its own. */
function proxyOfNode(before: string): OpenFront {
  return node(
    `const http = require("node:http"); let n = 0, end = 0; http.createServer((q, r) => { ${before} const u = http.request("http://UP" + q.url, { method: q.method, headers: q.headers }, (a) => { r.writeHead(a.statusCode, a.headers); a.pipe(r); }); u.on("error", () => r.writeHead(502).end()); q.pipe(u); }).listen(PORT, "127.0.0.1");`,
  );
}

const refusal429 = `429, { "content-type": "application/json", "retry-after": String(Math.ceil((end - now) / 1000)) }).end('{"error":{"code":"rate_limited","message":"slow down"}}')`;

/** One that accepts so many requests in each so many milliseconds. */
function limitingNode(most: number, milliseconds: number, refusal: string): OpenFront {
  return proxyOfNode(
    `const now = Date.now(); if (now > end) { end = now + ${milliseconds}; n = 0; } if (++n > ${most}) { q.resume(); r.writeHead(${refusal}; return; }`,
  );
}

/** Leaves all requests but so many in each second without a response. */
function hangsAbove(perSecond: number): () => boolean {
  let [second, count] = [0, 0];
  return () => {
    const now = Math.floor(performance.now() / 1000);
    [second, count] = [now, now === second ? count + 1 : 1];
    return count > perSecond;
  };
}

/** Instances of which a connection reaches only one. A key that one of them rejects may seem to be revoked: exit 3. */
const perConnection: readonly (readonly [string, NonNullable<Configuration["services"]>, Ending])[] = [
  [
    "one of two instances lacks a retailer",
    [{}, { lacks: ["northsea"] }],
    [1, /false-not-found|retailers\.scope|query\.paging/],
  ],
  [
    "one of three instances does not know X-Api-Key",
    [{}, {}, { keyHeaders: ["authorization"] }],
    [1, /authentication\.(x-api-key|equivalent)/],
  ],
  ["one of two instances has other keys", [{}, { foreignKeys: true }], [[1, 3], /401/]],
];

export const wrongConfigurations: readonly Configuration[] = [
  // Limits of the gateway.
  wrong("nginx limits the rate with its own 429", ["nginx"], [nginx(limited("60r/s"))], {
    ...limits,
    doctor: [0, /Ready/],
  }),
  wrong(
    "nginx limits the rate, hidden Server",
    ["nginx"],
    [nginx({ ...limited("60r/s"), server: "more_clear_headers Server;" })],
    limits,
  ),
  wrong(
    "nginx limits the rate, behind HAProxy without Server",
    ["nginx", "haproxy"],
    [nginx(limited("60r/s")), haproxy({ frontend: "http-response del-header Server" })],
    limits,
  ),
  wrong(
    "nginx limits the rate, behind Envoy",
    ["nginx", "envoy"],
    [nginx(limited("60r/s")), envoy()],
    limits,
  ),
  wrong(
    "nginx limits the rate, behind Varnish",
    ["nginx", "varnish"],
    [nginx(limited("60r/s")), varnish({ vcl: "sub vcl_recv { return (pass); }" })],
    { conformance: retryAfter },
  ),
  wrong(
    "nginx limits the rate, behind Varnish, behind HAProxy without Server",
    ["nginx", "varnish", "haproxy"],
    [
      nginx(limited("60r/s")),
      varnish({ vcl: "sub vcl_recv { return (pass); }" }),
      haproxy({ frontend: "http-response del-header Server" }),
    ],
    limits,
  ),
  wrong(
    "nginx limits the rate before a service with an id",
    ["nginx"],
    [nginx(limited("60r/s"))],
    { conformance: [1, /Retry-After/] },
    { services: withId, inCi: true },
  ),
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
    [limitingNode(50, 1000, `420, { "content-type": "application/json" }).end('{"message":"calm"}')`)],
    { conformance: [1, /\b420\b/] },
    { services: withId },
  ),
  wrong("Envoy limits the rate with local_rate_limited", ["envoy"], [envoy({ filters: [bucket(60)] })], {
    ...limits,
    conformance: [1, /Envoy|envoy/],
  }),
  wrong(
    "Envoy limits the rate, behind nginx",
    ["envoy", "nginx"],
    [envoy({ filters: [bucket(60)] }), nginx()],
    { conformance: [1, /Envoy|envoy/] },
  ),
  // Sizes and methods.
  wrong(
    "nginx refuses batches above 600 bytes",
    ["nginx"],
    [nginx({ location: "client_max_body_size 600;" })],
    { conformance: [1, /413/], batch: [1, /413/], doctor: [0, /Ready/] },
    { inCi: true },
  ),
  wrong(
    "nginx refuses batches above 600 bytes, behind Envoy",
    ["nginx", "envoy"],
    [nginx({ location: "client_max_body_size 600;" }), envoy()],
    { conformance: [1, /413/], batch: [1, /413/] },
  ),
  wrong("nginx refuses every batch by size", ["nginx"], [nginx({ location: "client_max_body_size 8;" })], {
    conformance: [1, /413/],
    batch: [3, /413/],
  }),
  wrong(
    "Envoy refuses batches above 600 bytes",
    ["envoy"],
    [
      envoy({
        filters: [
          { name: "buffer", typed_config: { "@type": typed("buffer.v3.Buffer"), max_request_bytes: 600 } },
        ],
      }),
    ],
    { conformance: [1, /413/] },
  ),
  wrong("Squid refuses batches above 1 kB", ["squid"], [squid({ lines: "request_body_max_size 1 KB" })], {
    conformance: [1, /413/],
  }),
  wrong(
    "HAProxy denies POST",
    ["haproxy"],
    [haproxy({ frontend: "http-request deny deny_status 403 if METH_POST" })],
    { conformance: [1, /403/], batch: [3, /403/] },
  ),
  wrong(
    "Varnish turns POST into GET",
    ["varnish"],
    [
      varnish({
        vcl: 'sub vcl_recv { if (req.method == "POST") { set req.method = "GET"; unset req.http.Content-Length; } return (pass); }',
      }),
    ],
    { conformance: [1, /404|400|batch/i] },
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
    "HAProxy strips X-Api-Key",
    ["haproxy"],
    [haproxy({ frontend: "http-request del-header X-Api-Key" })],
    { conformance: [1, notArriving("x-api-key")] },
  ),
  wrong("Squid without login=PASSTHRU strips Authorization", ["squid"], [squid({ peer: "" })], {
    conformance: [1, notArriving("bearer")],
  }),
  wrong(
    "Apache strips both key headers",
    ["apache"],
    [apache({ server: "RequestHeader unset Authorization\nRequestHeader unset X-Api-Key" })],
    { conformance: [3, /API key is required/], doctor: [3, /API key is required/] },
  ),
  wrong(
    "nginx asks for a password",
    ["nginx"],
    [nginx({ location: `auth_basic "staging"; auth_basic_user_file FOLDER/none;` })],
    { conformance: [3, /401/], doctor: [3, /401/] },
  ),
  wrong("nginx decodes %2F", ["nginx"], [nginx({ pass: "http://UP/" })], { conformance: [1, /%2F|slash/i] }),
  wrong(
    "Apache decodes %2F",
    ["apache"],
    [apache({ pass: "AllowEncodedSlashes On\nProxyPass / http://UP/" })],
    { conformance: [1, /%2F|slash/i] },
  ),
  wrong("lighttpd with its default normalization", ["lighttpd"], [lighttpd()], {
    conformance: [[0, 1], /./],
  }),
  wrong("nginx lowers paths", ["haproxy"], [haproxy({ frontend: "http-request set-path %[path,lower]" })], {
    conformance: [1, /404/],
  }),
  wrong("nginx routes another path", ["nginx"], [nginx({ pass: "http://UP/other$request_uri" })], {
    conformance: [[1, 3], /404/],
    doctor: [3, /404/],
  }),
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
  wrong(
    "nginx replaces 404 with a page of its own",
    ["nginx"],
    [
      nginx({
        location: "proxy_intercept_errors on; error_page 404 /404.html;",
        server: "location = /404.html { internal; default_type text/html; return 404 '<h1>Not here</h1>'; }",
      }),
    ],
    { conformance: [1, /404/] },
  ),
  wrong(
    "HAProxy replaces 404 by its own file",
    ["haproxy"],
    [
      haproxy({
        backend:
          'http-response return status 404 content-type text/html string "<h1>gone</h1>" if { status 404 }',
      }),
    ],
    { conformance: [1, /404/] },
  ),
  wrong(
    "HAProxy replaces 404 by JSON in another shape, before a service with an id",
    ["haproxy"],
    [
      haproxy({
        backend: `http-response return status 404 content-type application/json string '{"message":"Not Found"}' if { status 404 }`,
      }),
    ],
    { conformance: [1, /404/] },
    { services: withId },
  ),
  // Nothing in this response says that it is not the service's.
  wrong(
    "HAProxy, own JSON for what is no endpoint, before a service with an id",
    ["haproxy"],
    [
      haproxy({
        frontend: `http-request return status 404 content-type application/json string '{"message":"no route"}' unless { path_beg /v1/products /v1/retailers }
http-request return status 405 content-type application/json string '{"message":"no"}' unless METH_GET or METH_POST`,
      }),
    ],
    { conformance: [1, /errors\.shape/] },
    { services: withId },
  ),
  wrong(
    "Varnish replaces 4xx by its own page",
    ["varnish"],
    [
      varnish({
        vcl: 'sub vcl_recv { return (pass); } sub vcl_deliver { if (resp.status == 404) { return (synth(404, "Not found")); } }',
      }),
    ],
    { conformance: [1, /404/] },
  ),
  wrong(
    "Envoy refuses GTIN lookups with RBAC",
    ["envoy"],
    [
      envoy({
        filters: [
          {
            name: "rbac",
            typed_config: {
              "@type": typed("rbac.v3.RBAC"),
              rules: {
                action: "DENY",
                policies: {
                  no: {
                    permissions: [{ header: { name: ":path", string_match: { contains: "gtin=" } } }],
                    principals: [{ any: true }],
                  },
                },
              },
            },
          },
        ],
      }),
    ],
    { conformance: [1, /RBAC|403|Envoy/i] },
  ),
  wrong(
    "HAProxy makes 200 of 404",
    ["haproxy"],
    [haproxy({ frontend: "http-response set-status 200 if { status 404 }" })],
    {
      conformance: [
        1,
        /by-id\.unknown-product[\s\S]*\(not_found\); expected 404\. The body is an error/,
        /DELETE/,
      ],
    },
  ),
  wrong(
    "HAProxy serves a page for everything else",
    ["haproxy"],
    [
      haproxy({
        frontend:
          'http-request return status 200 content-type text/html string "<h1>app</h1>" if { path_beg /v1/products/ } METH_GET',
      }),
    ],
    { conformance: [1, /JSON/] },
  ),
  // Down and slow.
  wrong(
    "nginx, service down",
    ["nginx"],
    [nginx()],
    { ...unavailable(/502/), load: [3, /502/], gate: [3, /502/] },
    { ...down, inCi: true },
  ),
  wrong("HAProxy, service down", ["haproxy"], [haproxy()], unavailable(/HAProxy.*503|503/), down),
  wrong("Varnish, service down", ["varnish"], [varnish()], unavailable(/503/), down),
  wrong("Apache, service down", ["apache"], [apache()], unavailable(/503/), down),
  wrong("Squid, service down", ["squid"], [squid()], unavailable(/50\d/), down),
  wrong("lighttpd, service down", ["lighttpd"], [lighttpd()], unavailable(/503|500|404/), down),
  wrong("Envoy, service down", ["envoy"], [envoy()], unavailable(/503/), down),
  wrong("Express, service down", ["express"], [express()], unavailable(/50\d/), down),
  wrong("Fastify, service down", ["fastify"], [fastify()], unavailable(/50\d/), down),
  wrong("nginx behind Envoy, service down", ["nginx", "envoy"], [nginx(), envoy()], unavailable(/502/), down),
  wrong(
    "nginx, one of two instances down without retry",
    ["nginx"],
    [
      nginx({
        http: "upstream both { server UPSTREAM max_fails=0; server 127.0.0.1:9 max_fails=0; }",
        pass: "http://both",
        location: "proxy_next_upstream off;",
      }),
    ],
    { conformance: [3, /502/] },
  ),
  wrong(
    "nginx, service slower than its time limit",
    ["nginx"],
    [nginx({ location: "proxy_read_timeout 300ms;" })],
    { conformance: [3, /504/], doctor: [3, /504/] },
    { services: [{ delay: 900 }] },
  ),
  wrong(
    "HAProxy with few connections",
    ["haproxy"],
    [haproxy({ backend: "default-server maxconn 2\ntimeout queue 100ms" })],
    { conformance: [[0, 3, 4], /503/] },
    { services: [{ delay: 60 }] },
  ),
  // Caches.
  wrong("nginx caches by URL", ["nginx"], [nginx({ location: shownCached })], {
    conformance: [[1, 2, 3], /cache|X-Cache-Status/i],
  }),
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
    "nginx caches by URL and X-Api-Key",
    ["nginx"],
    [
      nginx({
        location: `${unseen} proxy_cache_valid 200 20s; proxy_cache_key "$request_uri$http_x_api_key";`,
      }),
    ],
    { conformance: [1, /organization|granted|Authorization/i] },
  ),
  wrong(
    "Varnish caches by lower-cased key",
    ["varnish"],
    [
      varnish({
        vcl: `sub vcl_hash { hash_data(std.tolower(req.http.Authorization)); hash_data(std.tolower(req.http.X-Api-Key)); }\n${cacheFound}`,
      }),
    ],
    // Without a look past the cache, it is a service that ignores the case of keys: a warning.
    { conformance: [0, /authentication\.exact-key/] },
  ),
  wrong(
    "Varnish caches by URL",
    ["varnish"],
    [varnish({ vcl: cacheAll })],
    {
      ...behindCache,
      conformance: [[1, 2, 3], /cache|age|varnish/i],
      gate: [[1, 2, 3], /cache|age|varnish/i],
    },
    lowLimit,
  ),
  wrong(
    "Varnish caches without the query",
    ["varnish"],
    [
      varnish({
        vcl: `sub vcl_hash { hash_data(regsub(req.url, "\\?.*", "")); hash_data(req.http.Authorization); hash_data(req.http.X-Api-Key); return (lookup); }\n${cacheAll}`,
      }),
    ],
    { conformance: [1, /./] },
  ),
  wrong(
    "nginx caches by path and key, unseen",
    ["nginx"],
    [
      nginx({
        location: `${unseen} proxy_cache_valid 200 20s; proxy_cache_key "$uri$http_authorization$http_x_api_key";`,
      }),
    ],
    { conformance: [1, /query\.limit[\s\S]*A page requested with/] },
  ),
  wrong(
    "nginx caches pages by category and key, unseen",
    ["nginx"],
    [
      nginx({
        location: `${unseen} proxy_cache_valid 200 60s; proxy_cache_key "$uri$arg_category$arg_limit$arg_gtin$arg_url$http_authorization$http_x_api_key";`,
      }),
    ],
    {
      conformance: [1, /page\.last-cursor[\s\S]*never ends/],
    },
  ),
  wrong(
    "Squid caches lookups by URL",
    ["squid"],
    [
      squid({
        lines:
          "refresh_pattern . 1 20% 10 override-expire ignore-no-store ignore-private ignore-reload override-lastmod\ncache allow all_",
      }),
    ],
    { conformance: [[0, 1, 2, 3], /./] },
    { services: [{ cacheControl: "public, max-age=20" }] },
  ),
  wrong(
    "nginx caches 404",
    ["nginx"],
    [
      nginx({
        location: `proxy_cache cache; proxy_cache_valid 401 404 20s; proxy_ignore_headers Cache-Control; add_header X-Cache-Status $upstream_cache_status always;`,
      }),
    ],
    { conformance: [[1, 3], /401|404/] },
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
    lowLimit,
  ),
  wrong(
    "nginx keeps 401 by URL, unseen",
    ["nginx"],
    [nginx({ location: `${unseen} proxy_cache_valid 401 60s;` })],
    {
      conformance: [1, /authentication\.(bearer|x-api-key): [\s\S]*returned 401/],
    },
  ),
  wrong(
    "nginx caches by URL for a second, unseen",
    ["nginx"],
    [nginx({ location: `${unseen} proxy_cache_valid 200 1s;` })],
    {
      conformance: [1, leak],
    },
  ),
  wrong(
    "nginx caches by URL and Authorization, behind HAProxy",
    ["nginx", "haproxy"],
    [
      nginx({
        location: `${unseen} proxy_cache_valid 200 60s; proxy_cache_key "$request_uri$http_authorization";`,
      }),
      haproxy({ frontend: "http-response del-header Server" }),
    ],
    { conformance: [1, leak] },
  ),
  wrong(
    "Varnish caches pages by URL, before HAProxy, behind nginx",
    ["varnish", "haproxy", "nginx"],
    [
      haproxy(),
      varnish({ vcl: cachePages }),
      nginx({ http: "proxy_hide_header X-Varnish; proxy_hide_header Age; proxy_hide_header Via;" }),
    ],
    { conformance: [1, leak] },
  ),
  wrong(
    "HAProxy caches by URL what X-Api-Key gets",
    ["haproxy"],
    [
      haproxy({
        sections: "cache kept\n  total-max-size 4\n  max-age 60",
        frontend: "http-request cache-use kept",
        backend: "http-response set-header Cache-Control max-age=60\nhttp-response cache-store kept",
      }),
    ],
    { conformance: [1, leak] },
  ),
  wrong(
    "Apache caches by URL what X-Api-Key gets, behind nginx",
    ["apache", "nginx"],
    [
      apache({
        server:
          "CacheRoot FOLDER\nCacheEnable disk /\nCacheDefaultExpire 60\nCacheIgnoreNoLastMod On\nCacheIgnoreQueryString Off",
      }),
      nginx(),
    ],
    { conformance: [1, leak] },
  ),
  wrong(
    "Squid caches public responses by URL, behind Apache",
    ["squid", "apache"],
    [squid({ lines: "cache allow all_" }), apache()],
    { conformance: [1, leak] },
    { services: [{ cacheControl: "public, max-age=20" }] },
  ),
  // Replicas.
  wrong(
    "one of two instances lacks a retailer",
    ["nginx"],
    [nginx()],
    {
      conformance: [1, /instances/i],
      // No product of the retailer is sent if discovery met the instance that lacks it.
      load: [[0, 1], /./],
      "rate-limit": [[0, 1, 3], /./],
      gate: [1, /instances/i],
    },
    { services: [{}, { lacks: ["northsea"] }], inCi: true },
  ),
  wrong(
    "one of ten instances lacks a retailer",
    ["nginx"],
    [nginx()],
    { conformance: [1, /differ|instances/i] },
    { services: [{}, {}, {}, {}, {}, {}, {}, {}, {}, { lacks: ["northsea"] }] },
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
  wrong(
    "one of five instances does not know X-Api-Key",
    ["nginx"],
    [nginx()],
    { conformance: [1, /authentication\.(x-api-key|equivalent)/] },
    { services: [...Array.from({ length: 4 }, () => ({})), { keyHeaders: ["authorization"] }] },
  ),
  wrong(
    "a proxy of Node limits each address to 60 per second",
    ["nginx"],
    [limitingNode(60, 1000, refusal429)],
    { conformance: [1, /limits\.per-organization[\s\S]*The two organizations share one limit/] },
  ),
  wrong(
    "one of two instances limits at a tenth",
    ["nginx"],
    [nginx()],
    { conformance: [0, /./], load: [0, /passed/], "rate-limit": [[0, 1, 3], /./] },
    { services: [{}, { limit: 15 }] },
  ),
  ...perConnection.map(([name, services, ending]) =>
    wrong(
      `${name}, one for each connection`,
      ["haproxy"],
      [haproxy({ defaults: "mode tcp" })],
      { conformance: ending, load: [[0, 1, 3], /./], gate: ending },
      { services },
    ),
  ),
  // What was not seen, or not whole.
  wrong(
    "nginx refuses the long cursors of later pages",
    ["nginx"],
    [nginx({ http: "client_header_buffer_size 256; large_client_header_buffers 4 512;" })],
    {
      conformance: [1, /414/, /query\.paging: |appear only in pages/],
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
  wrong(
    "HAProxy rejects connections above a rate",
    ["haproxy"],
    [
      haproxy({
        frontend: `stick-table type ip size 10k expire 10s store conn_rate(1s)
tcp-request connection track-sc0 src
tcp-request connection reject if { sc_conn_rate(0) gt 40 }`,
        defaults: "option httpclose",
      }),
    ],
    { conformance: [[1, 3, 4], /got no response|no response came|was closed/, /reached no rate limit\./] },
  ),
  wrong(
    "a proxy of Node limits each address to 700 in 20 s",
    ["nginx"],
    [limitingNode(700, 20_000, refusal429)],
    { conformance: [1, /limits\.per-organization[\s\S]*The two organizations share one limit/] },
  ),
  wrong(
    "one of two instances refuses keys in the burst",
    ["nginx"],
    [nginx()],
    { conformance: [1, /returned 401/, /limits\.rate: /] },
    { services: [{}, { foreignKeys: true }] },
  ),
  wrong(
    "HAProxy holds requests back",
    ["haproxy"],
    [haproxy({ backend: "default-server maxconn 1\ntimeout queue 20s" })],
    {
      conformance: [[0, 3, 4], /./],
      "rate-limit": [
        [0, 1, 3],
        /the highest rate that was reached|rate limit \d|limit was not found/,
        /up to 2,441/,
      ],
    },
    { services: [{ delay: 10 }] },
  ),
  wrong(
    "nginx, HTTP/2, before a service that hangs above 60 requests a second",
    ["nginx"],
    [nginx({ http2: true })],
    {
      conformance: [[1, 3, 4], /./],
      "rate-limit": [1, /got no response: .*time|failed requests/i, /On the way/],
    },
    { services: [{ limit: 1000, instead: hangsAbove(60) }] },
  ),
  wrong(
    "nginx waits for more after a 103 that it does not know",
    ["nginx"],
    [nginx()],
    { conformance: [3, /103/], doctor: [3, /103/] },
    {
      services: [
        {
          instead: (_request, response) => {
            response.writeEarlyHints({ link: "</style.css>; rel=preload; as=style" });
            return false;
          },
        },
      ],
    },
  ),
  // A program of one's own in between.
  wrong(
    "a proxy of Node loses one batch in three",
    ["nginx"],
    [
      proxyOfNode(
        'if (q.method === "POST" && ++n % 3 === 0) { q.resume(); r.writeHead(502).end("Bad Gateway"); return; }',
      ),
    ],
    { conformance: [0, /502/] },
  ),
];
