import {
  type Answer,
  type Asked,
  type Change,
  errorAnswer,
  type Injection,
  inject,
  injectRemembering,
  isObject,
  objectOf,
  onBody,
  onStatus,
  type Way,
  withJson,
  without,
} from "../injection.ts";

const json = "service.json/every-response";
const shape = "errors.shape/every-answer";

const wrongCode = (status: number) =>
  inject(
    `code-of-${status}`,
    `errors.${codeNames[status]}/code`,
    onStatus(status, (answer) => ({ ...answer, body: errorAnswer(status, "shelfcheck_injected").body })),
  );

const codeNames: Readonly<Record<number, string>> = {
  400: "bad-request",
  401: "unauthorized",
  403: "forbidden",
  404: "not-found",
  429: "rate-limited",
};

const isWay = (way: Way) => (asked: Asked) => asked.way === way;
const as = (status: number, code: string) => () => errorAnswer(status, code);

const onError =
  (change: (error: Readonly<Record<string, unknown>>) => unknown): Change =>
  (answer) => {
    const error = answer.status >= 400 ? objectOf(answer)?.error : undefined;
    return isObject(error) ? withJson(answer, change(error)) : undefined;
  };

const html = (answer: Answer): Answer => ({
  status: answer.status,
  headers: { "content-type": "text/html" },
  body: { bytes: Buffer.from("<!doctype html><p>Injected by shelfcheck proof.") },
});

