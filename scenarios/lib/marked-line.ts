import type { Redaction } from "../../schemas/redaction.ts";
import type { RequestKindId } from "../../schemas/scenarios.ts";
import type { Finding } from "../../schemas/types.ts";
import type { Call } from "./traffic.ts";

// Lines of k6's log that the runner reads: a mark and JSON. Whatever else stands in the log decides nothing.

/** What is kept of a response that broke a rule, without keys. */
export interface KeptResponse {
  readonly name: RequestKindId;
  readonly flaw: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly requestBody?: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly milliseconds: number;
}

/** A response, as far as it is kept. */
interface Response {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly milliseconds: number;
}

const marks = { evidence: "shelfcheck-evidence ", finding: "shelfcheck-finding " } as const;
const longestBody = 1000;
const longestFlaw = 300;

/** A failing response as a line. */
export function evidenceLine(
  call: Call,
  flaw: string,
  response: Response,
  { redact, excerpt }: Redaction,
): string {
  const kept: KeptResponse = {
    name: call.name,
    flaw: excerpt(flaw, longestFlaw),
    method: call.body === undefined ? "GET" : "POST",
    path: redact(call.path),
    ...(call.body === undefined ? {} : { requestBody: excerpt(call.body, longestBody) }),
    status: response.status,
    contentType: excerpt(response.contentType, longestFlaw),
    body: excerpt(response.body, longestBody),
    milliseconds: response.milliseconds,
  };
  return marks.evidence + JSON.stringify(kept);
}

/** A finding of the script itself as a line, such as why the setup ends the run. */
export function findingLine(finding: Finding): string {
  return marks.finding + JSON.stringify(finding);
}

/** Reads a line that `evidenceLine` made; undefined for any other. */
export function readEvidenceLine(line: string): KeptResponse | undefined {
  return read(line, marks.evidence) as KeptResponse | undefined;
}

/** Reads a line that `findingLine` made; undefined for any other. */
export function readFindingLine(line: string): Finding | undefined {
  return read(line, marks.finding) as Finding | undefined;
}

function read(line: string, mark: string): unknown {
  if (!line.startsWith(mark)) return undefined;
  try {
    return JSON.parse(line.slice(mark.length));
  } catch {
    return undefined;
  }
}
