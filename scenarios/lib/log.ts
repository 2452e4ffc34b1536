import type { Excerpt } from "../../schemas/contracts/evidence.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Tenant } from "../../schemas/contracts/load-fixtures.ts";
import { excerptOf } from "../../schemas/excerpt.ts";
import { markOf, type TextRedaction } from "../../schemas/redaction.ts";
import type { RequestKindId } from "../../schemas/scenarios.ts";
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

// The runner reads lines with one of these marks and JSON; nothing else in the log has an effect.
const marks = { evidence: "shelfcheck-evidence ", finding: "shelfcheck-finding " } as const;

/** A response that violated a rule, as it is logged, without keys. */
export interface KeptResponse {
  readonly request: RequestKindId;
  readonly finding: Finding;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly requestBody?: string | undefined;
  readonly status: number;
  readonly contentType: string;
  /** The beginning of it, where it is long. */
  readonly body: string;
  /** How many characters of a long body are in `body`, of how many. */
  readonly cut?: { readonly shown: number; readonly of: number };
  /** The part of the whole body around the place that the finding names. */
  readonly excerpt?: Excerpt;
  readonly milliseconds: number;
  readonly ids?: LoggedIds | undefined;
  /** The role of the key of the request. Default: primary */
  readonly key?: Tenant["key"] | undefined;
  /** An exchange of another organization that overlapped with it. */
  readonly overlapping?: KeptResponse | undefined;
}

/** Headers by which a request and its response can be found in the server's logs. */
export interface LoggedIds {
  readonly request: Readonly<Record<string, string>>;
  readonly response: Readonly<Record<string, string>>;
}

/** The parts of a response that are logged. */
interface LoggedResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly milliseconds: number;
  readonly ids?: LoggedIds | undefined;
}

/** Whose request it was, and the exchange of another organization that overlapped with it. */
interface LoggedTenant {
  readonly key: Tenant["key"];
  readonly overlapping?: {
    readonly call: LoadCall;
    readonly key: Tenant["key"];
    readonly response: LoggedResponse;
  };
}

const longestBody = 1000;
/** A batch of a hundred items fits, so that its curl line can be run. */
const longestRequestBody = 8000;
/** A longer body is not parsed again: that would take time from the load. */
const longestParsed = 1_000_000;
const longestValue = 300;

/** The log line of a response that violated a rule. */
export function evidenceLine(
  call: LoadCall,
  finding: Finding,
  response: LoggedResponse,
  redaction: TextRedaction,
  tenant?: LoggedTenant,
): string {
  return marks.evidence + JSON.stringify(keptOf(call, finding, response, redaction, tenant));
}

function keptOf(
  call: LoadCall,
  finding: Finding,
  response: LoggedResponse,
  redaction: TextRedaction,
  tenant: LoggedTenant | undefined,
): KeptResponse {
  const { redact, excerpt } = redaction;
  const other = tenant?.overlapping;
  const body = excerpt(response.body, longestBody);
  const mark = markOf(response.body);
  const isCut = response.body.length > longestBody && body.endsWith(mark);
  return {
    request: call.name,
    finding: withoutKeys(finding, redaction),
    method: call.body === undefined ? "GET" : "POST",
    path: redact(call.path),
    requestBody: call.body === undefined ? undefined : excerpt(call.body, longestRequestBody),
    status: response.status,
    contentType: excerpt(response.contentType, longestValue),
    body,
    ...(isCut ? { cut: { shown: body.length - mark.length, of: response.body.length } } : {}),
    ...excerptAt(finding.path, response.body, redaction),
    milliseconds: response.milliseconds,
    ids: response.ids === undefined ? undefined : shownIds(response.ids, redaction),
    key: tenant?.key,
    overlapping: other && keptOf(other.call, finding, other.response, redaction, { key: other.key }),
  };
}

/** Made here, where the body is whole. A body that is not JSON has no places. */
function excerptAt(
  path: string | undefined,
  body: string,
  { redact }: TextRedaction,
): Pick<KeptResponse, "excerpt"> {
  if (path === undefined || body.length > longestParsed) return {};
  try {
    return { excerpt: excerptOf(JSON.parse(body), path, redact) };
  } catch {
    return {};
  }
}

function shownIds({ request, response }: LoggedIds, { excerpt }: TextRedaction): LoggedIds {
  const shown = (headers: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, excerpt(value, longestValue)]));
  return { request: shown(request), response: shown(response) };
}

/** The finding with its path and value, which come from the target, redacted and cut. */
function withoutKeys(finding: Finding, { excerpt }: TextRedaction): Finding {
  const { path, actual } = finding;
  return Object.assign(
    { ...finding },
    { path: path === undefined ? undefined : excerpt(path, longestValue) },
    typeof actual === "string" ? { actual: excerpt(actual, longestValue) } : {},
  );
}

/** The log line of a finding of the script itself, such as why the setup ends the run. */
export function findingLine(finding: Finding): string {
  return marks.finding + JSON.stringify(finding);
}

/** Reads a line of `evidenceLine`; undefined for any other line. */
export function readEvidenceLine(line: string): KeptResponse | undefined {
  return read(line, marks.evidence) as KeptResponse | undefined;
}

/** Reads a line of `findingLine`; undefined for any other line. */
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
