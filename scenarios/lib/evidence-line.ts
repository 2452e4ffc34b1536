import type { Call } from "./traffic.ts";

/** What is kept of an answer that broke a rule. It holds no key: keys go in headers only. */
export interface KeptAnswer {
  readonly name: string;
  readonly flaw: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly requestBody?: string;
  readonly status: number;
  readonly body: string;
}

const mark = "shelfcheck-evidence ";
const longestBody = 1000;

/** A failing answer as one line of the log, from which the runner reads it again. */
export function evidenceLine(call: Call, flaw: string, status: number, body: string): string {
  const kept: KeptAnswer = {
    name: call.name,
    flaw,
    method: call.body === undefined ? "GET" : "POST",
    path: call.path,
    ...(call.body === undefined ? {} : { requestBody: call.body.slice(0, longestBody) }),
    status,
    body: body.slice(0, longestBody),
  };
  return mark + JSON.stringify(kept);
}

/** Reads such a line; undefined for any other. */
export function readEvidenceLine(line: string): KeptAnswer | undefined {
  const at = line.indexOf(mark);
  if (at < 0) return undefined;
  try {
    return JSON.parse(line.slice(at + mark.length)) as KeptAnswer;
  } catch {
    return undefined;
  }
}
