import type { Call } from "./traffic.ts";

/** What is kept of an answer that broke a rule. It holds no key: keys go in headers only. */
export interface KeptAnswer {
  readonly name: string;
  readonly flaw: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly requestBody?: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly milliseconds: number;
}

/** An answer, as far as it is kept. */
interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly milliseconds: number;
}

const mark = "shelfcheck-evidence ";
const longestBody = 1000;

/** A failing answer as one line of the log, from which the runner reads it again. */
export function evidenceLine(call: Call, flaw: string, answer: Answer): string {
  const kept: KeptAnswer = {
    name: call.name,
    flaw,
    method: call.body === undefined ? "GET" : "POST",
    path: call.path,
    ...(call.body === undefined ? {} : { requestBody: call.body.slice(0, longestBody) }),
    ...answer,
    body: answer.body.slice(0, longestBody),
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
