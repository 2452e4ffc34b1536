/** The header of W3C Trace Context, which prescribes the format of its value. */
export const traceparentHeader = "traceparent";

/** Added to a number, this makes 16 decimal digits, also hexadecimal ones. k6 is slower at filling up zeros. */
const sixteenDigits = 1e15;

/**
 * The header by which a request is found in the server's logs.
 * @param isSampled Whether a server records the whole trace of this request. Not under load, which would
 * measure the tracing too.
 * @param run 16 hexadecimal digits, the same for all requests of a run, or of a virtual user.
 * @param number Of the request, from 1.
 */
export function requestId(header: string, run: string, number: number, isSampled: boolean): string {
  if (header !== traceparentHeader && header.toLowerCase() !== traceparentHeader) return `${run}-${number}`;
  const span = `${sixteenDigits + number}`;
  return `00-${run}${span}-${span}-${isSampled ? "01" : "00"}`;
}
