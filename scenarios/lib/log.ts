import type { Excerpt } from "../../schemas/contracts/evidence.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Tenant } from "../../schemas/contracts/load-fixtures.ts";
import type { SentHeaders } from "../../schemas/gateway.ts";
import { jsonIn } from "../../schemas/json.ts";
import { hiddenIn } from "../../schemas/json-text.ts";
import { markOf, type TextRedaction } from "../../schemas/redaction.ts";
import { excerptOf } from "../../schemas/words/excerpt.ts";
import type { LoadCall } from "./traffic.ts";

declare const console: { warn(line: string): void; error(line: string): void };

/** k6's log. */
export const log = console;

// The runner reads lines with one of these marks and JSON; nothing else in the log has an effect.
const marks = { evidence: "shelfcheck-evidence ", finding: "shelfcheck-finding " } as const;

/** A response that violated a rule, as it is logged, without keys. */
export type KeptResponse = ReturnType<typeof keptOf> & {
  /** An exchange of another organization that overlapped with it. */
  readonly overlapping?: ReturnType<typeof keptOf>;
};

/** A request with its response, and the role of the key that it had. */
export interface LoggedExchange {
  readonly call: LoadCall;
  readonly response: {
    readonly status: number;
    readonly headers: SentHeaders;
    readonly body: string | null;
    readonly timings: { readonly duration: number };
    readonly request?: { readonly headers?: Readonly<Record<string, unknown>> };
  };
  readonly key?: Tenant["key"];
}

/** What an evidence line hides, and the header with the id of a request. */
interface EvidenceOptions {
  readonly redaction: TextRedaction;
  readonly requestIdHeader: string;
}

const longestBody = 1000;
/** A batch of a hundred items fits, so that its curl line can be run. */
const longestRequestBody = 8000;
/** A longer body is not parsed again: that would take time from the load. */
const longestParsed = 1_000_000;
const longestValue = 300;

/**
 * The log line of a response that violated a rule.
 * @param overlapping an exchange of another organization that overlapped with it
 */
export function evidenceLine(
  finding: Finding,
  exchange: LoggedExchange,
  options: EvidenceOptions,
  overlapping?: LoggedExchange,
): string {
  const kept = keptOf(finding, exchange, options);
  const other = overlapping && keptOf({ ...finding, path: undefined }, overlapping, options);
  return marks.evidence + JSON.stringify({ ...kept, overlapping: other });
}

function keptOf(
  finding: Finding,
  { call, response, key }: LoggedExchange,
  { redaction, requestIdHeader }: EvidenceOptions,
) {
  const { redact, excerpt } = redaction;
  const whole = response.body ?? "";
  const body = excerpt(whole, longestBody);
  const mark = markOf(whole);
  const isCut = whole.length > longestBody && body.endsWith(mark);
  const id = Object.entries(response.request?.headers ?? {}).find(
    ([name]) => requestIdHeader !== "" && name.toLowerCase() === requestIdHeader.toLowerCase(),
  );
  return {
    request: call.name,
    finding: withoutKeys(finding, redaction),
    path: redact(call.path),
    /** Of a batch, the only request with one. */
    requestBody: call.body === undefined ? undefined : excerpt(call.body, longestRequestBody),
    /** With headers by their names in lower case, without cookies, and the beginning of a long body. */
    response: {
      status: response.status,
      headers: loggedHeaders(response.headers, redaction),
      body,
      ...(isCut ? { cut: { shown: body.length - mark.length, of: whole.length } } : {}),
      excerpts: excerptsAt(finding, whole, redaction),
      milliseconds: response.timings.duration,
    },
    /** The header with the id of the request, if it has one. */
    id: id && loggedHeaders({ [requestIdHeader]: String(id[1]) }, redaction),
    /** The role of the key of the request. Default: primary */
    key,
  };
}

/** Made here, where the body is whole. A body that is not JSON has no places. */
function excerptsAt({ code, path }: Finding, body: string, { redact }: TextRedaction): Excerpt[] | undefined {
  if (path === undefined || body.length > longestParsed) return undefined;
  try {
    const hidden = code === "repeated-name" ? hiddenIn(body) : undefined;
    return [excerptOf(JSON.parse(body), path, redact, hidden)];
  } catch {
    return undefined;
  }
}

function loggedHeaders(headers: SentHeaders, { excerpt }: TextRedaction): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), excerpt(value, longestValue)] as const)
      .filter(([name]) => name !== "set-cookie"),
  );
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
  return line.startsWith(mark) ? jsonIn(line.slice(mark.length)) : undefined;
}
