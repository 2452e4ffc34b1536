import type { Redaction } from "../../schemas/redaction.ts";
import type { Call } from "./traffic.ts";

/** What is kept of an answer that broke a rule, without keys. */
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
const longestFlaw = 300;

/** A failing answer as one line of the log, from which the runner reads it again. */
export function evidenceLine(
  call: Call,
  flaw: string,
  answer: Answer,
  { redact, excerpt }: Redaction,
): string {
  const kept: KeptAnswer = {
    name: call.name,
    flaw: excerpt(flaw, longestFlaw),
    method: call.body === undefined ? "GET" : "POST",
    path: redact(call.path),
    ...(call.body === undefined ? {} : { requestBody: excerpt(call.body, longestBody) }),
    status: answer.status,
    contentType: excerpt(answer.contentType, longestFlaw),
    body: excerpt(answer.body, longestBody),
    milliseconds: answer.milliseconds,
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
