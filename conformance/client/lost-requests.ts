import type { Finding, FindingOf } from "../../schemas/contracts/finding.ts";
import { isOutage } from "../../schemas/gateway.ts";
import { given } from "../../schemas/json.ts";
import { countsByStatus, type Exchange, requestName } from "./exchange.ts";
import { isLostOnTheWay, isMalformed, type Responders } from "./responder.ts";

/**
 * The finding on responses that something gave in the service's place while the service could not be reached; undefined when
 * there are none. The deliberate burst does not count.
 */
export function lostRequests(
  exchanges: readonly Exchange[],
  responders: Responders,
  total: number,
): FindingOf<"lost-on-the-way"> | undefined {
  const lost = exchanges.filter((one) => one.isOfBurst !== true && isLostOnTheWay(one));
  return lost.length === 0
    ? undefined
    : { code: "lost-on-the-way", ...senderOf(lost, responders), ...countsByStatus(lost, exchanges, total) };
}

/**
 * The finding on unusual requests, such as those that a firewall knows, that were refused without an error of the
 * service; undefined when there are none. What no HTTP library sends does not count, nor what is too long.
 */
export function refusedRequests(
  exchanges: readonly Exchange[],
  responders: Responders,
  total: number,
): FindingOf<"refused-on-the-way"> | undefined {
  const refused = exchanges.filter(
    (one) => !isLostOnTheWay(one) && responders.areSilentOn(one) && isNotable(one),
  );
  const [first] = refused;
  return first === undefined
    ? undefined
    : {
        code: "refused-on-the-way",
        ...given({ from: responders.of(first) }),
        ...countsByStatus(refused, exchanges, total),
      };
}

function senderOf([first]: readonly Exchange[], responders: Responders): { subject?: string } {
  const name = first && responders.of(first)?.name;
  return given({ subject: name });
}

/** Statuses by which any server refuses what is too long for it. */
const tooLong: readonly number[] = [413, 414, 431];

function isNotable(exchange: Exchange): boolean {
  return !isMalformed(exchange) && !tooLong.includes(exchange.response.status);
}

/** Above this share of requests, a run says nothing about the service behind the gateway. */
const tolerableShare = 0.2;

/** Whether too many requests did not reach the service to judge it. */
export function tooManyLost({ seen, details }: FindingOf<"lost-on-the-way">): boolean {
  const lost = Object.entries(details)
    .filter(([status]) => isOutage(Number(status)))
    .reduce((sum, [, count]) => sum + count, 0);
  return seen !== undefined && lost > tolerableShare * (seen.total ?? seen.count);
}

function isOwn(exchange: Exchange): boolean {
  return exchange.isOfBurst !== true && !isLostOnTheWay(exchange);
}

/** How many requests of a run failed with 500 to 599, of those outside of bursts; undefined when there are none. */
export function failedRequests(
  exchanges: readonly Exchange[],
  total: number,
): { count: number; total: number } | undefined {
  const outside = exchanges.filter(({ isOfBurst }) => isOfBurst !== true);
  const { length } = outside.filter(({ response }) => response.status >= 500);
  return length === 0 ? undefined : { count: length, total: total - (exchanges.length - outside.length) };
}

/**
 * The finding on requests that the service failed with 500 to 599, and responded to in another way when they were sent
 * again; undefined when there are none. A single failure violates no requirement (spec, Errors), but a user of the service
 * sees it.
 * @param total Number of requests of the run.
 */
export function passingFailures(exchanges: readonly Exchange[], total: number): Finding | undefined {
  const failures = exchanges.filter((exchange) => exchange.response.status >= 500 && isOwn(exchange));
  if (failures.length === 0) return undefined;
  const nameOf = (exchange: Exchange) => `${exchange.caller} ${requestName(exchange)}`;
  const isOther = ({ response: { status } }: Exchange) => status < 500 && status !== 429;
  const others = new Set(exchanges.filter((one) => isOther(one) && isOwn(one)).map(nameOf));
  const passing = failures.filter((exchange) => others.has(nameOf(exchange)));
  return passing.length === 0
    ? undefined
    : { code: "failed-at-times", ...countsByStatus(passing, exchanges, total) };
}
