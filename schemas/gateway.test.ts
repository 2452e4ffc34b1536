import { describe, expect, test } from "vitest";
import { gatewayOf } from "./gateway.ts";

function gatewayIn(status: number, headers: Record<string, string>, text: string): string | undefined {
  return gatewayOf({ status, header: (name) => headers[name], text });
}

const html = { "Content-Type": "text/html" };
const json = { "Content-Type": "application/json" };
const page = (heading: string, foot = "") => `<html><h1>${heading}</h1>${foot}</html>`;
const ownError = '{"error":{"code":"upstream_error","message":"The catalog does not respond"}}';

describe("responses of a gateway", () => {
  test.each<[name: string, status: number, headers: Record<string, string>, text: string, of: string]>([
    ["nginx", 502, { ...html, Server: "nginx/1.22.1" }, page("502 Bad Gateway"), "nginx/1.22.1"],
    [
      "nginx, too large",
      413,
      { ...html, Server: "nginx" },
      page("413", "<hr><center>nginx</center>"),
      "nginx",
    ],
    ["a proxy by its Via", 504, { ...html, Via: "1.1 google" }, page("Server Error"), "1.1 google"],
    ["Squid", 503, { ...html, Server: "squid/5.7", Via: "1.1 p (squid)" }, page("ERROR"), "squid/5.7"],
    [
      "HAProxy, without a header of its own",
      503,
      html,
      page("503 Service Unavailable", "No server is available to handle this request."),
      "HAProxy",
    ],
    [
      "Envoy",
      503,
      { "Content-Type": "text/plain", Server: "envoy" },
      "upstream connect error or disconnect/reset before headers. reset reason: connection timeout",
      "envoy",
    ],
    [
      "Cloudflare",
      522,
      { Server: "cloudflare", "Content-Type": "text/plain" },
      "error code: 522",
      "cloudflare",
    ],
    ["Kong", 503, { ...json, Server: "kong/3.4" }, '{"message":"failure to get a peer"}', "kong/3.4"],
    [
      "Amazon API Gateway",
      429,
      { ...json, "X-Amzn-Errortype": "TooManyRequestsException" },
      '{"message":"Too Many Requests"}',
      "Amazon API Gateway",
    ],
  ])("%s", (_name, status, headers, text, of) => {
    expect(gatewayIn(status, headers, text)).toBe(of);
  });
});

describe("responses that may be the service's own", () => {
  test.each<[name: string, status: number, headers: Record<string, string>, text: string]>([
    ["an error in the service's shape, behind nginx", 502, { ...json, Server: "nginx" }, ownError],
    ["the same by the wrong content type", 502, { ...html, Server: "nginx" }, ownError],
    ["the same behind Kong", 503, { ...json, Server: "kong/3.4", Via: "kong/3.4" }, ownError],
    ["a page of HTML with no gateway in its headers", 502, html, page("502 Bad Gateway")],
    ["a framework's page", 502, { ...html, Server: "Werkzeug/3.1" }, page("502")],
    ["a page with 500 behind nginx", 500, { ...html, Server: "nginx" }, page("Internal error")],
    ["plain text behind nginx", 503, { "Content-Type": "text/plain", Server: "nginx" }, "busy"],
    [
      "plain text of the service behind Envoy",
      503,
      { "Content-Type": "text/plain", Server: "envoy" },
      "busy",
    ],
    ["JSON without the shape, behind nginx", 503, { ...json, Server: "nginx" }, '{"message":"busy"}'],
    ["JSON without the shape behind Kong with 404", 404, { ...json, Server: "kong/3" }, '{"message":"no"}'],
    ["a success", 200, { ...html, Server: "nginx" }, page("nginx")],
  ])("%s", (_name, status, headers, text) => {
    expect(gatewayIn(status, headers, text)).toBeUndefined();
  });
});
