import { endpoints } from "../../schemas/api.ts";
import type { Finding } from "../../schemas/types.ts";
import type { Exchange } from "../client/exchange.ts";
import { TransportError } from "../client/transport-error.ts";
import { type Check, type CheckContext, section } from "../engine/check.ts";
import { failed, type Outcome, passed, statusOf } from "../engine/outcome.ts";
import {
  type HostileInput,
  type HostilePlace,
  hostileBodies,
  hostileInputs,
  hostileItems,
  hostilePlaces,
  hostileQueries,
} from "./hostile-input.ts";
import { succeeding } from "./what-to-ask.ts";

const requirement = "errors.hostile-input";
/** What the spec has, or HTTP, for input that cannot be used; what is answered in due form is as right. */
const refusals = [400, 404, 413, 414, 415, 431] as const;
/** Inputs that a finding names; each may cost a whole time-out, so the rest is not tried. */
const mostShown = 3;

/** Spec, Errors: what is malformed is told as 400; 500 is a failure on the service side. */
export default section("errors", [
  ...Object.entries(hostilePlaces).map(([name, place]: [string, HostilePlace]): Check => {
    const { endpoint, parameter } = place;
    return {
      id: `${requirement}/${name}`,
      requirement,
      title: `${endpoints[endpoint].label}: an odd ${parameter} neither returns 500 nor closes the connection`,
      requests: place.kinds.length,
      run: (context) => survives(context, hostileInputs(place, context)),
    };
  }),
  {
    id: `${requirement}/queries`,
    requirement,
    title: "Parameters that are repeated or malformed neither return 500 nor close the connection",
    requests: 6,
    run: (context) => survives(context, hostileQueries(context)),
  },
  {
    id: `${requirement}/batch-items`,
    requirement,
    title: "Odd ids in a batch neither return 500 nor close the connection",
    requests: 13,
    async run(context) {
      const { all, each } = hostileItems(context);
      const answer = await context.tryOut(all.request);
      // What is refused whole says nothing of the items after the first that was refused.
      if (!(answer instanceof TransportError) && answer.response.status === 200)
        return await survives(context, each.slice(-1));
      const alone = await survives(context, each);
      return alone.kind === "pass" ? await survives(context, [all]) : alone;
    },
  },
  {
    id: `${requirement}/batch-bodies`,
    requirement,
    title: "Malformed batches neither return 500 nor close the connection",
    requests: 20,
    run: (context) => survives(context, hostileBodies(context)),
  },
]);

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

interface Choked {
  readonly finding: Finding;
  readonly exchange?: Exchange;
}

/** What came of an input that the target fails on; undefined where it copes. */
async function chokesOn(
  context: CheckContext,
  { endpoint, parameter, kind, request }: HostileInput,
): Promise<Choked | undefined> {
  const answer = await context.tryOut(request);
  if (!(answer instanceof TransportError) && answer.response.status < 500) return undefined;
  // Any request may be lost on the way, or meet a moment's failure.
  const second = await context.tryOut(request);
  if (!(second instanceof TransportError) && second.response.status < 500) return undefined;
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
