import { keyVariables } from "../../conformance/client/redaction.ts";
import { endpointAsked, type Request } from "../../conformance/client/requests.ts";
import type { Target } from "../../conformance/client/target.ts";
import { type KeyHeader, keyHeaders } from "../../schemas/api.ts";
import type { Evidence } from "../../schemas/types.ts";

/** A recorded request made ready to be sent again, or the reason why it cannot be. */
export type Again =
  | { readonly kind: "request"; readonly request: Request }
  | { readonly kind: "impossible"; readonly reason: string };

const roles = ["primary", "sameOrg", "otherOrg"] as const;

/**
 * The request of an evidence, with the keys of the target in place of the variables that stand for them.
 * @param recordedBase Base address at which it was recorded; the target may be at another by now.
 */
export function requestAgain(
  { request: { method, url, headers, body } }: Evidence,
  recordedBase: string,
  { keys }: Target,
): Again {
  const path = url.slice(recordedBase.length);
  if (!url.startsWith(recordedBase) || !path.startsWith("/")) {
    return { kind: "impossible", reason: `it went to another address than ${recordedBase}` };
  }
  const texts = [url, body ?? "", ...Object.values(headers)];
  const named = roles.filter((role) => texts.some((text) => text.includes(`$${keyVariables[role]}`)));
  const missing = named.find((role) => keys[role] === undefined);
  if (missing !== undefined) {
    return { kind: "impossible", reason: `${keyVariables[missing]} is not set` };
  }
  const restore = (text: string): string =>
    named.reduce((result, role) => result.replaceAll(`$${keyVariables[role]}`, keys[role] ?? ""), text);
  return {
    kind: "request",
    request: {
      endpoint: endpointAsked(method, path),
      method,
      path: restore(path),
      caller: named[0] ?? "nobody",
      keyHeader: headerWithKey(headers),
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, restore(value)])),
      ...(body === undefined ? {} : { body: restore(body) }),
    },
  };
}

// The header that the client puts the key in, so that the recorded one takes its place and none is added.
function headerWithKey(headers: Readonly<Record<string, string>>): KeyHeader | "either" {
  const names = Object.entries(headers)
    .filter(([, value]) => /\$SHELFCHECK_\w*API_KEY/.test(value))
    .map(([name]) => name.toLowerCase());
  return Object.values(keyHeaders).find((header) => header.toLowerCase() === names[0]) ?? "either";
}
