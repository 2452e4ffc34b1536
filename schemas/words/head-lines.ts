import { retryAfterHeader } from "../api.ts";
import type { Evidence } from "../contracts/evidence.ts";
import type { Finding } from "../contracts/finding.ts";
import { oneOf } from "./finding-words.ts";
import { clip } from "./format.ts";
import { shownBy, wordsOf } from "./index.ts";

/** A line of a response's head, as shown beside a finding. */
export interface HeadLine {
  readonly text: string;
  /** Whether the finding is about this line. */
  readonly isMarked: boolean;
  readonly expected?: string | undefined;
}

/** The first line of a response; its status is 0 if none was received. */
export function statusLine(status: number): string {
  return status === 0 ? "No response" : `HTTP ${status}`;
}

const retryAfter = retryAfterHeader.toLowerCase();
const longestHeader = 300;

/** The status line and the headers that matter for a finding; what the finding is about is marked. */
export function headLines({ response }: Evidence, finding?: Finding): readonly HeadLine[] {
  const { subject = "", expected } = finding ?? {};
  const { expectedStatus } = finding === undefined ? {} : wordsOf(finding);
  const shown = finding && shownBy(finding);
  const statuses = [expected].flat().filter((one) => typeof one === "number");
  const marked = subject.toLowerCase();
  const names = new Set(["content-type", "location", retryAfter, marked]);
  return [
    {
      text: statusLine(response.status),
      isMarked: shown === "status",
      ...(expectedStatus !== undefined && statuses.length > 0
        ? { expected: `${expectedStatus} ${oneOf(statuses)}` }
        : {}),
    },
    ...Object.entries(response.headers)
      .filter(([name]) => names.has(name.toLowerCase()))
      .map(([name, value]) => ({
        text: `${name}: ${clip(value, longestHeader)}`,
        isMarked: name.toLowerCase() === marked,
      })),
    ...(shown === "missing header" ? [{ text: `${subject}: (missing)`, isMarked: true }] : []),
  ];
}
