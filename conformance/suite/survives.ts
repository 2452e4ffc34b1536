import type { Finding } from "../../schemas/types.ts";
import type { Exchange } from "../client/exchange.ts";
import { TransportError } from "../client/transport-error.ts";
import type { CheckContext } from "../engine/check.ts";
import { failed, type Outcome, passed, statusOf } from "../engine/outcome.ts";
import type { HostileInput } from "./hostile-input.ts";
import { succeeding } from "./what-to-ask.ts";

/** What the spec has, or HTTP, for input that cannot be used; what is answered in due form is as right. */
const refusals = [400, 404, 413, 414, 415, 431] as const;
/** Inputs that a finding names; each may cost a whole time-out, so the rest is not tried. */
const mostShown = 3;

/** Asks for each, and holds against the target what it fails on. @throws NotJudged when it fails on anything now. */
export async function survives(context: CheckContext, inputs: readonly HostileInput[]): Promise<Outcome> {
  const findings: Finding[] = [];
  const evidence: Exchange[] = [];
  for (const input of inputs) {
    const finding = await chokesOn(context, input);
    if (finding === undefined) continue;
    if (finding.exchange !== undefined) evidence.push(finding.exchange);
    findings.push({
      ...finding.finding,
      ...(finding.exchange === undefined ? {} : { exchange: evidence.length - 1 }),
    });
    if (findings.length === mostShown) break;
  }
  if (findings.length > 0) return failed(findings, ...evidence);
  return passed({ code: "checked", seen: { count: inputs.length, of: "requests" } });
}

/** A failure of the target, and the exchange that shows it. */
interface Choked {
  readonly finding: Finding;
  readonly exchange?: Exchange;
}

/** Ways to fail on an input. That a response is too big to be read, for example, does not depend on the input. */
const failures: ReadonlySet<TransportError["failure"]> = new Set(["reset", "silent", "not HTTP"]);

function copes(answer: Exchange | TransportError): boolean {
  return answer instanceof TransportError ? !failures.has(answer.failure) : answer.response.status < 500;
}

/** What came of an input that the target fails on; undefined where it copes. */
export async function chokesOn(
  context: CheckContext,
  { endpoint, parameter, kind, request }: HostileInput,
): Promise<Choked | undefined> {
  const answer = await context.tryOut(request);
  if (copes(answer)) return undefined;
  // Any request may be lost on the way, or meet a moment's failure.
  if (copes(await context.tryOut(request))) return undefined;
  // Only where the endpoint is fine otherwise it is the input that it fails on.
  const fine = succeeding[endpoint](context);
  await context.control(fine);
  const again = await context.ask(fine);
  const circumstances = { endpoint, condition: "hostile-input", subject: parameter } as const;
  if (answer instanceof TransportError) {
    const { failure, url } = answer;
    const details = { kind, failure, method: request.method, url };
    return {
      finding: { code: "closed-on-input", ...circumstances, expected: [...refusals], details },
      exchange: again,
    };
  }
  const { actual, details } = statusOf(answer);
  return {
    finding: {
      code: "wrong-status",
      ...circumstances,
      expected: [...refusals],
      actual,
      details: { ...details, kind },
    },
    exchange: answer,
  };
}
