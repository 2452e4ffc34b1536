import {
  apache,
  envoy,
  express,
  fastify,
  haproxy,
  lighttpd,
  nginx,
  type OpenFront,
  type Software,
  squid,
  varnish,
} from "../../support/gateway-programs.ts";
import type { Configuration } from "./configurations.ts";

// Correct gateways and caches: nothing is blamed on anybody, whatever they refuse themselves.

const typed = (name: string) => `type.googleapis.com/envoy.extensions.filters.http.${name}`;

/** Requests per second of one instance: a burst on a busy machine reaches it. */
const lowLimit = 60;
const fine = { conformance: { exit: [0] }, doctor: { exit: [0] } } as const;
const behindCache = {
  expect: { ...fine, load: { exit: [0] }, gate: { exit: [0] } },
} as const;
const withId = [{ headers: { "X-Request-Id": "of-the-service" }, limit: lowLimit }];

function correct(
  name: string,
  needs: readonly Software[],
  fronts: readonly OpenFront[],
  more: Partial<Configuration> = {},
): Configuration {
  return { name, needs, fronts, expect: fine, services: [{ limit: lowLimit }], ...more };
}

/** Keys a cache by every header that may hold a key. */
const byKey = `proxy_cache cache; proxy_cache_key "$request_method$request_uri$http_authorization$http_x_api_key";
proxy_cache_valid 200 1s; add_header X-Cache-Status $upstream_cache_status always;`;
const hashByKey = `sub vcl_hash { hash_data(req.http.Authorization); hash_data(req.http.X-Api-Key); }
sub vcl_recv { if (req.method == "GET") { return (hash); } return (pass); }
sub vcl_backend_response { if (beresp.status == 200) { set beresp.ttl = 1s; } else { set beresp.uncacheable = true; } }`;
const passes = `sub vcl_recv { return (pass); }`;

