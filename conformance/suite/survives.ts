import { TransportError } from "../client/transport-error.ts";
import { failed, type Outcome, passed, statusOf, together } from "../requirements/outcome.ts";
import type { CheckContext } from "./check/check.ts";
import { succeeding } from "./check/inputs.ts";
import type { HostileInput } from "./hostile-input.ts";

/** Statuses with which a service may refuse unusable input, by the spec or by HTTP. A success is correct as well. */
const expected = [400, 404, 413, 414, 415, 431];
/** Most failures to find: each may take a whole time-out, so the rest is not tried. */
const mostShown = 3;
/** Transport errors that an input may cause. A response that is too big to read, for example, is not among them. */
const failures: ReadonlySet<TransportError["failure"]> = new Set(["reset", "silent", "not HTTP"]);

/**
 * Sends each input. Fails for those that make the target fail while it handles other requests.
 * @throws NotJudged when the target fails on a well-formed request as well
 */
export async function survives(context: CheckContext, inputs: readonly HostileInput[]): Promise<Outcome> {
  const found: Outcome[] = [];
  for (const input of inputs) if (found.length < mostShown) found.push(...(await failureOn(context, input)));
  return found.length > 0
    ? together(found)
    : passed({ code: "checked", seen: { count: inputs.length, of: "requests" } });
}

/**
 * How the target fails on an input; nothing when it handles it.
 * @throws NotJudged when the target fails on a well-formed request as well
 */
export async function failureOn(
  context: CheckContext,
  { endpoint, parameter, kind, request }: HostileInput,
): Promise<Outcome[]> {
  const result = await context.tryOut(request);
  const isBroken = result instanceof TransportError;
  if (isBroken ? !failures.has(result.failure) : result.response.status < 500) return [];
  // The input is to blame only if the endpoint works otherwise.
  const control = await context.control(succeeding[endpoint](context));
  const about = { endpoint, condition: "hostile-input", subject: parameter, expected } as const;
  if (!isBroken) {
    const { actual, details } = statusOf(result);
    return [failed({ code: "wrong-status", ...about, actual, details: { ...details, kind } }, result)];
  }
  const { failure, request: sent } = result;
  const details = { kind, failure, method: sent.method, url: sent.url };
  // A request without a response, as an exchange.
  const response = { status: 0, headers: {}, text: "", utf8: true, milliseconds: 0 };
  return [failed({ code: "closed-on-input", ...about, details }, { ...control, request: sent, response })];
}
