/** The header of W3C Trace Context, which prescribes the format of its value. */
export const traceparentHeader = "traceparent";

/** Added to a number, this makes 16 decimal digits, which are also hexadecimal ones. k6 takes longer to fill up with zeros. */
const sixteenDigits = 1e15;

/**
 * The value of the request header by which a request is found in the server's logs.
 *
 * @param isSampled Whether a server that follows the header records the whole trace of this request. Under load it must not:
 *   the tracing of every request would be measured, too.
 * @param run 16 hexadecimal digits, the same for all requests of a run, or of a virtual user.
 * @param number Of the request, from 1.
 */
export function requestId(header: string, run: string, number: number, isSampled: boolean): string {
  if (header !== traceparentHeader && header.toLowerCase() !== traceparentHeader) return `${run}-${number}`;
  const span = `${sixteenDigits + number}`;
  return `00-${run}${span}-${span}-${isSampled ? "01" : "00"}`;
}
