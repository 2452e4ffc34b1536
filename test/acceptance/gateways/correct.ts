import {
  apache,
  haproxy,
  nginx,
  type OpenFront,
  type Software,
  varnish,
} from "../../support/gateway-programs.ts";
import type { Configuration } from "./configurations.ts";

// Correct gateways and caches: nothing is blamed on anybody, whatever they refuse themselves.

/** Requests per second of one instance: a burst on a busy machine reaches it. */
const lowLimit = 60;
const fine = { conformance: { exit: [0] }, doctor: { exit: [0] } } as const;
const behindCache = {
  expect: { ...fine, load: { exit: [0] }, gate: { exit: [0] } },
} as const;

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
const passes = `sub vcl_recv { return (pass); }`;

export const correctConfigurations: readonly Configuration[] = [
  correct("nginx", ["nginx"], [nginx()], { inCi: true }),
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
    "nginx, a filter of select and script",
    ["nginx"],
    [nginx({ server: `if ($args ~* "javascript|constructor|%00") { return 403; }` })],
  ),
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
  correct("HAProxy", ["haproxy"], [haproxy()], { inCi: true }),
  correct("Varnish, passes everything", ["varnish"], [varnish({ vcl: passes })], { inCi: true }),
  correct("Apache", ["apache"], [apache()], { inCi: true }),
  correct(
    "nginx before HAProxy before Varnish",
    ["varnish", "haproxy", "nginx"],
    [varnish({ vcl: passes }), haproxy(), nginx()],
  ),
];
