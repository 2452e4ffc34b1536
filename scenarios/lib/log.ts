import type { TextRedaction } from "../../schemas/redaction.ts";
import type { RequestKindId } from "../../schemas/scenarios.ts";
import type { Finding } from "../../schemas/types.ts";
import type { LoadCall } from "./traffic.ts";

declare const console: { warn(line: string): void; error(line: string): void };

/** Writes a line to k6's log. */
export function logWarning(line: string): void {
  console.warn(line);
}

/** Writes an error to k6's log. */
export function logError(line: string): void {
  console.error(line);
}

// Lines that the runner reads again: a mark and JSON. Whatever else stands in the log decides nothing.
const marks = { evidence: "shelfcheck-evidence ", finding: "shelfcheck-finding " } as const;

/** What is kept of a response that broke a rule, without keys. */
export interface KeptResponse {
  readonly request: RequestKindId;
  readonly finding: Finding;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly requestBody?: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly milliseconds: number;
  readonly ids?: LoggedIds;
}

/** Headers by which a request and its response are found in the logs of the server. */
export interface LoggedIds {
  readonly request: Readonly<Record<string, string>>;
  readonly response: Readonly<Record<string, string>>;
}

/** A response, as far as it is kept. */
interface LoggedResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly milliseconds: number;
  readonly ids?: LoggedIds;
}

const longestBody = 1000;
const longestValue = 300;

/** A response that broke a rule as a line. */
export function evidenceLine(
  call: LoadCall,
  finding: Finding,
  response: LoggedResponse,
  redaction: TextRedaction,
): string {
  const { redact, excerpt } = redaction;
  const kept: KeptResponse = {
    request: call.name,
    finding: withoutKeys(finding, redaction),
    method: call.body === undefined ? "GET" : "POST",
    path: redact(call.path),
    ...(call.body === undefined ? {} : { requestBody: excerpt(call.body, longestBody) }),
    status: response.status,
    contentType: excerpt(response.contentType, longestValue),
    body: excerpt(response.body, longestBody),
    milliseconds: response.milliseconds,
    ...(response.ids === undefined ? {} : { ids: shownIds(response.ids, redaction) }),
  };
  return marks.evidence + JSON.stringify(kept);
}

function shownIds({ request, response }: LoggedIds, { excerpt }: TextRedaction): LoggedIds {
  const shown = (headers: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, excerpt(value, longestValue)]));
  return { request: shown(request), response: shown(response) };
}

/** What the target chose in a finding: the value, and the names in its place. */
function withoutKeys(finding: Finding, { excerpt }: TextRedaction): Finding {
  const { path, actual } = finding;
  return {
    ...finding,
    ...(path === undefined ? {} : { path: excerpt(path, longestValue) }),
    ...(typeof actual === "string" ? { actual: excerpt(actual, longestValue) } : {}),
  };
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