/** Faults in what is refused and how: keys, parameters, errors, limits. */
export const refusalInjections: readonly Injection[] = [
  ...[400, 401, 403, 404, 429].map(wrongCode),
  inject(
    "error-flat",
    shape,
    onError((error) => error),
  ),
  inject(
    "error-message-gone",
    "error-body.message/every-error",
    onError((error) => ({ error: without("message", error) })),
  ),
  inject(
    "error-code-number",
    "error-body.code/every-error",
    onError((error) => ({ error: { ...error, code: 7 } })),
  ),
  inject(
    "error-with-200",
    ["errors.success-is-no-error/every-response", "by-id.unknown-product/unknown-id"],
    onStatus(404, (answer) => ({ ...answer, status: 200 }), isWay("by-id")),
  ),
  inject("html-with-404", [json, shape], onStatus(404, html)),
  inject("content-type-text", json, (answer) => ({
    ...answer,
    headers: { ...answer.headers, "content-type": "text/plain" },
  })),
  inject("content-type-gone", "service.content-type/every-response", (answer) => ({
    ...answer,
    headers: without("content-type", answer.headers),
  })),
  inject(
    "unknown-route-answered",
    "errors.shape/unknown-route",
    onStatus(404, (answer) => withJson({ ...answer, status: 200 }, {}), isWay("other")),
  ),
  inject("writing-accepted", "service.read-only/writing-methods", (answer, { method }) =>
    ["PUT", "PATCH", "DELETE"].includes(method) ? withJson({ ...answer, status: 200 }, {}) : undefined,
  ),

  inject(
    "missing-key-403",
    ["retailers", "by-id", "by-url", "by-gtin", "by-category", "batch"].map(
      (name) => `authentication.required/${name}`,
    ),
    onStatus(401, as(403, "forbidden"), ({ caller }) => caller === "nobody"),
    { "authentication.invalid-key": "an empty key counts as none" },
  ),
  inject(
    "invalid-key-403",
    ["authentication.invalid-key/retailers", "authentication.invalid-key/x-api-key"],
    onStatus(401, as(403, "forbidden"), ({ caller }) => caller === "stranger"),
  ),
  inject(
    "bearer-refused",
    "authentication.bearer/accepted",
    refusing((headers) => headers.authorization !== undefined && headers["x-api-key"] === undefined),
    {
      "authentication.equivalent": "what one header opens, the other does not",
    },
  ),
  inject(
    "x-api-key-refused",
    "authentication.x-api-key/accepted",
    refusing((headers) => headers["x-api-key"] !== undefined && headers.authorization === undefined),
    {
      "authentication.equivalent": "what one header opens, the other does not",
    },
  ),
  injectRemembering(
    "other-organization-served",
    ["by-id", "by-url", "batch"].map((name) => `authentication.entitlement/other-organization-${name}`),
    servedAs("otherOrg", "primary"),
  ),
  injectRemembering(
    "second-key-served",
    "authentication.entitlement/second-key",
    servedAs("sameOrg", "otherOrg"),
  ),
  inject("both-headers-403", "authentication.equivalent/both-good", (_answer, { caller, headers }) =>
    caller === "primary" && headers.authorization !== undefined && headers["x-api-key"] !== undefined
      ? errorAnswer(403, "forbidden")
      : undefined,
  ),
  injectRemembering("other-organization-sees-more", "retailers.scope/other-organization", () => {
    let own: readonly unknown[] = [];
    return (answer, { way, caller }) => {
      const body = way === "retailers" && answer.status === 200 ? objectOf(answer) : undefined;
      const listed = body?.retailers;
      if (!Array.isArray(listed)) return undefined;
      if (caller === "primary") own = listed;
      const texts = new Set(listed.map((entry) => JSON.stringify(entry)));
      const more = own.filter((entry) => !texts.has(JSON.stringify(entry)));
      return caller === "otherOrg"
        ? withJson(answer, { ...body, retailers: [...listed, ...more] })
        : undefined;
    };
  }),
  inject(
    "second-key-refused",
    ["retailers", "by-id", "by-url", "by-gtin", "by-category", "batch"].map(
      (name) => `service.organization-scope/${name}`,
    ),
    (_answer, { caller }) => (caller === "sameOrg" ? errorAnswer(403, "forbidden") : undefined),
    { "limits.per-organization": "whoever gets 403 is not refused by the limit" },
  ),
  inject(
    "second-key-sees-less",
    "service.organization-scope/retailers",
    onBody("retailers", (body, { caller }) =>
      caller === "sameOrg" && Array.isArray(body.retailers)
        ? { ...body, retailers: body.retailers.slice(1) }
        : body,
    ),
  ),

  inject(
    "retry-after-gone",
    "errors.retry-after/every-refusal",
    onStatus(429, (answer) => ({
      ...answer,
      headers: without("retry-after", answer.headers) as Answer["headers"],
    })),
  ),
  inject(
    "retry-after-date",
    "errors.retry-after/every-refusal",
    onStatus(429, (answer) => ({
      ...answer,
      headers: { ...answer.headers, "retry-after": "Fri, 31 Dec 1999 23:59:59 GMT" },
    })),
  ),
  inject(
    "limit-per-key",
    "limits.per-organization/keys-share",
    onStatus(
      429,
      (answer) => withJson({ ...answer, status: 200 }, { retailers: [] }),
      ({ caller }) => caller === "sameOrg",
    ),
  ),
  injectRemembering("limit-of-everybody", "limits.per-organization/other-untouched", () => {
    let refusal: Answer | undefined;
    return (answer, { caller }) => {
      if (caller === "primary") refusal = answer.status === 429 ? answer : undefined;
      return caller === "otherOrg" ? refusal : undefined;
    };
  }),
];

function refusing(when: (headers: Asked["headers"]) => boolean): Change {
  return (_answer, { headers }) => (when(headers) ? errorAnswer(401, "unauthorized") : undefined);
}

/** What is refused to one caller is answered as if another one had asked. */
function servedAs(caller: Asked["caller"], as: Asked["caller"]): () => Change {
  return () => {
    let seen: Asked["headers"] = {};
    return async (answer, asked, ask) => {
      if (asked.caller === as && answer.status === 200) seen = asked.headers;
      if (asked.caller !== caller) return undefined;
      const meta = objectOf(answer)?.meta;
      const nothingFound = asked.way === "batch" && isObject(meta) && meta.found === 0;
      const refused = answer.status >= 400 && ["by-id", "url", "gtin"].includes(asked.way);
      if (!nothingFound && !refused) return undefined;
      const { authorization, "x-api-key": key } = seen;
      const { authorization: _bearer, "x-api-key": _key, ...others } = asked.headers;
      const headers = {
        ...others,
        ...(authorization && { authorization }),
        ...(key && { "x-api-key": key }),
      };
      return await ask({ ...asked, headers });
    };
  };
}
