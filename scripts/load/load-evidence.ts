import { curlOf } from "../../conformance/client/evidence.ts";
import { type Redaction, redactionFor } from "../../conformance/client/redaction.ts";
import type { Target } from "../../conformance/client/target.ts";
import { type KeptResponse, readEvidenceLine } from "../../scenarios/lib/log.ts";
import { keyHeaders } from "../../schemas/api.ts";
import { headersOf } from "../../schemas/connection.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import { withKnownName } from "../../schemas/gateway.ts";
import { given } from "../../schemas/json.ts";
import { placeholderOf } from "../../schemas/redaction.ts";
import { requestKinds } from "../../schemas/scenarios.ts";

type KeptEvidence = NonNullable<LoadResult["evidence"]>[number];

const mostKept = 10;
const mostAlike = 2;

/** The target of a load run. The key is passed to k6 in the environment only. */
export type LoadTarget = Pick<Target, "baseUrl" | "keys" | "keyVariables" | "connection">;

/** Responses that violated a rule: at most two of each kind, and ten in all. */
export function createEvidence(target: LoadTarget) {
  const redaction = redactionFor(target);
  const kept: KeptEvidence[] = [];
  const alike = new Map<string, number>();
  return {
    kept: kept as readonly KeptEvidence[],
    /** Takes a message of the k6 log, which may have a response. */
    take(message: string): void {
      const line = readEvidenceLine(message);
      if (line === undefined) return;
      const { code, path } = line.finding;
      const ofStatus = code === "wrong-status" ? line.response.status : "";
      const kind = `${line.request} ${code} ${path ?? ofStatus}`;
      const before = alike.get(kind) ?? 0;
      alike.set(kind, before + 1);
      if (kept.length < mostKept && before < mostAlike) kept.push(evidenceOf(target, redaction, line));
    },
  };
}

function evidenceOf(target: LoadTarget, redaction: Redaction, line: KeptResponse): KeptEvidence {
  const { baseUrl, connection } = target;
  const { keyVariables, placeholders, curl, redactHeaders } = redaction;
  const { request, finding, path, requestBody: body, response, overlapping } = line;
  const from =
    finding.from && withKnownName(finding.from, { headers: response.headers, text: response.body });
  const sent = {
    method: body === undefined ? "GET" : "POST",
    url: baseUrl + path,
    headers: {
      ...redactHeaders(headersOf(connection)),
      ...line.id,
      [keyHeaders.bearer]: `Bearer ${placeholderOf(keyVariables[line.key ?? "primary"])}`,
      Accept: "application/json",
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    },
    body,
  };
  return {
    request,
    finding: { ...finding, ...given({ from }), endpoint: requestKinds[request].endpoint },
    overlapping: overlapping && evidenceOf(target, redaction, overlapping).exchange,
    exchange: { request: sent, response, curl: curlOf(sent, placeholders, curl) },
  };
}
