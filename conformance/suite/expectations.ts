import type { Exchange } from "../client/exchange.ts";
import { failed, type Outcome, passed } from "../engine/outcome.ts";
import { isObject } from "../response/products-in.ts";

/** Held when the answer has the status (or one of those, where the spec leaves the choice); shown beside its control. */
export function hasStatus(
  exchange: Exchange,
  expected: number | readonly number[],
  why: string,
  control?: Exchange,
): Outcome {
  const allowed = typeof expected === "number" ? [expected] : expected;
  const { status } = exchange.response;
  if (allowed.includes(status)) return passed(`answered ${status}`);
  const evidence = control === undefined ? [exchange] : [exchange, control];
  return failed(`${why}: expected ${allowed.join(" or ")}, got ${status}${codeOf(exchange)}`, ...evidence);
}

function codeOf({ response }: Exchange): string {
  const error = isObject(response.json) ? response.json.error : undefined;
  const code = isObject(error) ? error.code : undefined;
  return typeof code === "string" ? ` (${code})` : "";
}
