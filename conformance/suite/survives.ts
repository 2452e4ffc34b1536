import type { Finding, FindingOf } from "../../schemas/contracts/finding.ts";
import type { Exchange } from "../client/exchange.ts";
import { TransportError } from "../client/transport-error.ts";
import { failed, type Outcome, passed, statusOf } from "../requirements/outcome.ts";
import type { CheckContext } from "./check/check.ts";
import { succeeding } from "./check/inputs.ts";
import type { HostileInput } from "./hostile-input.ts";

/** Statuses with which a service may refuse unusable input, by the spec or by HTTP. A success is correct as well. */
const refusals = [400, 404, 413, 414, 415, 431] as const;
/** Most failures to find: each may take a whole time-out, so the rest is not tried. */
const mostShown = 3;
/** Transport errors that an input may cause. A response that is too big to read, for example, is not among them. */
const failures: ReadonlySet<TransportError["failure"]> = new Set(["reset", "silent", "not HTTP"]);

/**
 * Sends each input. Fails for those that make the target fail while it handles other requests.
 * @throws NotJudged when the target fails on a well-formed request as well
 */
export async function survives(context: CheckContext, inputs: readonly HostileInput[]): Promise<Outcome> {
  const findings: Finding[] = [];
  const evidence: Exchange[] = [];
  for (const input of inputs) {
    const failure = await failureOn(context, input);
    if (failure === undefined) continue;
    findings.push({ ...failure.finding, exchange: evidence.push(failure.exchange) - 1 });
    if (findings.length === mostShown) break;
  }
  if (findings.length > 0) return failed(findings, ...evidence);
  return passed({ code: "checked", seen: { count: inputs.length, of: "requests" } });
}

/** A failure of the target on one input, and the exchange that shows it. */
export interface InputFailure {
  readonly finding: FindingOf<"closed-on-input" | "wrong-status">;
  /** The exchange that shows it. Its status is 0 without a response. */
  readonly exchange: Exchange;
}

/**
 * How the target fails on an input; undefined when it handles it.
 * @throws NotJudged when the target fails on a well-formed request as well
 */
export async function failureOn(
  context: CheckContext,
  { endpoint, parameter, kind, request }: HostileInput,
): Promise<InputFailure | undefined> {
  const result = await context.tryOut(request);
  const isBroken = result instanceof TransportError;
  if (isBroken ? !failures.has(result.failure) : result.response.status < 500) return undefined;
  // The input is to blame only if the endpoint works otherwise, before and after.
  const fine = succeeding[endpoint](context);
  await context.control(fine);
  const after = await context.ask(fine);
  const circumstances = { endpoint, condition: "hostile-input", subject: parameter } as const;
  const expected = [...refusals];
  if (isBroken) {
    const { failure, request: sent } = result;
    const details = { kind, failure, method: sent.method, url: sent.url };
    return {
      finding: { code: "closed-on-input", ...circumstances, expected, details },
      exchange: lost(after, sent),
    };
  }
  const { actual, details } = statusOf(result);
  return {
    finding: { code: "wrong-status", ...circumstances, expected, actual, details: { ...details, kind } },
    exchange: result,
  };
}

/** A request without a response, as an exchange. */
function lost({ number, endpoint, caller }: Exchange, request: Exchange["request"]): Exchange {
  const response = { status: 0, headers: {}, text: "", utf8: true, milliseconds: 0 };
  return { number, endpoint, caller, request, response };
}
