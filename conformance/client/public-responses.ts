import { keyHeaders } from "../../schemas/api.ts";
import type { FindingOf } from "../../schemas/contracts/finding.ts";
import type { Exchange } from "./exchange.ts";

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

function isOpen({ response: { status, headers } }: Exchange): boolean {
  const control = headers["cache-control"] ?? "";
  const vary = (headers.vary ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim());
  const isKept = /\b(public|s-maxage)\b/i.test(control) && !/\b(private|no-store)\b/i.test(control);
  return status === 200 && isKept && !vary.includes("*") && !names.every((name) => vary.includes(name));
}
