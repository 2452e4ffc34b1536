import { expect, test } from "vitest";
import type { Finding, FindingOf } from "../contracts/finding.ts";
import { type Condition, conditions } from "../contracts/vocabulary.ts";
import { failureWords } from "./failures.ts";
import { defaultWords } from "./finding-words.ts";
import { type coreWords, findingFix, findingText, wordsOf } from "./index.ts";
import { problemFrom } from "./problem.ts";

type CoreCode = keyof typeof coreWords;
type Example<Code extends CoreCode> = Omit<FindingOf<Code>, "code">;

const seenOf =
  <Noun extends NonNullable<Finding["seen"]>["of"]>(of: Noun) =>
  (count: number, total?: number) => ({ seen: { count, total, of } });
const attempts = seenOf("attempts");
const items = seenOf("items");
const requests = seenOf("requests");
const responses = seenOf("responses");

const product = { retailer: "maison & fils", productId: "12" };
const inSome = responses(4, 60);
const status = (seen: number, more: object = {}) => ({ details: { status: seen, ...more } });
const pages = seenOf("pages");
const products = seenOf("products");
const tallies = { ...requests(3, 12), details: { first: { count: 1, total: 12 } } };

const latency = {
  endpoint: "batch",
  subject: "batch",
  expected: 5,
  actual: 115.2,
  unit: "ms",
  seen: { count: 240, of: "samples" },
  details: { statistic: "p95" },
} as const;

