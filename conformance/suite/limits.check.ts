import type { CheckContext } from "../check.ts";
import type { Exchange } from "../exchange.ts";
import { need } from "../fixtures.ts";
import { broken, held, Unjudged } from "../outcome.ts";
import {
  burstRequests,
  isRefusal,
  type ProvokedLimit,
  provokeLimit,
  sharedKeyRequests,
} from "./provoked-limit.ts";
import { section } from "./section.ts";

/** Spec, Limits. These checks go over the limit on purpose, so they come last. The batch size is in batch-lookup.check.ts. */
export default section("limits", [
  {
    id: "limits.rate/burst",
    requirement: "limits.rate",
    title: "Exceeding the rate limit gives 429",
    requests: burstRequests,
    async run(context) {
      const { otherwise, refusal } = await context.once("limit", () => provokeLimit(context));
      // Beside proper refusals, another error in a burst is trouble and no limit.
      if (otherwise !== undefined && refusal === undefined) {
        const { status } = otherwise.response;
        return broken(
          `in a burst, a request that succeeds otherwise was answered with ${status} instead of 429`,
          otherwise,
        );
      }
      const { sent } = await met(context);
      return held(`refused within ${sent} requests`);
    },
  },
  {
    id: "limits.honest-wait/let-in-again",
    requirement: "limits.honest-wait",
    title: "After the wait that Retry-After asks for, a request is let in",
    requests: 1,
    async run(context) {
      const { refusal, told, afterWait } = await met(context);
      if (afterWait === undefined) {
        throw new Unjudged(
          told === undefined ? "the 429 says no seconds to wait" : `the target asks to wait ${told} s`,
          told === undefined ? "See errors.retry-after." : "Judge it where the limit's window is shorter.",
        );
      }
      return isRefusal(afterWait)
        ? broken(`still refused after the ${told} s that it asked to wait`, afterWait, refusal)
        : held(`let in after ${told} s`);
    },
  },
  {
    id: "limits.per-organization/other-untouched",
    requirement: "limits.per-organization",
    title: "While one organization is refused, another one is not",
    requests: 4,
    async run(context) {
      need(context.fixtures.otherOrgKey);
      const { refusal, otherOrg } = await met(context);
      const refused = otherOrg.filter(isRefusal);
      // Sometimes may be its own small allowance; every time, right after the first was refused, is the first one's.
      const [first] = refused;
      return first !== undefined && refused.length === otherOrg.length
        ? broken(
            `the other organization was refused ${refused.length} of ${otherOrg.length} times too`,
            first,
            refusal,
          )
        : held(
            `the other organization was let in ${otherOrg.length - refused.length} of ${otherOrg.length} times`,
          );
    },
  },
  {
    id: "limits.per-organization/keys-share",
    requirement: "limits.per-organization",
    title: "While one key is refused, a second key of its organization is too",
    requests: sharedKeyRequests,
    async run(context) {
      need(context.fixtures.sameOrgKey);
      const { primary, sameOrg } = await met(context);
      const [own, same] = [primary, sameOrg].map(
        (answers) => answers.filter(({ response }) => response.status === 200).length,
      ) as [number, number];
      const [letIn] = sameOrg.filter(({ response }) => response.status === 200);
      // On one limit both keys fare alike; a key with a limit of its own is let in while the other is refused.
      if (letIn !== undefined && same >= 5 && same >= 5 * own) {
        const why = `of ${sameOrg.length} requests each at the same time, one key was let in ${own} times and the second key of the organization ${same} times`;
        return broken(why, letIn, ...primary.filter(isRefusal).slice(0, 1));
      }
      if (sameOrg.some(isRefusal)) return held(`let in ${own} and ${same} times of ${sameOrg.length}`);
      throw new Unjudged(
        "the limit let both keys in again before it could be told whether they share it",
        "Judge it where the rate limit is lower.",
      );
    },
  },
]);

type MetLimit = ProvokedLimit & { readonly refusal: Exchange };

async function met(context: CheckContext): Promise<MetLimit> {
  const { refusal, ...provoked } = await context.once("limit", () => provokeLimit(context));
  if (refusal === undefined) {
    throw new Unjudged(
      `${provoked.sent} requests in a burst, ${provoked.perSecond} a second, met no limit`,
      "Judge it where the rate limit is lower, or waive it: a limit that is out of reach cannot be seen.",
    );
  }
  return { refusal, ...provoked };
}
