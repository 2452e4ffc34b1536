import { drift } from "./drift.ts";
import { evidence } from "./evidence.ts";
import {
  amount,
  array,
  choice,
  count,
  described,
  named,
  number,
  object,
  optional,
  type Static,
  string,
  unknown,
} from "./schema.ts";

export const twinDifference = named(
  "TwinDifference",
  object(
    {
      request: string("Kind of request: an endpoint, `category-walk`, or `unusual`."),
      change: choice(
        ["status", "value", "type", "missing", "added", "varies"],
        "`missing` and `added`: only one deployment has the place. `varies`: it changes from response to response at the new deployment only.",
      ),
      path: string("Place in the body, with `*` for any item of a list; empty for the whole response."),
      old: optional(unknown("The value of the old deployment in the example. Omitted where there was none.")),
      new: optional(unknown()),
      count: count("Different requests that showed it."),
      total: count("Different requests of this kind."),
      evidence: array(
        evidence,
        "The example: the exchange with the old deployment, then that with the new one.",
      ),
    },
    "A difference that stayed when the request was sent to both again, in turn.",
  ),
);
export type TwinDifference = Static<typeof twinDifference>;

export const twinLatency = named(
  "TwinLatency",
  object(
    {
      request: string("Kind of request, named as in schemas/api.ts."),
      outcome: choice(["same", "slower", "faster", "inconclusive"]),
      pairs: count("Pairs of the same request to both deployments that were tested."),
      old: optional(amount("Median, in milliseconds; omitted without any pair.")),
      new: optional(amount("Median, in milliseconds.")),
      change: optional(
        number("Centre of the paired differences, as a share of the old latency: 0.2 is 20 % slower."),
      ),
      low: optional(
        number("Lower end of the interval of the change; omitted when there were too few pairs."),
      ),
      high: optional(number("Upper end.")),
      smallest: amount("The smallest difference that counts, as a share of the old latency."),
      control: optional(
        object(
          { pairs: count(), change: number(), low: optional(number()), high: optional(number()) },
          "The old deployment against itself, measured in the same way.",
        ),
      ),
    },
    "Latency of one kind of request at both deployments.",
  ),
);
export type TwinLatency = Static<typeof twinLatency>;

export const twinResult = named(
  "TwinResult",
  object(
    {
      old: object({ name: string(), baseUrl: string() }, "The deployment that the target is compared with."),
      outcome: choice(
        ["different", "slower", "faster", "same", "inconclusive"],
        "The worst of responses, contract and latency.",
      ),
      seed: count(),
      seconds: amount("From the first request that was compared to the last."),
      requests: object({ old: count(), new: count() }, "Requests to each deployment, discovery included."),
      responses: object({
        outcome: choice(["same", "different", "inconclusive"]),
        requests: count("Different requests whose responses were compared."),
        pairs: count("Pairs of responses that were compared."),
        differences: array(twinDifference),
        moved: array(
          object({ path: string(), count: count() }),
          "Fields of products that have another `last_updated` at the two deployments: their data are of different times. They decide nothing.",
        ),
        ignored: array(string(), "Places whose value differs between two responses of the old deployment."),
        passing: count("Differences that were gone when the request was sent to both again."),
        failures: object(
          {
            outcome: choice(["same", "different"]),
            old: object({ count: count(), total: count() }),
            new: object({ count: count(), total: count() }),
          },
          "Requests that failed: a status of 500 or above, or no response. Such a request is repeated before its response is compared. `different`: the new deployment fails more often, and not by chance.",
        ),
      }),
      contract: optional(
        described(array(drift), "How the contract of the new deployment differs, by the rules of drift."),
      ),
      latency: array(twinLatency),
    },
    "Two deployments that got the same requests in turn: `old`, and the target of the run.",
  ),
);
export type TwinResult = Static<typeof twinResult>;
