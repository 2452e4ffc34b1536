import { crossingCode } from "./load-findings.ts";
import * as t from "./schema.ts";
import { waiver } from "./waivers.ts";

export const threshold = t.named(
  "Threshold",
  t.object(
    {
      metric: t.string("As k6 names it, with its tags: the name by which a waiver covers it."),
      crossing: t.described(crossingCode, "Code of the finding that a crossing makes."),
      request: t.optional(
        t.string("Kind of request, as in schemas/scenarios.ts, where the limit is for one."),
      ),
      statistic: t.choice(["p95", "p99", "share", "count"]),
      bound: t.choice(["most", "least"], "Whether the limit is a maximum or a minimum."),
      limit: t.number(),
      value: t.optional(t.number("What was measured. Omitted when there was nothing.")),
      unit: t.choice(["ms", "share", "count"]),
      counted: t.optional(
        t.object({ count: t.count(), total: t.count() }, "Of a share over several kinds of request."),
      ),
      met: t.boolean(),
      guards: t.choice(
        ["target", "run", "search"],
        "What a crossing means: `target` makes the verdict fail, `run` makes it invalid, `search` means that it is the result the profile searches for.",
      ),
      notJudged: t.optional(
        t.object(
          {
            samples: t.count(),
            needed: t.count(),
          },
          "Why a share above its limit is not a failure: there were too few samples to rule out chance.",
        ),
      ),
      fewSamples: t.optional(
        t.object(
          {
            samples: t.count(),
            needed: t.count(),
          },
          "The share is within its limit, but with too few samples to rule out chance: a waiver of the limit is not stale.",
        ),
      ),
      waiver: t.optional(waiver),
    },
    "One limit of a load run.",
  ),
);
export type Threshold = t.Static<typeof threshold>;
