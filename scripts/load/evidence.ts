import { curlOf } from "../../conformance/client/evidence.ts";
import type { KeyVariables } from "../../conformance/client/target.ts";
import { type KeptResponse, readEvidenceLine } from "../../scenarios/lib/marked-line.ts";
import { requestKinds } from "../../schemas/scenarios.ts";
import type { Finding, LoadResult } from "../../schemas/types.ts";

type KeptEvidence = NonNullable<LoadResult["evidence"]>[number];

const mostKept = 10;
const mostAlike = 2;

/** Collects failing answers from the log: the first few of each kind, whatever number of virtual users kept them. */
export function createEvidence(
  baseUrl: string,
  keyVariables: KeyVariables,
): {
  take(message: string): boolean;
  readonly kept: readonly KeptEvidence[];
} {
  const kept: KeptEvidence[] = [];
  return {
    kept,
    take(message) {
      const answer = readEvidenceLine(message);
      if (answer === undefined) return false;
      const { subject } = findingOf(answer);
      const alike = kept.filter(({ finding }) => finding.subject === subject);
      if (kept.length < mostKept && alike.length < mostAlike)
        kept.push(evidenceOf(baseUrl, keyVariables, answer));
      return true;
    },
  };
}

function evidenceOf(baseUrl: string, keyVariables: KeyVariables, answer: KeptResponse): KeptEvidence {
  const { method, path, requestBody, status, contentType, body, milliseconds } = answer;
  const request = {
    method,
    url: baseUrl + path,
    headers: {
      Authorization: `Bearer $${keyVariables.primary}`,
      Accept: "application/json",
      ...(requestBody === undefined ? {} : { "Content-Type": "application/json" }),
    },
    ...(requestBody === undefined ? {} : { body: requestBody }),
  };
  return {
    finding: findingOf(answer),
    exchange: {
      request,
      response: { status, headers: { "content-type": contentType }, body, milliseconds },
      curl: curlOf(request, keyVariables),
    },
  };
}

function findingOf({ name, flaw }: KeptResponse): Finding {
  return {
    code: "recorded",
    endpoint: requestKinds[name].endpoint,
    subject: `${requestKinds[name].label}: ${flaw}`,
  };
}
