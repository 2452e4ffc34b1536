import { brotliCompressSync, gzipSync } from "node:zlib";
import type { WireChange, WireRequest, WireResponse } from "../../service/wire.ts";
import { instead, where } from "../changes/change.ts";
import * as is from "../changes/conditions.ts";
import { eachWay, type FaultTable, foundBy } from "../changes/entry.ts";
import { as, errorResponse, withHeader, withText } from "../changes/messages.ts";
import * as on from "../changes/on.ts";

// Defects that show only with headers or spellings that some clients send and others do not.

/** Whether a request has a header whose value matches. */
const says =
  (name: string, pattern = /^/): is.When =>
  ({ headers }) =>
    pattern.test(headers[name] ?? "") && headers[name] !== undefined;

const acceptsGzip = says("accept-encoding", /gzip/);
const acceptsAny = says("accept", /^\*\/\*$/);
const isGet: is.When = ({ method }) => method === "GET";

const onErrors = (when: is.When, change: (response: WireResponse) => WireResponse): WireChange =>
  where(
    when,
    on.response((response) => (response.status >= 400 ? change(response) : undefined)),
  );
const markup =
  (type: string) =>
  (response: WireResponse): WireResponse =>
    withHeader(withText(response, `<error>${response.status}</error>`), "content-type", type);
const coded =
  (coding: string, code: (body: Buffer) => Buffer) =>
  (response: WireResponse): WireResponse =>
    withHeader({ ...response, body: code(response.body) }, "content-encoding", coding);

const firewall = () =>
  withHeader(withText(errorResponse(403), "<h1>Forbidden</h1>"), "content-type", "text/html");

const withoutBackslashes = (request: WireRequest): WireRequest => ({
  ...request,
  body: Buffer.from(request.body.toString().replaceAll("\\u00", "u00")),
});

export const realClientFaults: readonly FaultTable[] = [
  {
    "errors-in-a-coding-not-asked-for": {
      does: "Errors are compressed with Brotli although the request did not accept it.",
      wire: onErrors(says("accept-encoding"), coded("br", brotliCompressSync)),
      fails: ["service.any-client/every-response"],
      source: "everything2/everything2#3391",
    },
    "compressed-pages-cut": {
      does: "Compressed category pages are cut off.",
      wire: on.status(
        200,
        coded("gzip", (body) => gzipSync(body).subarray(0, -20)),
        is.all(is.page, acceptsGzip),
      ),
      fails: ["service.json/every-response"],
    },
    "not-acceptable-without-accept": {
      does: "Requests without Accept get 406.",
      wire: on.status(200, as(406, "not_acceptable"), is.not(says("accept"))),
      fails: eachWay("service.any-client"),
    },
    "not-acceptable-for-any-type": {
      does: "Requests with Accept: */* get 406.",
      wire: on.status(200, as(406, "not_acceptable"), acceptsAny),
      fails: ["service.any-client/by-url"],
    },
    "libraries-refused": {
      does: "Requests of Python's library get a page of a firewall.",
      wire: instead(says("user-agent", /^python/), firewall),
      fails: eachWay("service.any-client", "errors"),
      source: "r-spacex/SpaceX-API#182",
    },
    "escapes-of-plain-characters-kept": {
      does: "A letter, a digit or a hyphen that is percent-encoded in a path is not decoded.",
      wire: on.status(200, as(404), ({ path }) => /%(2d|3\d|[4-7][\da])/i.test(path)),
      fails: ["service.any-client/by-id"],
      source: "tokio-rs/axum#2678",
    },
    "escapes-in-json-kept": {
      does: "Characters that are escaped in a batch are not decoded.",
      wire: on.request(withoutBackslashes),
      fails: ["service.any-client/batch"],
      source: "apache/cxf#3142",
    },
    "charset-refused": {
      does: "A batch whose content type names a charset gets 415.",
      wire: instead(is.all(is.batch, says("content-type", /charset/i)), as(415, "unsupported_media_type")),
      fails: ["service.open-spellings/batch"],
      source: "aws/chalice#306",
    },
    "scheme-in-other-case-refused": {
      does: "A key whose scheme is not written Bearer gets 401.",
      wire: instead(says("authorization", /^b[Ee]arer|^BEARER/), as(401)),
      fails: eachWay("service.open-spellings"),
      source: "spring-projects/spring-security#6228",
    },
  },
  foundBy(["errors.shape/every-response", "service.json/every-response"], {
    "xml-unless-json-is-asked-for": [
      "Errors are XML unless Accept asks for JSON.",
      onErrors(is.not(says("accept", /json/)), markup("application/xml")),
      "falconry/falcon#300",
    ],
    "html-for-any-type": [
      "Errors are HTML if Accept is */*.",
      onErrors(says("accept", /\*\/\*/), markup("text/html")),
      "apex/up#697",
    ],
    "plain-errors-marked-as-gzip": [
      "Errors say that they are compressed, and are not.",
      onErrors(acceptsGzip, (response) => withHeader(response, "content-encoding", "gzip")),
      "projectdiscovery/httpx#307",
    ],
    "gzip-errors-not-marked": [
      "Errors are compressed and do not say so.",
      onErrors(acceptsGzip, (response) => ({ ...response, body: gzipSync(response.body) })),
      "apache/trafficcontrol#1737",
    ],
  }),
  foundBy(
    [
      "service.open-spellings/retailers",
      "service.open-spellings/by-id",
      "service.open-spellings/by-url",
      "service.open-spellings/by-gtin",
      "service.open-spellings/by-category",
    ],
    {
      "content-type-without-content-refused": [
        "GET with a content type gets 400.",
        instead(is.all(isGet, says("content-type")), as(400)),
        "TheHive-Project/TheHive#438",
      ],
    },
  ),
];
