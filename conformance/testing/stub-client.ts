import { type ClientOptions, type HttpClient, openClient } from "../client/http-client.ts";
import type { Target } from "../client/target.ts";

/** Keys that look like keys and hold what has to be encoded somewhere: in a URL, in JSON, in a shell. */
export const stubKeys = {
  primary: 'first/"1"+k%y',
  sameOrg: 'first/"1"+k%y-second',
  otherOrg: "other'$HOME 3",
} as const;

/** A target at an address, with three keys. */
export function stubTarget(baseUrl: string, change: Partial<Target> = {}): Target {
  return {
    name: "stub",
    baseUrl,
    keys: stubKeys,
    categories: [],
    dialect: {},
    timeoutMilliseconds: 5000,
    ...change,
  };
}

/** A client that a test closes with `await using`. */
export function stubClient(target: Target, options: Partial<Omit<ClientOptions, "target">> = {}): HttpClient {
  return openClient({ target, maxRequests: 100, ...options });
}
