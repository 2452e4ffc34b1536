/** The header of W3C Trace Context, which prescribes the format of its value. */
export const traceparentHeader = "traceparent";

/** Response headers in which servers usually return their own id of a request. */
export const responseIdHeaders: readonly string[] = ["x-request-id", "traceresponse"];

const digits = 16;

/**
 * The value of the request header by which a request is found in the server's logs.
 *
 * @param run 16 hexadecimal digits, the same for all requests of a run, or of a virtual user.
 * @param number Of the request, from 1.
 */
export function requestId(header: string, run: string, number: number): string {
  if (header !== traceparentHeader && header.toLowerCase() !== traceparentHeader) return `${run}-${number}`;
  const padded = number.toString(16).padStart(digits, "0");
  return `00-${run}${padded}-${padded}-01`;
}
