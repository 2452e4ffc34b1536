import { endpointId } from "./finding-fields.ts";
import {
  array,
  boolean,
  choice,
  filled,
  integer,
  named,
  object,
  optional,
  type Static,
  string,
} from "./schema.ts";

export const waiver = named(
  "Waiver",
  object(
    {
      id: filled(
        "Requirement or check that is waived, or a threshold of the load as `load.<scenario>/<metric>`.",
      ),
      only: optional(
        object(
          {
            status: optional(integer({ minimum: 100, maximum: 599 })),
            endpoint: optional(endpointId),
            category: optional(filled("A category that is browsed.")),
            field: optional(
              filled("Name of a field, or the end of its path with dots, such as `price` or `meta.count`."),
            ),
          },
          "Narrows it: failures in other responses, or of other fields, are not waived. Of several, all must apply.",
        ),
      ),
      reason: filled(),
      owner: filled("Who is responsible for it."),
      ticket: filled("Where the fix is tracked."),
      expires: string("Last day on which it holds, in UTC.", { pattern: "^\\d{4}-\\d{2}-\\d{2}$" }),
      targets: optional(array(filled(), "Targets that it holds for. Default: all", { minItems: 1 })),
      flaky: optional(
        boolean(
          "What it waives fails only intermittently: when it passes, the waiver is unused and not stale. Default: false",
        ),
      ),
    },
    "A known failure that the team has accepted temporarily.",
  ),
);
export type Waiver = Static<typeof waiver>;

export const waivers = object(
  {
    waivers: array(waiver, "One entry for each requirement or check that is waived."),
  },
  "The content of waivers.yaml: known failures that the team has accepted temporarily.",
  { $id: "waivers.schema.json", title: "Waivers" },
);
export type Waivers = Static<typeof waivers>;

export const waiverResult = named(
  "WaiverResult",
  object({
    waiver: waiver,
    state: choice(
      ["active", "unused", "stale", "expired"],
      "`active` waived something; `unused`: this run did not show whether it is still needed; `stale`: what it waives passes now; `expired`: its last day has passed. The last two fail the run.",
    ),
    where: optional(
      string("File and line of the waiver, such as `shelfcheck-baseline/waivers.yaml, line 4`."),
    ),
  }),
);
export type WaiverResult = Static<typeof waiverResult>;