/** Findings of each code, as a run makes them; several if the words depend on the finding's fields. */
const examples: { readonly [Code in CoreCode]: readonly [Example<Code>, ...Example<Code>[]] } = {
  "wrong-status": [
    { endpoint: "other", condition: "unknown-path", actual: 200, ...inSome },
    { endpoint: "batch", condition: "malformed-batch", subject: "no-list", expected: [400], actual: 200 },
  ],
  "false-not-found": [
    { endpoint: "lookup-by-id", product, actual: 404, ...requests(3, 61) },
    { endpoint: "batch", product, actual: 200, ...requests(1, 1061) },
  ],
  "comes-and-goes": [
    { endpoint: "retailers", path: "/retailers", expected: ["acme"], ...inSome },
    { endpoint: "batch", path: "/products/2", product, expected: ["price", "title"], ...inSome },
  ],
  "retailer-of-other-organization": [
    { subject: "zeta", path: "/retailers/1", from: { by: "cache", cache: "x-cache-status: HIT" } },
    { subject: "zeta", path: "/retailers/1" },
  ],
  "closed-on-input": [
    {
      endpoint: "category-page",
      condition: "hostile-input",
      subject: "cursor",
      expected: [400, 404],
      details: { kind: "drawn", failure: "silent", value: "%00", runs: 2000, seed: 42 },
    },
    {
      endpoint: "lookup-by-gtin",
      condition: "hostile-input",
      subject: "gtin",
      expected: [400, 404],
      details: {
        kind: "nul",
        failure: "reset",
      },
    },
  ],
  "not-json": [
    status(404, { cause: "syntax" }),
    { ...status(200, { cause: "empty" }), ...inSome },
    status(200, { cause: "depth", deepest: 200 }),
    status(200, { cause: "byte-order-mark" }),
    { ...status(200, { cause: "utf-8" }), ...inSome },
    { subject: "gzip", ...status(404, { cause: "coding" }), ...inSome },
  ],
  "coding-not-accepted": [{ subject: "br", ...status(404), ...inSome }],
  "repeated-name": [
    { path: "/currency", details: { differs: true }, ...inSome },
    { path: "/products/0/retailer", details: { differs: false } },
  ],
  "inexact-number": [
    { path: "/catalog_number", actual: { type: "number", digits: "1285704473650888702" }, ...inSome },
  ],
  "half-character": [{ path: "/title", product, ...inSome }],
  "stand-in": [{ path: "/last_updated", actual: "0001-01-01T00:00:00Z", product, ...inSome }],
  "told-otherwise": [
    {
      subject: "retailer-list",
      path: "/retailer_name",
      expected: ["Maison & Fils"],
      actual: "Maison",
      product,
    },
    {
      subject: "retailer-domains",
      path: "/product_url",
      expected: ["a.example", "b.example", "c.example", "d.example"],
      actual: "https://e.example/p",
      product,
      ...inSome,
    },
    { subject: "request", path: "/gtin", expected: ["96385074"], actual: "4006381333931", product },
  ],
  "item-miscounted": [
    { path: "/products/1", product, expected: 1, actual: 2, ...inSome },
    { path: "/products/2", product, expected: 2, actual: 3 },
  ],
  "missing-header": [{ subject: "Retry-After", ...status(429), ...inSome }],
  "wrong-header": [
    { subject: "Content-Type", expected: "json-content-type", actual: "text/html", ...status(200) },
    { subject: "Retry-After", expected: "whole-seconds", actual: "soon", ...status(429), ...inSome },
  ],
  "error-in-success": [{ path: "/error/code", actual: "not_found", ...status(200), ...inSome }],
  "error-code-mismatch": [
    { path: "/error/code", expected: "bad_request", actual: "invalid", ...status(400), ...inSome },
    { path: "/error/code", actual: "rate_limited", ...status(503, { belongsTo: [429] }) },
  ],
  "missing-field": [
    { path: "/meta/count", expected: "number", ...inSome },
    {
      path: "/error",
      expected: "object",
      ...status(403),
      ...responses(552, 552),
      byStatus: [
        { status: 400, count: 82 },
        { status: 403, count: 470 },
      ],
    },
  ],
  "null-value": [{ path: "/products/9/mpn", product, ...inSome }],
  "empty-string": [{ path: "/identifiers/0/my~1code", product }],
  "wrong-type": [
    { path: "/price", expected: "number", actual: "12.50", product, ...inSome },
    { path: "/product_id", expected: "string", actual: { type: "number", digits: "9007199254740993" } },
    { path: "/products", expected: "array", actual: { type: "object", size: 40 } },
    { path: "/retailer", expected: "string", actual: { slug: "a" } },
  ],
  "wrong-format": [
    { path: "/currency", expected: "currency-code", actual: "€", product },
    { path: "/meta/found", expected: "count", actual: -1, ...inSome },
    { path: "/last_updated", expected: "past-time", actual: "2999-01-01T00:00:00Z", product },
  ],
  "wrong-count": [
    { path: "/meta/count", subject: "products", expected: 1, actual: 2, ...inSome },
    { path: "/meta/total", expected: 4, actual: 3, details: { counted: "sent" } },
    { path: "/errors", expected: 3, actual: 1, details: { counted: "unknown" } },
    { path: "/hits", expected: 8, actual: 7, details: { counted: "known" } },
    { path: "", expected: 50, actual: 49, details: { counted: "accounted" } },
  ],
  "counters-disagree": [
    {
      path: "/meta/total",
      expected: 2,
      actual: 3,
      details: { counters: { found: 1, not_found: 1, other_errors: 0 } },
      ...inSome,
    },
    { path: "/products", expected: 2, actual: 1, details: { counters: { found: 2 } } },
  ],
  "page-over-limit": [{ path: "/products", expected: 1, actual: 2, ...inSome }],
  "other-product": [
    { path: "/product_id", expected: "12", actual: "13", product, endpoint: "lookup-by-id" },
    {
      path: "/product_id",
      expected: "12",
      actual: "z1",
      product,
      endpoint: "lookup-by-gtin",
      ...{ condition: "gtin-of-other-retailer", subject: "4006381333931" },
      details: { retailer: "zeta" },
    },
    {
      path: "/product_id",
      expected: "12",
      actual: "13",
      endpoint: "lookup-by-url",
      condition: "either-header",
    },
  ],
  "wrapped-product": [{ path: "/data" }, { path: "", ...inSome }],
  "name-for-slug": [{ path: "/products/1/retailer", actual: "Maison & Fils", ...inSome }],
  "not-granted": [
    { path: "/retailer", actual: "zeta", subject: "primary", ...inSome },
    { path: "/retailer", actual: "zeta", subject: "otherOrg" },
  ],
  "page-of-nothing": [{ subject: "shelfcheck-no-such-category", product, path: "/products/0" }],
  "item-not-sent": [
    { path: "/errors/1", actual: { retailer: "acme", product_id: "A3" }, ...inSome },
    { path: "/errors/0", actual: { product_id: 12 } },
  ],
  "item-missing": [
    { endpoint: "batch", product },
    { endpoint: "batch", condition: "incomplete-item" },
    { endpoint: "batch", condition: "in-turn", product, details: { after: "otherOrg" } },
    { endpoint: "category-page", subject: "hats", product, ...products(3), details: { limit: 7 } },
    { endpoint: "category-page", subject: "hats", product, condition: "other-organization" },
  ],
  "item-repeated": [
    { path: "/retailers/1/slug", actual: "acme" },
    { endpoint: "category-page", path: "/products/2", product, ...inSome },
    { endpoint: "category-page", subject: "hats", product, ...products(1) },
  ],
  "item-unexpected": [
    { endpoint: "batch", condition: "incomplete-item" },
    {
      endpoint: "batch",
      condition: "changed-value",
      subject: "A%",
      product,
      details: { change: "wildcard", instead: "A1" },
    },
    { endpoint: "category-page", subject: "hats", product, ...products(2), details: { limit: 7 } },
  ],
  "no-found-list": [inSome, { path: "", expected: 2 }],
  "retailer-not-listed": [{ subject: "maison & fils", product, path: "/retailers" }],
  "listed-retailer-refused": [
    { subject: "acme", actual: 403, details: { errorCode: "forbidden" } },
    { subject: "acme", actual: 403, condition: "other-organization" },
  ],
  "write-accepted": [{ subject: "DELETE", actual: 204 }],
  "differs-between-ways": [
    { endpoint: "lookup-by-gtin", subject: "wholesale_price", actual: 7, product },
    { endpoint: "category-page", subject: "mpn", expected: "x", product },
    { endpoint: "batch", subject: "title", expected: "A", actual: "B", product },
    {
      endpoint: "batch",
      subject: "last_updated",
      expected: "2026-11-21T08:34:22Z",
      actual: "2026-11-21T10:34:22Z",
      product,
      seen: { count: 4, total: 4, of: "products" },
      details: { shiftMinutes: 120 },
    },
  ],
  "status-differs": [
    { condition: "either-header", endpoint: "lookup-by-id", expected: 200, actual: 401 },
    {
      condition: "other-spelling",
      endpoint: "retailers",
      expected: 200,
      actual: 406,
      details: { spelling: "no-header", sent: "Accept" },
    },
  ],
  "shown-by-one-only": [
    { condition: "either-header", product, ...items(1), details: { by: "one" } },
    { condition: "second-key", subject: "acme", ...items(3), details: { by: "other" } },
    { condition: "second-key", ...items(1), details: { by: "other" } },
    { condition: "either-header", path: "/meta/next_cursor", ...items(1), details: { by: "one" } },
  ],
  "paging-never-ends": [
    { subject: "hats", ...pages(7), details: { repeats: "cursor", first: 4, again: 7 } },
    { subject: "hats", ...pages(14), details: { repeats: "products", products: 20 } },
  ],
  "cursor-kept": [{ actual: "abc", ...inSome }],
  "empty-products": [{ path: "/products/3", details: { empty: 2, products: 20 }, ...inSome }],
  "cursor-rejected": [
    { subject: "hats", ...pages(3), actual: 400, details: { errorCode: "bad_request" } },
    { subject: "hats", ...pages(0), actual: 404 },
  ],
  "refused-after-wait": [{ subject: "Retry-After", expected: 3, unit: "s" }],
  "limit-shared": [{ subject: "otherOrg", ...tallies }],
  "limit-not-shared": [
    { subject: "sameOrg", ...tallies },
    { subject: "primary", ...tallies },
  ],

  answered: [
    { expected: [404], actual: 404 },
    { expected: [200, 400, 404], actual: 404 },
    { actual: [403, 404, 400] },
  ],
  checked: [{ ...responses(40) }, { ...items(1) }],
  "walk-ended": [{ subject: "hats", ...pages(4) }],
  "limit-reached": [{ ...requests(60) }],
  "accepted-after-wait": [{ actual: 3, unit: "s" }],
  "limit-tally": [
    { subject: "otherOrg", ...tallies },
    { subject: "sameOrg", ...tallies },
    { subject: "primary", ...tallies },
  ],

  "no-response-exercised": [
    { subject: "response" },
    { subject: "success" },
    { subject: "product" },
    { subject: "page", details: { provokedBy: "query.category" } },
    { subject: "status", expected: [429], ...responses(0) },
    { subject: "status", expected: [429], ...responses(571) },
    { subject: "status", expected: [403], ...responses(0) },
    { subject: "status", expected: [404], ...responses(0), details: { provokedBy: "by-id.unknown-product" } },
  ],
  "status-not-seen": [
    { expected: [502, 504], ...responses(0) },
    { expected: [500], ...responses(1) },
  ],
  "control-failed": [{ endpoint: "lookup-by-url", actual: 404, details: { errorCode: "not_found" } }],
  "target-unavailable": [
    { actual: 503, ...attempts(4) },
    {
      actual: 502,
      ...requests(9),
      details: { since: "2026-11-22T06:31:07.123Z" },
      from: { by: "unclear", name: "envoy" },
    },
  ],
  "key-rejected-since": [
    { subject: "sameOrg", ...requests(150), details: { since: "2026-11-22T06:30:00.000Z" } },
  ],
  "endpoint-silent": [{ endpoint: "batch", ...requests(4) }],
  "requests-lost": [{ ...requests(3, 400), details: { reset: 2, silent: 1 } }],
  "no-answer": [{ subject: "too big" }, { subject: "odd" }],
  "still-rate-limited": [{ ...attempts(6) }],
  "wait-too-long": [
    { expected: 120, actual: 3600, unit: "s" },
    { expected: 120, actual: 30_000, unit: "s" },
  ],
  "budget-spent": [
    { subject: "requests", expected: 1200 },
    { subject: "megabytes", expected: 64 },
  ],
  "catalog-changed": [{ product }, { subject: "acme" }],
  "not-reached": [{}],
  "failed-at-times": [{ ...requests(7, 461), details: { 500: 1, 502: 6 } }],
  "public-response": [{ actual: "public, max-age=60", ...responses(41, 400) }],
  "refused-on-the-way": [
    { from: { by: "unclear", name: "nginx/1.22" }, ...requests(3, 420), details: { 403: 2, 405: 1 } },
    { from: { by: "unclear" }, ...requests(1, 420), details: { 403: 1 } },
  ],
  "lost-on-the-way": [
    { ...requests(94, 127), details: { proxy: 94 } },
    { subject: "nginx/1.22", ...requests(5, 1600), details: { "502": 4, proxy: 1 } },
    { subject: "nginx", ...requests(41, 60), details: { "503": 40, other: 1 } },
  ],
  "answered-on-the-way": [{ subject: "nginx/1.22", actual: 503 }, { actual: 502 }],
  "burst-lost": [
    { subject: "nginx/1.22", actual: 503, ...requests(580, 600) },
    { actual: 502, ...requests(300, 600) },
    { ...requests(261, 600) },
  ],
  "accepted-in-plain-only": [{}],
  "certificate-unchecked": [{}],
  "limit-not-probed": [{ subject: "npx shelfcheck load --scenario rate-limit --target old" }],
  avoided: [{ subject: "burst" }, { subject: "skip" }],
  "harness-error": [{ actual: "TypeError: x is not a function" }],
  "no-category": [{}],
  "category-not-browsable": [
    {
      details: {
        categories: [
          { category: "hats", status: 403 },
          { category: "caps", cause: { code: "no-answer", subject: "too big" } },
        ],
      },
    },
  ],
  "category-shows-nothing": [
    { details: { categories: [{ category: "hats", status: 200 }] } },
    {
      details: {
        categories: [
          { category: "hats", status: 200 },
          { category: "caps", status: 200 },
          { category: "gloves", status: 400 },
        ],
      },
    },
  ],
  "no-product": [
    { details: { categories: ["hats"] } },
    { details: { categories: ["hats", "caps"], unlisted: 5 } },
  ],
  "nothing-found-by": [
    { endpoint: "lookup-by-id", ...products(4) },
    { endpoint: "lookup-by-url", ...products(0) },
    { endpoint: "lookup-by-gtin", ...products(6) },
  ],
  "no-product-with": [
    { subject: "product_url", details: { retailer: "zeta" } },
    { subject: "gtin", details: { retailer: "zeta" } },
  ],
  "no-retailer": [
    { actual: 200, subject: "primary" },
    { actual: 404, subject: "otherOrg" },
  ],
  "no-same-org-key": [{}],
  "no-other-org-key": [{}],
  "key-refused": [
    { endpoint: "retailers", actual: 401, subject: "sameOrg" },
    { endpoint: "retailers", actual: 403, subject: "otherOrg" },
  ],
  "key-role-unclear": [{ subject: "sameOrg" }, { subject: "otherOrg" }],
  "key-lists-differ": [
    { subject: "sameOrg", details: { lacks: ["acme", "bolt"], more: ["zeta"] } },
    { subject: "sameOrg" },
  ],
  "no-foreign-retailer": [{}],
  "no-foreign-product": [{ details: { retailers: ["zeta", "eta"], categories: ["hats"] } }],
  "no-own-product": [{}],
  "batch-not-understood": [
    { endpoint: "batch", details: { answered: false, tried: ["items", "products", "lookups"], status: 413 } },
    {
      endpoint: "batch",
      details: { answered: false, tried: ["items", "products"], status: 301, location: "https://h/v1/" },
    },
    { details: { answered: false, tried: ["items", ""] } },
    { details: { answered: true, tried: ["items"] } },
  ],
  "category-too-long": [
    { subject: "hats", details: { pages: 40 } },
    { subject: "hats", details: { pages: 80, limit: 11 } },
  ],
  "no-cursor": [{ subject: "hats" }],
  "no-retailer-without-gtin": [{}],
  "limit-not-reached": [
    { ...requests(600), actual: 321, unit: "requests/s" },
    { ...requests(600), actual: 321, unit: "requests/s", details: { refused: 0, refusedWith: 503 } },
    { ...requests(600), actual: 2799, unit: "requests/s", details: { refused: 0, cached: 590, bound: 3000 } },
  ],
  "limit-unclear": [
    { subject: "otherOrg", ...tallies },
    { subject: "sameOrg", ...tallies },
    { subject: "primary", ...tallies, actual: 403 },
  ],
  "key-without-case": [{}],
  "no-other-category": [{}],
  "no-wait-given": [{}],

  "latency-over-limit": [
    latency,
    { ...latency, seen: { count: 8, of: "samples" } },
    { ...latency, expected: 100, details: { statistic: "p95", lateMilliseconds: 60 } },
  ],
  "failed-requests": [
    {
      endpoint: "lookup-by-id",
      subject: "lookup-unknown-product",
      expected: 0.01,
      actual: 0.25,
      unit: "share",
      seen: { count: 1, total: 4, of: "requests" },
    },
  ],
  "share-not-judged": [
    {
      expected: 0.01,
      actual: 6 / 474,
      unit: "share",
      seen: { count: 6, total: 474, of: "requests" },
      details: { crossing: "failed-requests" },
    },
    {
      endpoint: "lookup-by-gtin",
      subject: "lookup-by-gtin",
      expected: 1000,
      actual: 1200,
      unit: "ms",
      seen: { count: 15, of: "samples" },
      details: { crossing: "latency-over-limit", statistic: "p95" },
    },
  ],
  "foreign-responses": [
    { actual: 3, expected: 0, unit: "count", seen: { count: 3, total: 4200, of: "responses" } },
  ],
  "foreign-response": [
    { subject: "category-page", actual: "northmart", details: { what: "retailer" } },
    { subject: "batch", actual: "b/2", details: { what: "product" } },
  ],
  "tenants-kept-apart": [{ seen: { count: 4200, of: "responses" } }],
  "tenants-alike": [{}],
  "no-tenants-to-load": [{}],
  "rate-limit-reached": [
    { actual: 200, expected: 400, unit: "requests/s" },
    { expected: 30, actual: 50, seen: { count: 12, total: 225, of: "responses" } },
    { expected: 30, actual: 0, unit: "requests/s" },
    { expected: 30, unit: "requests/s", seen: { count: 12, total: 225, of: "responses" } },
    { expected: 30, actual: 20, unit: "requests/s", seen: { count: 1, total: 90, of: "responses" } },
  ],
  "no-samples": [{ subject: "batch", seen: { count: 0, total: 3, of: "requests" } }, { subject: "batch" }],
  "target-gone-under-load": [{ actual: 41, unit: "s" }, {}],
  "capacity-reached": [
    { actual: 430, subject: "p99", unit: "requests/s", details: { limit: 3000, limitUnit: "ms" } },
    { actual: 430, unit: "requests/s" },
    { actual: 430, subject: "failed requests", details: { limit: 0.01, limitUnit: "share" } },
  ],
  "k6-memory": [{ actual: 1300000000, expected: 1200000000, unit: "bytes", details: { seconds: 12 } }],
  "k6-killed": [{ subject: "SIGTERM" }, { subject: "SIGKILL", details: { seconds: 75 } }],
  "k6-overdue": [{ actual: 190, expected: 186, unit: "s" }],
  "load-bounded": [
    { expected: 50, actual: 5, unit: "requests/s" },
    { expected: 50, actual: 4 },
  ],
  "not-the-service": [
    { actual: 200, subject: "https://h/v1/retailers" },
    { actual: 302, subject: "https://h/v1/retailers", details: { location: "https://login.example/" } },
  ],
  "no-products-to-load": [{}],
  "items-lost": [{ path: "/errors", expected: 16, actual: 11 }],
  "category-emptied": [{ path: "/products", expected: 17 }],
  "response-too-big": [{ subject: "GET /products/a/1", actual: 8000000, unit: "bytes" }],
  "capacity-not-reached": [
    { actual: 600, unit: "requests/s" },
    { actual: 76, unit: "requests/s", seen: { count: 85, of: "requests" } },
  ],
  "status-before-load": [
    { actual: 503, subject: "https://h/v1/retailers" },
    { actual: 502, subject: "https://h/v1/retailers", from: { by: "unclear", name: "nginx" } },
  ],
  "failed-by-status": [{ seen: { count: 5, total: 600, of: "requests" }, details: { "500": 1, "502": 4 } }],
  "invalid-responses": [
    {
      subject: "batch",
      endpoint: "batch",
      expected: 0,
      actual: 0.02,
      unit: "share",
      seen: { count: 3, total: 150, of: "responses" },
    },
  ],
  "retry-after-malformed": [
    { expected: 0, actual: 3, unit: "count", seen: { count: 3, total: 7, of: "responses" } },
  ],
  "cursor-repeated": [{ expected: 0, actual: 1, unit: "count", seen: { count: 1, of: "iterations" } }],
  "other-organization-refused": [
    { expected: 0, actual: 2, unit: "count", seen: { count: 2, total: 40, of: "requests" } },
  ],
  "iterations-dropped": [
    { seen: { count: 12, total: 600, of: "iterations" }, details: { virtualUsers: 20 } },
  ],
  "iterations-late": [{ expected: 500, actual: 812.4, unit: "ms" }],
  "script-exceptions": [{ seen: { count: 2, of: "iterations" } }],
  "nothing-checked": [{ subject: "batch" }],
  "undecodable-body": [{}, { subject: "https://h/v1/retailers" }],
  "slower-than-planned": [
    { expected: 500, actual: 2300, unit: "ms", seen: { count: 4, total: 60, of: "iterations" } },
    { expected: 2000, actual: 10_000, seen: { count: 4, of: "iterations" }, details: { silent: 400 } },
  ],
  "load-interrupted": [{}],
  "generator-starved": [{ actual: 0.62, unit: "share" }],
  "search-seen": [{ details: { held: 387 } }, { details: { held: 0 } }],
  "machine-busy": [{ actual: 0.96, unit: "share" }],
  "search-on-busy-machine": [{ actual: 0.98, unit: "share" }],
  "search-figures-lost": [{}, { seen: { count: 12, total: 60, of: "samples" } }],
  "no-answer-before-load": [{ subject: "https://h/v1/retailers", details: { error: "dial: i/o timeout" } }],
  "key-rejected-before-load": [{ subject: "https://h/v1/retailers", actual: 401 }],
  "k6-exit": [{ actual: 108 }],
  "no-summary": [{ actual: 104 }, {}],
  "no-batch-field": [{}],
  "probe-starved": [{ seen: { count: 10, total: 400, of: "requests" } }],
  "refused-after-waits": [{ seen: { count: 3, total: 8, of: "attempts" } }],
  "iterations-withheld": [{ seen: { count: 2, of: "iterations" } }],
  "no-walk-ended": [{}],
  "responses-unchecked": [{ seen: { count: 10, total: 859, of: "requests" } }],
  "repeats-uncounted": [{}],
  "batches-unserved": [{ seen: { count: 3, of: "requests" } }],
  "polite-result": [{ actual: 19.6, unit: "requests/s", seen: { count: 1, total: 12, of: "attempts" } }],
  "rate-limit-found": [
    {
      actual: 20,
      unit: "requests/s",
      details: { perSecond: 20, low: 18.5, high: 21.4, burst: 60, burstLow: 55.2, burstHigh: 62 },
    },
  ],
  "expected-rate-limit": [
    { expected: 50, details: { of: "perSecond", low: 58.2, high: 61, outcome: "excluded" } },
    { expected: 50, details: { of: "perSecond", low: 2287, outcome: "excluded" } },
    { expected: 100, details: { of: "burst", low: 150, outcome: "excluded" } },
    { expected: 50, details: { of: "perSecond", low: 49.9, high: 50.5, outcome: "met" } },
    { expected: 100, details: { of: "burst", outcome: "open" } },
    { expected: 99, details: { of: "burst", low: 60, high: 62, outcome: "excluded" } },
  ],
  "rate-limit-not-found": [
    { actual: 400, unit: "requests/s" },
    { actual: 400, unit: "requests/s", details: { refusedShare: 0.4 } },
  ],
  "other-organization-asked": [{ seen: { count: 0, total: 16, of: "requests" } }],
  "waits-kept": [{ seen: { count: 3, total: 3, of: "attempts" } }],
};

