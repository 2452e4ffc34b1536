import { type ClientOptions, type HttpClient, openClient } from "../../conformance/client/http-client.ts";
import type { Target } from "../../conformance/client/target.ts";
import { keyVariables } from "../../schemas/redaction.ts";

/** Keys with characters that need escaping in URLs, JSON and shells. */
export const stubKeys = {
  primary: 'first/"1"+k%y',
  sameOrg: 'first/"1"+k%y-second',
  otherOrg: "other'$HOME 3",
} as const;

/** A target with three keys at a base URL. */
export function stubTarget(baseUrl: string, change: Partial<Target> = {}): Target {
  return {
    name: "stub",
    baseUrl,
    keys: stubKeys,
    keyVariables,
    categories: [],
    fieldNames: {},
    timeoutMilliseconds: 5000,
    ...change,
  };
}

/** A client to close with `await using`. */
export function stubClient(target: Target, options: Partial<Omit<ClientOptions, "target">> = {}): HttpClient {
  return openClient({ target, maxRequests: 100, ...options });
}
