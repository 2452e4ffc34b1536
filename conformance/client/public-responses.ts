import { keyHeaders } from "../../schemas/api.ts";
import type { FindingOf } from "../../schemas/contracts/finding.ts";
import { type Exchange, keyHeadersIn } from "./exchange.ts";

const names = Object.values(keyHeaders).map((name) => name.toLowerCase());

/**
 * The finding on responses to requests with a key that a cache shared by several organizations may keep for all of them (RFC
 * 9111, 3.5 and 4.1), with or without such a cache in front of this target; undefined when there are none.
 */
export function publicResponses(exchanges: readonly Exchange[]): FindingOf<"public-response"> | undefined {
  const withKey = exchanges.filter(({ caller }) => caller !== "nobody");
  const open = withKey.filter(isOpen);
  const [first] = open;
  if (first === undefined) return undefined;
  const actual = first.response.headers["cache-control"] ?? "";
  return {
    code: "public-response",
    actual,
    seen: { count: open.length, total: withKey.length, of: "responses" },
  };
}

function isOpen(exchange: Exchange): boolean {
  const { status, headers } = exchange.response;
  const control = headers["cache-control"] ?? "";
  const vary = (headers.vary ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim());
  // Caches do not know that X-Api-Key is a key: for them such a request is like one without.
  const isLikeAnonymous = keyHeadersIn(exchange).join() === keyHeaders.plain;
  const allowed = isLikeAnonymous ? /\b(public|s-maxage|max-age=[1-9])/i : /\b(public|s-maxage)\b/i;
  const isKept = allowed.test(control) && !/\b(private|no-store|no-cache)\b/i.test(control);
  return status === 200 && isKept && !vary.includes("*") && !names.every((name) => vary.includes(name));
}
