import { setTimeout } from "node:timers/promises";
import { changesOf } from "../../proof/table.ts";
import { apache, haproxy, nginx, varnish } from "../support/gateway-programs.ts";
import { acceptRows, type Expectation } from "./row.ts";
import { behind, rowsOf, type SetUp } from "./set-up.ts";

// Real gateways and caches in front of the reference service. Of correct ones nothing is blamed on anybody, whatever they
// refuse themselves; misconfigured ones have their exit code and their finding.

/** So many requests at once that only the last checks reach it. */
const service = { rate: 20, burst: 450 };
/** It is not reached before that of a gateway. */
const high = { rate: 150, burst: 150 };

const ends = (exit: number | readonly number[], says?: RegExp): Expectation => ({
  exit: [exit].flat(),
  ...(says === undefined ? {} : { says }),
});
const fine = { conformance: ends(0), doctor: ends(0) } as const;

/** Keys a cache by every header that may hold a key. */
const byKey = `proxy_cache cache; proxy_cache_key "$request_method$request_uri$http_authorization$http_x_api_key";
proxy_cache_valid 200 1s; add_header X-Cache-Status $upstream_cache_status always;`;

const correct: readonly SetUp[] = [
  { name: "nginx", ...behind([nginx()]), expect: fine },
  {
    name: "nginx, HTTP/2, keepalive_requests 10",
    ...behind([nginx({ http2: true, http: "keepalive_requests 10;" })]),
    expect: fine,
  },
  {
    name: "nginx, cache by key",
    ...behind([nginx({ location: byKey })]),
    // The burst that exceeds the limit asks for a list, which the cache has.
    expect: {
      ...fine,
      conformance: ends(4, /came from a cache/),
      load: ends(0),
      gate: ends(4, /came from a cache/),
    },
  },
  {
    name: "nginx, a filter of select and script",
    ...behind([nginx({ server: `if ($args ~* "javascript|constructor|%00") { return 403; }` })]),
    expect: fine,
  },
  { name: "HAProxy", ...behind([haproxy()]), expect: fine },
  { name: "Varnish, passes everything", ...behind([varnish()]), expect: fine },
  { name: "Apache", ...behind([apache()]), expect: fine, inCi: ["conformance"] },
  {
    name: "nginx before HAProxy before Varnish",
    ...behind([varnish(), haproxy(), nginx()]),
    expect: fine,
    inCi: ["conformance"],
  },
];

const tracked = `stick-table type ip size 10k expire 10s store http_req_rate(1s)
http-request track-sc0 src`;
const retryAfter = ends(1, /Retry-After/);
/** What belongs to a key comes without it, or with another one. */
const leak =
  /without a key returned 200|an invalid key returned 200|a retailer that GET .retailers does not list for this|listed for the (first|other) organization only/;

const wrong: readonly SetUp[] = [
  {
    name: "nginx limits the rate with 503",
    ...behind([
      nginx({
        http: "limit_req_zone $binary_remote_addr zone=z:1m rate=60r/s;",
        location: "limit_req zone=z burst=40 nodelay;",
      }),
    ]),
    expect: {
      conformance: ends([3, 4], /503/),
      load: ends(0, /passed/),
      "rate-limit": ends([1, 3], /from nginx/i),
    },
    service: high,
  },
  {
    // Without Retry-After and without the error shape.
    name: "HAProxy limits the rate with its own 429",
    ...behind([
      haproxy({
        frontend: `${tracked}\nhttp-request deny deny_status 429 if { sc_http_req_rate(0) gt 60 }`,
      }),
    ]),
    expect: {
      conformance: ends(1, /429/),
      load: ends(0, /passed/),
      "rate-limit": ends(1, /Retry-After in whole seconds/),
      gate: retryAfter,
    },
    service: high,
    inCi: ["conformance"],
  },
  {
    name: "nginx refuses batches above 600 bytes",
    ...behind([nginx({ location: "client_max_body_size 600;" })]),
    expect: { conformance: ends(1, /413/), batch: ends(1, /413/), doctor: ends(0, /Ready/) },
  },
  {
    name: "nginx drops the query",
    ...behind([nginx({ pass: "http://UP$uri" })]),
    expect: { conformance: ends([1, 4], /query/i), doctor: ends(3) },
  },
  {
    name: "nginx strips Authorization",
    ...behind([nginx({ location: `proxy_set_header Authorization "";` })]),
    expect: {
      conformance: ends(1, /FAILED authentication\.bearer: [\s\S]*returned 401/),
      load: ends(3, /is not rejected in X-Api-Key/),
    },
  },
  {
    name: "Apache strips both key headers",
    ...behind([apache({ server: "RequestHeader unset Authorization\nRequestHeader unset X-Api-Key" })]),
    expect: { conformance: ends(3, /401/), doctor: ends(3, /401/) },
  },
  {
    name: "nginx decodes %2F",
    ...behind([nginx({ pass: "http://UP/" })]),
    expect: { conformance: ends(1, /%2F|slash/i) },
  },
  {
    name: "nginx replaces the bodies of errors",
    ...behind([nginx({ location: "proxy_intercept_errors on; error_page 400 401 403 404 /none; " })]),
    expect: { conformance: ends(1, /shape|JSON/) },
    inCi: ["conformance"],
  },
  {
    name: "nginx, service down",
    ...behind([nginx()], { isDown: true }),
    expect: { conformance: ends(3, /502/), doctor: ends(3, /502/), load: ends(3, /502/) },
    inCi: ["conformance"],
  },
  {
    name: "nginx, service slower than its time limit",
    ...behind([nginx({ location: "proxy_read_timeout 300ms;" })]),
    service: { ...service, wire: [(send) => (request) => setTimeout(900).then(() => send(request))] },
    expect: { conformance: ends(3, /504/), doctor: ends(3, /504/) },
  },
  {
    name: "nginx caches by URL, unseen",
    ...behind([
      nginx({
        location: `proxy_cache cache; proxy_cache_valid any 20s; proxy_ignore_headers Cache-Control Vary;`,
      }),
    ]),
    expect: { conformance: ends(1, leak), load: ends(0, /passed/), gate: ends(1, leak) },
  },
  {
    name: "nginx refuses the long cursors of later pages",
    ...behind([nginx({ http: "client_header_buffer_size 256; large_client_header_buffers 4 1k;" })]),
    service: { ...service, wire: changesOf({ variants: ["long-cursors"] }).wire },
    expect: { conformance: ends(1, /414/) },
  },
];

acceptRows([...correct, ...wrong].flatMap((setUp) => rowsOf({ service, ...setUp })));
