import { crossingCode } from "./load-findings.ts";
import {
  boolean,
  choice,
  count,
  described,
  named,
  number,
  object,
  optional,
  type Static,
  string,
} from "./schema.ts";
import { waiver } from "./waivers.ts";

export const threshold = named(
  "Threshold",
  object(
    {
      metric: string("As k6 names it, with its tags: the name by which a waiver covers it."),
      crossing: described(crossingCode, "Code of the finding that a crossing makes."),
      request: optional(string("Kind of request, as in schemas/scenarios.ts, where the limit is for one.")),
      statistic: choice(["p95", "p99", "share", "count"]),
      bound: choice(["most", "least"], "Whether the limit is a maximum or a minimum."),
      limit: number(),
      value: optional(number("What was measured. Omitted when there was nothing.")),
      unit: choice(["ms", "share", "count"]),
      counted: optional(
        object({ count: count(), total: count() }, "Of a share over several kinds of request."),
      ),
      met: boolean(),
      guards: choice(
        ["target", "run", "search"],
        "What a crossing means: `target` makes the verdict fail, `run` makes it invalid, `search` means that it is the result the profile searches for.",
      ),
      notJudged: optional(
        object(
          {
            samples: count(),
            needed: count(),
          },
          "Why a share above its limit is not a failure: there were too few samples to rule out chance.",
        ),
      ),
      fewSamples: optional(
        object(
          {
            samples: count(),
            needed: count(),
          },
          "The share is within its limit, but with too few samples to rule out chance: a waiver of the limit is not stale.",
        ),
      ),
      waiver: optional(waiver),
    },
    "One limit of a load run.",
  ),
);
export type Threshold = Static<typeof threshold>;
