import { type KeptResponse, readEvidenceLine } from "../../scenarios/lib/marked-line.ts";
import { requestKinds } from "../../schemas/scenarios.ts";
import type { Finding, LoadResult } from "../../schemas/types.ts";

type KeptEvidence = NonNullable<LoadResult["evidence"]>[number];

const mostKept = 10;
const mostAlike = 2;

/** Collects failing answers from the log: the first few of each kind, whatever number of virtual users kept them. */
export function createEvidence(baseUrl: string): {
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
      if (kept.length < mostKept && alike.length < mostAlike) kept.push(evidenceOf(baseUrl, answer));
      return true;
    },
  };
}

function evidenceOf(baseUrl: string, answer: KeptResponse): KeptEvidence {
  const { method, path, requestBody, status, contentType, body, milliseconds } = answer;
  const url = baseUrl + path;
  return {
    finding: findingOf(answer),
    exchange: {
      request: {
        method,
        url,
        headers: { authorization: "Bearer [redacted]", accept: "application/json" },
        ...(requestBody === undefined ? {} : { body: requestBody }),
      },
      response: { status, headers: { "content-type": contentType }, body, milliseconds },
      curl: curlOf(method, url, requestBody),
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

function curlOf(method: string, url: string, body: string | undefined): string {
  const data =
    body === undefined ? "" : ` -X ${method} -H 'Content-Type: application/json' --data-raw ${quoted(body)}`;
  return `curl -sS -i${data} -H "Authorization: Bearer $SHELFCHECK_API_KEY" ${quoted(url)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
