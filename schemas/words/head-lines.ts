import { retryAfterHeader } from "../api.ts";
import type { Evidence } from "../contracts/evidence.ts";
import type { Finding } from "../contracts/finding.ts";
import type { FailureCode } from "./failures.ts";
import { oneOf } from "./finding-fields.ts";
import { clip } from "./format.ts";

/** A line of a response's head, as shown beside a finding. */
export interface HeadLine {
  readonly text: string;
  /** Whether the finding is about this line. */
  readonly isMarked: boolean;
  readonly expected?: string | undefined;
}

/** Codes of findings about the status. */
const statusCodes: ReadonlySet<string> = new Set([
  "wrong-status",
  "status-differs",
  "refused-after-wait",
  "limit-shared",
  "limit-per-key",
  "limit-per-header",
  "cursor-rejected",
  "listed-retailer-refused",
  "write-accepted",
  "false-not-found",
  "closed-on-input",
] as const satisfies readonly FailureCode[]);

/** Codes of findings about a header. */
const headerCodes: ReadonlySet<string> = new Set([
  "missing-header",
  "wrong-header",
] as const satisfies readonly FailureCode[]);

/** Codes whose `expected` has statuses: those that are right, or that of the other request, where it is not known which is. */
const statesStatus: Readonly<Record<string, string>> = {
  "wrong-status": "expected",
  "status-differs": "the same request, sent the other way, got",
  "closed-on-input": "expected",
} satisfies Partial<Record<FailureCode, string>>;

/** Whether a finding without a place is about the status of its response, about a header, or about neither. */
export function headFact({ code, path, actual }: Finding): "status" | "header" | undefined {
  if (path !== undefined) return undefined;
  // An empty page or batch also counts as not found.
  if (code === "false-not-found" && actual === 200) return undefined;
  return statusCodes.has(code) ? "status" : headerCodes.has(code) ? "header" : undefined;
}

/** The first line of a response; its status is 0 if none was received. */
export function statusLine(status: number): string {
  return status === 0 ? "No response" : `HTTP ${status}`;
}

const retryAfter = retryAfterHeader.toLowerCase();
const longestHeader = 300;

/** The status line and the headers that matter for a finding; what the finding is about is marked. */
export function headLines({ response }: Evidence, finding?: Finding): readonly HeadLine[] {
  const { code = "", subject = "", expected } = finding ?? {};
  const statuses = [expected].flat().filter((one) => typeof one === "number");
  const states = Object.hasOwn(statesStatus, code) ? statesStatus[code] : undefined;
  const header = subject.toLowerCase();
  const names = new Set(["content-type", "location", retryAfter, header]);
  const isMarked = (name: string): boolean =>
    name === header || (code === "refused-after-wait" && name === retryAfter);
  return [
    {
      text: statusLine(response.status),
      isMarked: finding !== undefined && headFact(finding) === "status",
      ...(states !== undefined && statuses.length > 0 ? { expected: `${states} ${oneOf(statuses)}` } : {}),
    },
    ...Object.entries(response.headers)
      .filter(([name]) => names.has(name.toLowerCase()))
      .map(([name, value]) => ({
        text: `${name}: ${clip(value, longestHeader)}`,
        isMarked: isMarked(name.toLowerCase()),
      })),
    ...(code === "missing-header" ? [{ text: `${subject}: (missing)`, isMarked: true }] : []),
  ];
}