/** With all that the words of any condition need. */
const special: Example<"wrong-status"> = {
  endpoint: "lookup-by-id",
  subject: "zeta",
  expected: [200, 400],
  actual: 500,
  product,
  details: {
    retailer: "eta",
    items: 51,
    after: "otherOrg",
    spelling: "json-blanks",
    kind: "nul",
    change: "cut",
    instead: "4006381333931",
    parameters: { category: "hats", limit: "ten" },
    errorCode: "internal_error",
  },
};

const withCode = Object.entries(examples).flatMap(([code, all]) =>
  all.map((example) => ({ ...example, code }) as Finding),
);
const withCondition = (Object.keys(conditions) as Condition[]).map(
  (condition): Finding => ({ code: "wrong-status", condition, ...special }),
);
const words = (finding: Finding) => [findingText(finding, defaultWords), findingFix(finding, defaultWords)];

// After an intended change: npx vitest run schemas/words -u
test("every finding has its words", async () => {
  const lines = [...withCode, ...withCondition].map((finding) => {
    const [text, fix] = words(finding);
    return `${finding.condition ?? finding.code}: ${text}${fix === undefined ? "" : `\n  fix: ${fix}`}`;
  });
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("index.snapshot.txt");
});

test("words are sentences: a capital first, a full stop last, no undefined value", () => {
  for (const sentence of [...withCode, ...withCondition].flatMap(words)) {
    if (sentence === undefined) continue;
    expect(sentence).toMatch(/^([A-Z0-9`]|k6|shelfcheck).*[.]$/);
    expect(sentence).not.toMatch(
      /undefined|NaN|\[object|\b1 (products|pages|items|responses|requests|attempts)\b| {2}/,
    );
  }
});

test("how often a failure was seen is said in its sentence, or beside it", () => {
  for (const finding of withCode) {
    const { code, seen } = finding;
    if (seen?.total === undefined || !Object.hasOwn(failureWords, code)) continue;
    const isSaid = findingText(finding, defaultWords).match(/\b(all |[0-9,]+ of )[0-9,]+/) !== null;
    expect([code, isSaid ? undefined : "beside"]).toEqual([code, wordsOf(finding).howOften]);
  }
});

test("a fix, and the problem of a run, name the variables as the config does", () => {
  const keyVariables = { primary: "ONE", sameOrg: "TWO", otherOrg: "THREE" };
  expect(findingFix({ code: "no-same-org-key" }, { keyVariables })).toBe("Set TWO.");
  expect(findingFix({ code: "no-other-org-key" }, { keyVariables })).toContain("Set THREE ");
  const rejected = withCode.find(({ code }) => code === "key-rejected-since") as Finding;
  expect(problemFrom(rejected, { keyVariables, baseUrl: "" }).what).toContain("the key in `TWO`");
});

test("texts of the target are between backticks, even if they contain backticks", () => {
  const odd: Finding = { code: "wrong-format", path: "/a b/`c", expected: "url", actual: "`x`" };
  expect(findingText(odd, defaultWords)).toBe('`` ["a b"]["`c"] `` is `` "`x`" ``; expected a URL.');
});
