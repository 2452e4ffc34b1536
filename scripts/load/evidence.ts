import { type KeptAnswer, readEvidenceLine } from "../../scenarios/lib/evidence-line.ts";
import type { LoadResult } from "../../schemas/types.ts";

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
      const alike = kept.filter(({ endpoint, flaw }) => endpoint === answer.name && flaw === answer.flaw);
      if (kept.length < mostKept && alike.length < mostAlike) kept.push(evidenceOf(baseUrl, answer));
      return true;
    },
  };
}

function evidenceOf(baseUrl: string, answer: KeptAnswer): KeptEvidence {
  const { method, path, requestBody, status, contentType, body, milliseconds } = answer;
  const url = baseUrl + path;
  return {
    endpoint: answer.name,
    flaw: answer.flaw,
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

function curlOf(method: string, url: string, body: string | undefined): string {
  const data =
    body === undefined ? "" : ` -X ${method} -H 'Content-Type: application/json' --data-raw ${quoted(body)}`;
  return `curl -sS -i${data} -H "Authorization: Bearer $SHELFCHECK_API_KEY" ${quoted(url)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
