import { errorResponse, instead } from "../change.ts";
import type { VariantTable } from "../fault.ts";

const errorShape = [
  "Errors",
  "Every error response has the Error body shape `{ error: { code, message } }`.",
] as const;

const refusing = (status: number) => () => errorResponse(status, "refused");

/** Near misses of incidents: what looks like one and is allowed. */
export const incidentVariants = {
  "long-urls-refused": {
    // As an intermediary does it, before anybody looks at the key.
    wire: instead(({ path, query }) => path.length + query.length > 2000, refusing(414)),
    allowedBy: errorShape,
  },
  "large-headers-refused": {
    wire: instead(({ path, query }) => path.length + query.length > 4000, refusing(431)),
    allowedBy: errorShape,
  },
  "large-bodies-refused": {
    wire: instead(({ body }) => body.length > 4900, refusing(413)),
    allowedBy: errorShape,
  },
  "odd-characters-refused": {
    wire: instead(
      ({ path, query, body }) => /%00|%0D|%C3%28|%ED%A0|\\u0000|\\ud8/i.test(`${path}?${query}${body}`),
      () => errorResponse(400),
    ),
    allowedBy: ["Errors", "400 | bad_request | Malformed request: missing or invalid parameter"],
  },
} satisfies VariantTable;
