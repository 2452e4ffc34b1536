import type { Way } from "../../conformance/client/way.ts";

/**
 * The way to the target as a script and k6 take it: by environment variables, since arguments show in the list of
 * processes. What the way does not have is set empty, so that nothing of another target is inherited.
 */
export function wayVariables({ headers = [], host = "" }: Way = {}): NodeJS.ProcessEnv {
  const named = headers.map(({ name, value, variable }, place) => ({
    name,
    value,
    variable: variable ?? `SHELFCHECK_HEADER_${place + 1}`,
  }));
  return {
    SHELFCHECK_HOST: host,
    SHELFCHECK_HEADERS: named.map(({ name, variable }) => `${name}=${variable}`).join(","),
    ...Object.fromEntries(named.map(({ variable, value }) => [variable, value])),
  };
}
