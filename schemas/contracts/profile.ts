import * as t from "./schema.ts";

const failedShare = t.amount("Maximum share of failed requests, from 0 to 1.", { maximum: 1 });
const invalidShare = t.amount("Maximum share of responses found invalid; a sample is checked completely.", {
  maximum: 1,
});

export const profile = t.object(
  {
    description: t.string(),
    stages: t.array(
      t.object({ seconds: t.amount(), rate: t.amount("Requests a second at the end of the stage.") }),
      "Arrival rate over time for open-model scenarios: the rate is reached linearly over the duration, as in k6's ramping-arrival-rate. A first stage of duration 0 sets the start.",
      { minItems: 1 },
    ),
    "walkers?": t.positiveInteger(
      "Virtual users that walk categories page after page, in the scenarios paging and mixed. Default: 1",
    ),
    maxResponseSeconds: t.positive(
      "The slowest response to plan for: it sets the number of virtual users, by Little's law the rate times this.",
    ),
    thresholds: t.object(
      {
        p95Milliseconds: t.positive(),
        "p99Milliseconds?": t.positive(),
        failedShare,
        invalidShare,
        droppedShare: t.amount("Maximum share of iterations that the generator dropped.", { maximum: 1 }),
        "lagMilliseconds?": t.positive(
          "Maximum 95th percentile of how late iterations start: above it, the run measured the generator rather than the target. Default: 500",
        ),
        "endpoints?": t.mapOf(
          t.object({
            "p95Milliseconds?": t.positive(),
            "p99Milliseconds?": t.positive(),
            "failedShare?": failedShare,
            "invalidShare?": invalidShare,
          }),
          "Separate limits for one endpoint, by the name of its requests, such as `lookup-by-id` or `batch`. A run that sends no request to an endpoint named here is invalid.",
        ),
      },
      "Limits on each endpoint that the scenario uses.",
    ),
    "findsCapacity?": t.boolean(
      "The profile searches for the highest sustainable rate: a crossed latency limit, or a rate limit, is its result, not a failure. Default: false",
    ),
    "untilJudged?": t.boolean(
      "The run ends when its share of failed requests is judged; the stages are the longest time. A rate limit only slows it down, and is not a failure. Pods cannot end early. Default: false",
    ),
    "newConnections?": t.boolean(
      "Each request gets a connection of its own. On connections that are kept, k6 repeats a GET by itself when the target drops the connection, and the failure is not seen. Default: false",
    ),
    "rateLimit?": t.object(
      {
        "mode?": t.choice(
          ["probe", "polite"],
          "Exceed the limit without waiting (probe), or stay below it and wait for as long as Retry-After says (polite). Default: probe",
        ),
        "perSecond?": t.positive(
          "The limit that a polite run stays below. Default: the limit found by a preceding probe.",
        ),
      },
      "For the rate-limit scenario. A probe starts at the highest rate of the stages and increases it until requests are refused; a polite run uses that rate as the demand.",
    ),
    "batchShare?": t.number(
      "Rate of batches as a share of the rate of the stages, since one batch carries up to 50 products. Default: 0.2",
      { exclusiveMinimum: 0, maximum: 1 },
    ),
    "virtualUsers?": t.positiveInteger(
      "Preallocated virtual users of each kind of open-model traffic. Default: peak rate times maxResponseSeconds; at least 50, or one for each iteration of a shorter run.",
    ),
  },
  "A load profile as data: the shape of the traffic and its thresholds. The scenarios turn it into k6 options.",
);
export type Profile = t.Static<typeof profile>;
