import { curlOf } from "../../conformance/client/evidence.ts";
import { type KeptResponse, readEvidenceLine } from "../../scenarios/lib/log.ts";
import { keyHeaders } from "../../schemas/api.ts";
import type { CurlSettings } from "../../schemas/connection.ts";
import { requestKinds } from "../../schemas/scenarios.ts";
import type { LoadResult } from "../../schemas/types.ts";

type KeptEvidence = NonNullable<LoadResult["evidence"]>[number];

const mostKept = 10;
const mostAlike = 2;

/** How evidence shows the secrets of a request, which the k6 script has redacted. */
export interface ShownSecrets {
  /** Name of the variable that holds the key. */
  readonly key: string;
  /** Configured headers of the target, redacted. */
  readonly headers: Readonly<Record<string, string>>;
  /** What is shown in place of secrets, such as `$NAME`. */
  readonly placeholders: readonly string[];
  readonly curl?: CurlSettings | undefined;
}

/**
 * Collects responses that violated a rule from the k6 log: at most two of each kind, and ten in all. `take` returns false
 * for a message that is no evidence.
 */
export function createEvidence(
  baseUrl: string,
  shown: ShownSecrets,
): {
  take(message: string): boolean;
  readonly kept: readonly KeptEvidence[];
} {
  const kept: KeptEvidence[] = [];
  const alike = new Map<string, number>();
  return {
    kept,
    take(message) {
      const response = readEvidenceLine(message);
      if (response === undefined) return false;
      const { code, path = "" } = response.finding;
      const kind = `${response.request} ${code} ${path}`;
      const before = alike.get(kind) ?? 0;
      alike.set(kind, before + 1);
      if (kept.length < mostKept && before < mostAlike) {
        kept.push(evidenceOf(baseUrl, shown, response));
      }
      return true;
    },
  };
}

function evidenceOf(
  baseUrl: string,
  { key, headers, placeholders, curl }: ShownSecrets,
  response: KeptResponse,
): KeptEvidence {
  const { request, finding, method, path, requestBody } = response;
  const { status, contentType, body, cut, excerpt, milliseconds } = response;
  const sent = {
    method,
    url: baseUrl + path,
    headers: {
      ...headers,
      ...response.ids?.request,
      [keyHeaders.bearer]: `Bearer $${key}`,
      Accept: "application/json",
      ...(requestBody === undefined ? {} : { "Content-Type": "application/json" }),
    },
    ...(requestBody === undefined ? {} : { body: requestBody }),
  };
  return {
    request,
    finding: { ...finding, endpoint: requestKinds[request].endpoint },
    exchange: {
      request: sent,
      response: {
        status,
        headers: { "content-type": contentType, ...response.ids?.response },
        body,
        ...(cut === undefined ? {} : { cut }),
        ...(excerpt === undefined ? {} : { excerpts: [excerpt] }),
        milliseconds,
      },
      curl: curlOf(sent, placeholders, curl),
    },
  };
}
