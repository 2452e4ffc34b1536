import { cutKey, placeholdersOf } from "../../conformance/client/redaction.ts";
import { type Request, requestedEndpoint } from "../../conformance/client/requests.ts";
import type { KeyVariables, Target } from "../../conformance/client/target.ts";
import { type KeyHeader, keyHeaders } from "../../schemas/api.ts";
import { headersOf } from "../../schemas/connection.ts";
import type { Evidence } from "../../schemas/contracts/evidence.ts";
import { keyVariables } from "../../schemas/redaction.ts";
import { traceparentHeader } from "../../schemas/request-id.ts";

/** A recorded request that can be sent again, or the reason why not. */
export type RestoredRequest = Request | NotSent;

/** Why a recorded request is not sent again. */
export type NotSent =
  /** Its address is not below the base URL of its run. */
  | { readonly notSent: "other address"; readonly address: string }
  | { readonly notSent: "key not set"; readonly variable: string }
  /** It had a key without its last characters, and the key that is set now is too short for that. */
  | { readonly notSent: "key not cut"; readonly variable: string };

const roles = ["primary", "sameOrg", "otherOrg"] as const;

/**
 * Restores the request of evidence, with the keys of the target in place of their variables.
 * @param recordedBase Base URL of the run that recorded it. The target may have another one now.
 * @param variables Names of the key variables in that run.
 */
export function restoreRequest(
  { request: { method, url, headers, body } }: Evidence,
  recordedBase: string,
  { keys, connection }: Target,
  variables: KeyVariables = keyVariables,
): RestoredRequest {
  const path = url.slice(recordedBase.length);
  if (!url.startsWith(recordedBase) || !path.startsWith("/")) {
    return { notSent: "other address", address: recordedBase };
  }
  const placeholders = placeholdersOf(variables);
  const shown = [url, body ?? "", ...Object.values(headers)].flatMap((text) => placeholders.find(text));
  const named = roles.filter((role) => shown.some((one) => one.role === role));
  const missing = named.find((role) => keys[role] === undefined);
  if (missing !== undefined) return { notSent: "key not set", variable: variables[missing] };
  // However many characters were cut off then: only this part of the key is redacted.
  const cut = cutKey(keys.primary ?? "");
  if (cut === undefined && shown.some(({ isCut }) => isCut))
    return { notSent: "key not cut", variable: variables.primary };
  const restore = (text: string): string =>
    placeholders.replace(text, ({ role, isCut }) => (isCut ? cut : keys[role]) ?? "");
  // The client adds the headers of the gateway again, since their values are not in the file.
  const ofWay = new Set(
    [
      ...Object.keys(headersOf(connection)),
      traceparentHeader,
      connection?.requestIdHeader ?? traceparentHeader,
    ].map((name) => name.toLowerCase()),
  );
  const own = Object.entries(headers).filter(([name]) => !ofWay.has(name.toLowerCase()));
  return {
    endpoint: requestedEndpoint(method, path),
    method,
    path: restore(path),
    caller: named[0] ?? "nobody",
    keyHeader: headerWithKey(headers, (text) => placeholders.find(text).length > 0),
    headers: Object.fromEntries(own.map(([name, value]) => [name, restore(value)])),
    body: body === undefined ? undefined : restore(body),
  };
}

// The header in which the client sends the key. The recorded header replaces it.
function headerWithKey(
  headers: Readonly<Record<string, string>>,
  hasKey: (value: string) => boolean,
): KeyHeader | "either" {
  const names = Object.entries(headers)
    .filter(([, value]) => hasKey(value))
    .map(([name]) => name.toLowerCase());
  return Object.values(keyHeaders).find((header) => header.toLowerCase() === names[0]) ?? "either";
}
