import type { Exchange } from "../client/exchange.ts";
import { need } from "../discovery/fixtures.ts";
import type { CheckContext } from "../engine/check.ts";
import { failed, NotJudged, passed } from "../engine/outcome.ts";
import { section } from "../engine/section.ts";
import { chanceToFareBetter, type Tally } from "./fares-better.ts";
import {
  burstRequests,
  isAccepted,
  isRefusal,
  type ProvokedLimit,
  provokeLimit,
  sharedKeyRequests,
} from "./provoked-limit.ts";

const beyondChance = 0.001;
/** One let in of so many, or fewer, is no allowance to speak of. */
const mostlyRefused = 4;

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
        return failed(
          `in a burst, a request that succeeds otherwise was answered with ${status} instead of 429`,
          otherwise,
        );
      }
      const { sent } = await met(context);
      return passed(`refused within ${sent} requests`);
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
        throw new NotJudged(
          told === undefined ? "the 429 says no seconds to wait" : `the target asks to wait ${told} s`,
          told === undefined ? "See errors.retry-after." : "Judge it where the limit's window is shorter.",
        );
      }
      return isRefusal(afterWait)
        ? failed(`still refused after the ${told} s that it asked to wait`, afterWait, refusal)
        : passed(`let in after ${told} s`);
    },
  },
  {
    id: "limits.per-organization/other-untouched",
    requirement: "limits.per-organization",
    title: "While one organization is refused, another one is not",
    requests: 4,
    async run(context) {
      need(context.fixtures.otherOrgKey);
      const { refusal, primary, otherOrg } = await met(context);
      const [first] = otherOrg.filter(isRefusal);
      const [own, other] = [tallyOf(primary), tallyOf(otherOrg)];
      const accepted = `let in ${other.accepted} of ${other.asked} times`;
      // Refused now and then may be a small allowance of its own. What has none fares like the one that is pressed.
      const never = otherOrg.every(isRefusal);
      const noBetter = other.accepted / other.asked <= (1.5 * own.accepted) / own.asked;
      const alike = own.accepted >= 3 && other.accepted * 2 <= other.asked && noBetter;
      const pressed = `the one that is over its limit ${own.accepted} of ${own.asked}`;
      if (first !== undefined && (never || alike)) {
        return failed(`the other organization was ${accepted}, and ${pressed}`, first, refusal);
      }
      // Neither the pattern of an allowance of its own nor that of a shared limit; or the limit let in more than it refused.
      const refusedMostly = other.accepted * mostlyRefused <= other.asked && own.accepted > 0;
      const hardlyPressed = own.accepted * 2 > own.asked && noBetter;
      if (first !== undefined && (refusedMostly || hardlyPressed)) {
        throw new NotJudged(
          `the other organization was ${accepted}, and ${pressed}: too few to tell whether they share the limit`,
          "Run again when the machine is less busy, or judge it where the rate limit is lower.",
        );
      }
      return passed(`the other organization was ${accepted}`);
    },
  },
  {
    id: "limits.per-organization/keys-share",
    requirement: "limits.per-organization",
    title: "While one key is refused, a second key of its organization is too",
    requests: sharedKeyRequests,
    async run(context) {
      need(context.fixtures.sameOrgKey);
      const { primary, sameOrg, acceptedInBursts } = await met(context);
      const [own, same] = [tallyOf(primary), tallyOf(sameOrg)];
      const [accepted] = sameOrg.filter(isAccepted);
      // A key with a small allowance of its own is let in while the other never is; on one limit, whatever
      // trickles in would have shown when the first was pressed.
      const ofItsOwn = own.accepted === 0 && same.accepted >= 5 && acceptedInBursts <= same.accepted;
      if (accepted !== undefined && (ofItsOwn || chanceToFareBetter(own, same) < beyondChance)) {
        const why = `of ${same.asked} requests each at the same time, one key was let in ${own.accepted} times and the second key of the organization ${same.accepted} times`;
        return failed(why, accepted, ...primary.filter(isRefusal).slice(0, 1));
      }
      if (sameOrg.some(isRefusal))
        return passed(`let in ${own.accepted} and ${same.accepted} times of ${same.asked}`);
      throw new NotJudged(
        "the limit let both keys in again before it could be told whether they share it",
        "Judge it where the rate limit is lower.",
      );
    },
  },
]);

function tallyOf(answers: readonly Exchange[]): Tally {
  return { accepted: answers.filter(isAccepted).length, asked: answers.length };
}

type MetLimit = ProvokedLimit & { readonly refusal: Exchange };

async function met(context: CheckContext): Promise<MetLimit> {
  const { refusal, ...provoked } = await context.once("limit", () => provokeLimit(context));
  if (refusal === undefined) {
    throw new NotJudged(
      `${provoked.sent} requests in a burst, ${provoked.perSecond} a second, met no limit`,
      "Judge it where the rate limit is lower, or waive it: a limit that is out of reach cannot be seen.",
    );
  }
  return { refusal, ...provoked };
}
