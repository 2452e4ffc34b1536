import type { IncomingHttpHeaders } from "node:http";
import type { Caller, KeyHeader } from "../call.ts";
import { unauthorized } from "../refusal.ts";
import type { Permissions } from "./permissions.ts";

const nothing: ReadonlySet<number> = new Set();

/**
 * Finds who asks (spec, Authentication): either header will do. When both carry a key they must carry the
 * same one, for otherwise the request says two things; an Authorization of another scheme carries no key.
 * @throws Refusal 401 for no key, an unknown, revoked or not yet activated one.
 */
export function authenticate(headers: IncomingHttpHeaders, permissions: Permissions): Caller {
  const { key, keyHeader } = readKey(headers);
  const organization = permissions.organizationOf(key);
  if (organization === undefined) throw unauthorized();
  return {
    organization,
    entitled: permissions.entitlements.get(organization) ?? nothing,
    permissions,
    keyHeader,
  };
}

function readKey(headers: IncomingHttpHeaders): { key: string; keyHeader: KeyHeader } {
  const bearer = bearerToken(headers.authorization);
  const plain = headers["x-api-key"];
  if (bearer === undefined && typeof plain === "string") return { key: plain, keyHeader: "x-api-key" };
  if (bearer === undefined || (plain !== undefined && plain !== bearer)) throw unauthorized();
  return { key: bearer, keyHeader: "authorization" };
}

/** The token of a Bearer authorization; the scheme's case does not matter (RFC 9110, 11.1). */
function bearerToken(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : /^bearer +(\S+) *$/i.exec(authorization)?.[1];
}
