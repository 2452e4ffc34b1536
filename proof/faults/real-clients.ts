import { brotliCompressSync, gzipSync } from "node:zlib";
import type { WireChange, WireRequest, WireResponse } from "../../service/wire.ts";
import {
  as,
  errorResponse,
  instead,
  isFor,
  onRequest,
  onResponse,
  onStatus,
  withHeader,
  withText,
} from "../changes/change.ts";
import { eachWay, type FaultTable } from "../changes/entry.ts";

// Defects that show only with headers that some clients send and others do not.

const accepts = ({ headers }: WireRequest) => headers.accept;
const isCompressing = ({ headers }: WireRequest) => /gzip/.test(headers["accept-encoding"] ?? "");
const asMarkup = (response: WireResponse, type: string): WireResponse =>
  withHeader(withText(response, `<error>${response.status}</error>`), "content-type", type);

const onErrors = (
  change: (response: WireResponse, request: WireRequest) => WireResponse | undefined,
): WireChange =>
  onResponse((response, request) => (response.status >= 400 ? change(response, request) : undefined));

export const realClientFaults = {
  "xml-unless-json-is-asked-for": {
    does: "Errors are XML unless Accept asks for JSON.",
    wire: onErrors((response, request) =>
      accepts(request)?.includes("json") ? undefined : asMarkup(response, "application/xml"),
    ),
    fails: ["errors.shape/every-response", "service.json/every-response"],
    source: "falconry/falcon#300",
  },
  "html-for-any-type": {
    does: "Errors are HTML if Accept is */*.",
    wire: onErrors((response, request) =>
      accepts(request)?.includes("*/*") ? asMarkup(response, "text/html") : undefined,
    ),
    fails: ["errors.shape/every-response", "service.json/every-response"],
    source: "apex/up#697",
  },
  "not-acceptable-without-accept": {
    does: "Requests without Accept get 406.",
    wire: onResponse((response, request) =>
      response.status === 200 && accepts(request) === undefined
        ? errorResponse(406, "not_acceptable")
        : undefined,
    ),
    fails: eachWay("service.any-client"),
  },
  "not-acceptable-for-any-type": {
    does: "Requests with Accept: */* get 406.",
    wire: onResponse((response, request) =>
      response.status === 200 && accepts(request) === "*/*"
        ? errorResponse(406, "not_acceptable")
        : undefined,
    ),
    fails: ["service.any-client/by-url"],
  },
  "plain-errors-marked-as-gzip": {
    does: "Errors say that they are compressed, and are not.",
    wire: onErrors((response, request) =>
      isCompressing(request) ? withHeader(response, "content-encoding", "gzip") : undefined,
    ),
    fails: ["errors.shape/every-response", "service.json/every-response"],
    source: "projectdiscovery/httpx#307",
  },
  "gzip-errors-not-marked": {
    does: "Errors are compressed and do not say so.",
    wire: onErrors((response, request) =>
      isCompressing(request) ? { ...response, body: gzipSync(response.body) } : undefined,
    ),
    fails: ["errors.shape/every-response", "service.json/every-response"],
    source: "apache/trafficcontrol#1737",
  },
  "errors-in-a-coding-not-asked-for": {
    does: "Errors are compressed with Brotli although the request did not accept it.",
    wire: onErrors((response, request) =>
      request.headers["accept-encoding"] === undefined
        ? undefined
        : withHeader({ ...response, body: brotliCompressSync(response.body) }, "content-encoding", "br"),
    ),
    fails: ["service.any-client/every-response"],
    source: "everything2/everything2#3391",
  },
  "compressed-pages-cut": {
    does: "Compressed category pages are cut off.",
    wire: onResponse((response, request) =>
      isCompressing(request) && isFor("category-page")(request) && response.status === 200
        ? withHeader(
            { ...response, body: gzipSync(response.body).subarray(0, -20) },
            "content-encoding",
            "gzip",
          )
        : undefined,
    ),
    fails: ["service.json/every-response"],
  },
  "charset-refused": {
    does: "A batch whose content type names a charset gets 415.",
    wire: onResponse((_response, request) =>
      isFor("batch")(request) && /charset/i.test(request.headers["content-type"] ?? "")
        ? errorResponse(415, "unsupported_media_type")
        : undefined,
    ),
    fails: ["service.open-spellings/batch"],
    source: "aws/chalice#306",
  },
  "libraries-refused": {
    does: "Requests of Python's library get a page of a firewall.",
    wire: instead(
      ({ headers }) => /^python/.test(headers["user-agent"] ?? ""),
      () => withText(withHeader(errorResponse(403), "content-type", "text/html"), "<h1>Forbidden</h1>"),
    ),
    fails: [...eachWay("service.any-client"), "service.any-client/errors"],
    source: "r-spacex/SpaceX-API#182",
  },
  "scheme-in-other-case-refused": {
    does: "A key whose scheme is not written Bearer gets 401.",
    wire: instead(({ headers }) => /^b[Ee]arer|^BEARER/.test(headers.authorization ?? ""), as(401)),
    fails: eachWay("service.open-spellings"),
    source: "spring-projects/spring-security#6228",
  },
  "escapes-of-plain-characters-kept": {
    does: "A letter, a digit or a hyphen that is percent-encoded in a path is not decoded.",
    wire: onStatus(200, as(404), ({ path }) => /%(2d|3\d|[4-7][\da])/i.test(path)),
    fails: ["service.any-client/by-id"],
    source: "tokio-rs/axum#2678",
  },
  "escapes-in-json-kept": {
    does: "Characters that are escaped in a batch are not decoded.",
    wire: onRequest((request) =>
      request.body.includes("\\u00")
        ? { ...request, body: Buffer.from(request.body.toString().replaceAll("\\u", "u")) }
        : undefined,
    ),
    fails: ["service.any-client/batch"],
    source: "apache/cxf#3142",
  },
  "content-type-without-content-refused": {
    does: "GET with a content type gets 400.",
    wire: instead(
      ({ method, headers }) => method === "GET" && headers["content-type"] !== undefined,
      as(400),
    ),
    fails: [
      "service.open-spellings/retailers",
      "service.open-spellings/by-id",
      "service.open-spellings/by-url",
      "service.open-spellings/by-gtin",
      "service.open-spellings/by-category",
    ],
    source: "TheHive-Project/TheHive#438",
  },
} satisfies FaultTable;
