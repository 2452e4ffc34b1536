import { STATUS_CODES } from "node:http";
import type { Evidence } from "../../../../schemas/contracts/evidence.ts";
import { given } from "../../../../schemas/json.ts";
import { verdictLabels } from "../../../../schemas/verdicts.ts";
import { phasesOf } from "../../text.ts";
import type { Report } from "./run-report.ts";

/** The check or load run that some evidence belongs to. */
interface Source {
  readonly id: string;
  readonly title: string;
  readonly comment: string;
  readonly evidence: readonly Evidence[];
  readonly startedAt: string | undefined;
}

/**
 * The exchanges of a run as HAR 1.2, for browsers and API tools: a page for each check or load run, an entry for each
 * exchange. Keys are redacted as in results.json. An exchange under load has no time of its own; the start of its load run,
 * or of the run, is used.
 */
export function renderHar(report: Report): string {
  const { results, why } = report;
  const { startedAt: startedDateTime, tool } = results;
  const sources = sourcesOf(report).filter(({ evidence }) => evidence.length > 0);
  const log = {
    version: "1.2",
    creator: { name: tool.name, version: tool.version },
    pages: sources.map(({ id, title, comment, startedAt = startedDateTime }) => ({
      startedDateTime: startedAt,
      id,
      title: `${id}: ${title}`,
      pageTimings: {},
      comment,
    })),
    entries: sources.flatMap(({ id, evidence, startedAt = startedDateTime }) =>
      evidence.map((exchange) => ({
        pageref: id,
        startedDateTime: exchange.startedAt ?? startedAt,
        ...entryOf(exchange),
      })),
    ),
    comment: `${report.label}: ${why}`,
  };
  return `${JSON.stringify({ log }, null, 2)}\n`;
}

function sourcesOf({ sections, load }: Report): Source[] {
  const checks = sections.flatMap(({ requirements }) => requirements.flatMap((one) => one.checks));
  return [
    ...checks.map(({ id, title, verdict, text, evidence, startedAt }) => ({
      id,
      startedAt,
      title,
      comment: `${verdictLabels[verdict]}. ${text}`.trim(),
      evidence,
    })),
    ...load.map(({ id, name, label, invalid, result }) => ({
      id,
      startedAt: result.startedAt,
      title: name,
      comment: [label, ...invalid.map(({ text }) => text)].join(". "),
      evidence: invalid.map(({ exchange }) => exchange),
    })),
  ];
}

function entryOf({ request, response }: Evidence) {
  const { method, url, headers, body } = request;
  return {
    time: response.milliseconds,
    request: {
      method,
      url,
      httpVersion: "HTTP/1.1",
      cookies: [],
      headers: pairsOf(headers),
      queryString: queryOf(url),
      ...(body === undefined
        ? {}
        : { postData: { mimeType: headerOf(headers, "content-type"), text: body } }),
      headersSize: -1,
      bodySize: body === undefined ? 0 : Buffer.byteLength(body),
    },
    response: {
      status: response.status,
      statusText: STATUS_CODES[response.status] ?? "",
      httpVersion: "HTTP/1.1",
      cookies: [],
      headers: pairsOf(response.headers),
      content: {
        size: Buffer.byteLength(response.body),
        mimeType: headerOf(response.headers, "content-type"),
        text: response.body,
      },
      redirectURL: headerOf(response.headers, "location"),
      headersSize: -1,
      bodySize: -1,
    },
    cache: {},
    timings: timingsOf(response),
  };
}

/** Sending is part of the wait: it is not measured apart. In HAR, TLS is a part of connecting. */
function timingsOf(response: Evidence["response"]) {
  const { connecting, securing, wait, receive } = phasesOf(response);
  const connect = connecting === undefined ? undefined : connecting + (securing ?? 0);
  return { ...given({ connect, ssl: securing }), send: 0, wait, receive };
}

function pairsOf(headers: Readonly<Record<string, string>>): { name: string; value: string }[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}

function headerOf(headers: Readonly<Record<string, string>>, name: string): string {
  return pairsOf(headers).find((header) => header.name.toLowerCase() === name)?.value ?? "";
}

function queryOf(url: string): { name: string; value: string }[] {
  return [...(URL.parse(url)?.searchParams ?? [])].map(([name, value]) => ({ name, value }));
}
