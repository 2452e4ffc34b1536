import { drift } from "./drift.ts";
import { evidence } from "./evidence.ts";
import * as t from "./schema.ts";

export const twinDifference = t.named(
  "TwinDifference",
  t.object(
    {
      request: t.string("Kind of request: an endpoint, `category-walk`, or `unusual`."),
      change: t.choice(
        ["status", "value", "type", "missing", "added", "varies"],
        "`missing` and `added`: only one deployment has the place. `varies`: it changes from response to response at the new deployment only.",
      ),
      path: t.string("Place in the body, with `*` for any item of a list; empty for the whole response."),
      old: t.optional(
        t.unknown("The value of the old deployment in the example. Omitted where there was none."),
      ),
      new: t.optional(t.unknown()),
      count: t.count("Different requests that showed it."),
      total: t.count("Different requests of this kind."),
      evidence: t.array(
        evidence,
        "The example: the exchange with the old deployment, then that with the new one.",
      ),
    },
    "A difference that stayed when the request was sent to both again, in turn.",
  ),
);
export type TwinDifference = t.Static<typeof twinDifference>;

export const twinLatency = t.named(
  "TwinLatency",
  t.object(
    {
      request: t.string("Kind of request, named as in schemas/api.ts."),
      outcome: t.choice(["same", "slower", "faster", "inconclusive"]),
      pairs: t.count("Pairs of the same request to both deployments that were tested."),
      old: t.optional(t.amount("Median, in milliseconds; omitted without any pair.")),
      new: t.optional(t.amount("Median, in milliseconds.")),
      change: t.optional(
        t.number("Centre of the paired differences, as a share of the old latency: 0.2 is 20 % slower."),
      ),
      low: t.optional(
        t.number("Lower end of the interval of the change; omitted when there were too few pairs."),
      ),
      high: t.optional(t.number("Upper end.")),
      smallest: t.amount("The smallest difference that counts, as a share of the old latency."),
      control: t.optional(
        t.object(
          { pairs: t.count(), change: t.number(), low: t.optional(t.number()), high: t.optional(t.number()) },
          "The old deployment against itself, measured in the same way.",
        ),
      ),
    },
    "Latency of one kind of request at both deployments.",
  ),
);
export type TwinLatency = t.Static<typeof twinLatency>;

export const twinResult = t.named(
  "TwinResult",
  t.object(
    {
      old: t.object(
        { name: t.string(), baseUrl: t.string() },
        "The deployment that the target is compared with.",
      ),
      outcome: t.choice(
        ["different", "slower", "faster", "same", "inconclusive"],
        "The worst of responses, contract and latency.",
      ),
      seed: t.count(),
      seconds: t.amount("From the first request that was compared to the last."),
      requests: t.object(
        { old: t.count(), new: t.count() },
        "Requests to each deployment, discovery included.",
      ),
      responses: t.object({
        outcome: t.choice(["same", "different", "inconclusive"]),
        requests: t.count("Different requests whose responses were compared."),
        pairs: t.count("Pairs of responses that were compared."),
        differences: t.array(twinDifference),
        moved: t.array(
          t.object({ path: t.string(), count: t.count() }),
          "Fields of products that have another `last_updated` at the two deployments: their data are of different times. They decide nothing.",
        ),
        ignored: t.array(
          t.string(),
          "Places whose value differs between two responses of the old deployment.",
        ),
        passing: t.count("Differences that were gone when the request was sent to both again."),
        failures: t.object(
          {
            outcome: t.choice(["same", "different"]),
            old: t.object({ count: t.count(), total: t.count() }),
            new: t.object({ count: t.count(), total: t.count() }),
          },
          "Requests that failed: a status of 500 or above, or no response. Such a request is repeated before its response is compared. `different`: the new deployment fails more often, and not by chance.",
        ),
      }),
      contract: t.optional(
        t.described(t.array(drift), "How the contract of the new deployment differs, by the rules of drift."),
      ),
      latency: t.array(twinLatency),
    },
    "Two deployments that got the same requests in turn: `old`, and the target of the run.",
  ),
);
export type TwinResult = t.Static<typeof twinResult>;