export const correctConfigurations: readonly Configuration[] = [
  correct("nginx", ["nginx"], [nginx()], { inCi: true }),
  correct("nginx, hidden Server", ["nginx"], [nginx({ http: "more_clear_headers Server;" })]),
  correct(
    "nginx, security headers always",
    ["nginx"],
    [
      nginx({
        location: `add_header Strict-Transport-Security "max-age=1" always; add_header X-Request-Id $request_id always;`,
      }),
    ],
  ),
  correct(
    "nginx, gzip",
    ["nginx"],
    [nginx({ http: "gzip on; gzip_types application/json; gzip_min_length 0; gzip_proxied any;" })],
  ),
  correct(
    "nginx, unbuffered in HTTP/1.0",
    ["nginx"],
    [nginx({ http: "proxy_http_version 1.0;", location: "proxy_buffering off;" })],
  ),
  correct("nginx, keepalive_requests 10", ["nginx"], [nginx({ http: "keepalive_requests 10;" })]),
  correct("nginx, HTTP/2", ["nginx"], [nginx({ http2: true })]),
  correct(
    "nginx, HTTP/2, keepalive_requests 10",
    ["nginx"],
    [nginx({ http2: true, http: "keepalive_requests 10;" })],
    {
      expect: { ...fine, "rate-limit": { exit: [0, 3], says: /rate limit|HTTP\/2/ } },
      services: [{ limit: 80 }],
    },
  ),
  correct("nginx, cache by key", ["nginx"], [nginx({ location: byKey })], behindCache),
  correct(
    "nginx, only GET and POST, own page otherwise",
    ["nginx"],
    [nginx({ location: "limit_except GET POST { deny all; }" })],
  ),
  correct(
    "nginx, a filter of select and script",
    ["nginx"],
    [nginx({ server: `if ($args ~* "javascript|constructor|%00") { return 403; }` })],
  ),
  correct("nginx, two instances", ["nginx"], [nginx()], {
    services: [{ limit: 40 }, { limit: 40 }],
    expect: { ...fine, load: { exit: [0] }, "rate-limit": { exit: [0, 3] }, gate: { exit: [0] } },
  }),
  correct(
    "nginx, one of two instances down, with retry",
    ["nginx"],
    [
      nginx({
        http: "upstream both { server UPSTREAM; server 127.0.0.1:9; keepalive 8; }",
        location: "proxy_next_upstream error timeout non_idempotent;",
      }),
    ],
  ),
  correct(
    "nginx, limit in the error shape with Retry-After, high",
    ["nginx"],
    [
      nginx({
        http: `limit_req_zone $http_authorization$http_x_api_key zone=z:1m rate=900r/s;`,
        server: `error_page 429 = @limited; location @limited { default_type application/json; add_header Retry-After 1 always; return 429 '{"error":{"code":"rate_limited","message":"slow down"}}'; }`,
        location: "limit_req zone=z burst=900 nodelay; limit_req_status 429;",
      }),
    ],
  ),
  correct("nginx before a service with an id in each response", ["nginx"], [nginx()], { services: withId }),
  correct("HAProxy", ["haproxy"], [haproxy()], { inCi: true }),
  correct(
    "HAProxy, own Server and request id",
    ["haproxy"],
    [
      haproxy({
        frontend: `unique-id-format %{+X}o%pid-%rt\nhttp-after-response set-header X-Request-Id %[unique-id]`,
      }),
    ],
  ),
  correct("HAProxy, close after each response", ["haproxy"], [haproxy({ defaults: "option httpclose" })]),
  correct(
    "HAProxy, two instances with checks and retries",
    ["haproxy"],
    [haproxy({ backend: "balance roundrobin\nretries 3\noption redispatch" })],
    { services: [{ limit: lowLimit / 2 }, { limit: lowLimit / 2 }] },
  ),
  correct(
    "HAProxy, headers in other cases",
    ["haproxy"],
    [haproxy({ frontend: "http-response set-header x-ServeD-By edge" })],
  ),
  correct("Varnish, passes everything", ["varnish"], [varnish({ vcl: passes })], { inCi: true }),
  correct("Varnish, cache by key", ["varnish"], [varnish({ vcl: hashByKey })], behindCache),
  correct(
    "Varnish, sorted query, cache by key",
    ["varnish"],
    [varnish({ vcl: `sub vcl_recv { set req.url = std.querysort(req.url); }\n${hashByKey}` })],
    behindCache,
  ),
  correct("Apache", ["apache"], [apache()], { inCi: true }),
  correct("Apache, with its signature", ["apache"], [apache({ signature: "On" })]),
  correct(
    "Apache, hidden version",
    ["apache"],
    [apache({ server: "ServerTokens Prod\nHeader always unset X-Nothing" })],
  ),
  correct("Squid, reverse proxy without a cache", ["squid"], [squid({ lines: "cache deny all_" })]),
  correct(
    "lighttpd, without normalization of URLs",
    ["lighttpd"],
    [
      lighttpd({
        lines: `server.http-parseopts = ("header-strict" => "enable", "host-strict" => "enable", "url-normalize" => "disable")\nserver.stream-request-body = 2`,
      }),
    ],
  ),
  correct("Envoy", ["envoy"], [envoy()]),
  correct(
    "Envoy, normalize_path",
    ["envoy"],
    [envoy({ manager: { normalize_path: true, merge_slashes: false } })],
  ),
  correct(
    "Envoy, own Server passed on",
    ["envoy"],
    [envoy({ manager: { server_header_transformation: "PASS_THROUGH" } })],
  ),
  correct(
    "Envoy, 10 requests per connection",
    ["envoy"],
    [envoy({ manager: { common_http_protocol_options: { max_requests_per_connection: 10 } } })],
  ),
  correct(
    "Envoy, RBAC that allows reading and batches",
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
                    permissions: [{ header: { name: ":method", string_match: { exact: "DELETE" } } }],
                    principals: [{ any: true }],
                  },
                },
              },
            },
          },
        ],
      }),
    ],
  ),
  correct("Express, http-proxy-middleware", ["express"], [express()]),
  correct(
    "Express without X-Powered-By, with a request id",
    ["express"],
    [
      express(
        `app.disable("x-powered-by"); app.use((q, r, n) => { r.setHeader("x-request-id", "1"); n(); });`,
      ),
    ],
  ),
  correct("Fastify, http-proxy", ["fastify"], [fastify()]),
  correct("Fastify before a service with an id", ["fastify"], [fastify()], { services: withId }),
  correct("HAProxy before nginx", ["haproxy", "nginx"], [nginx(), haproxy()]),
  correct(
    "HAProxy without Server before nginx",
    ["haproxy", "nginx"],
    [nginx(), haproxy({ frontend: "http-response del-header Server" })],
  ),
  correct("Varnish before nginx", ["varnish", "nginx"], [nginx(), varnish({ vcl: passes })]),
  correct("Envoy before nginx", ["envoy", "nginx"], [nginx(), envoy()]),
  correct("nginx before Envoy", ["envoy", "nginx"], [envoy(), nginx()]),
  correct("nginx before Apache", ["apache", "nginx"], [apache(), nginx()]),
  correct("Apache before HAProxy", ["apache", "haproxy"], [haproxy(), apache()]),
  correct("Express before Envoy", ["express", "envoy"], [envoy(), express()]),
  correct(
    "nginx before HAProxy before Varnish",
    ["varnish", "haproxy", "nginx"],
    [varnish({ vcl: passes }), haproxy(), nginx()],
  ),
  correct("Squid before Apache", ["squid", "apache"], [apache(), squid()]),
  correct(
    "Envoy before Fastify before HAProxy",
    ["envoy", "fastify", "haproxy"],
    [haproxy(), fastify(), envoy()],
  ),
];
