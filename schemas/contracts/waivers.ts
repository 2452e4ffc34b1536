import * as t from "./schema.ts";

export const waiver = t.named(
  "Waiver",
  t.object(
    {
      id: t.filled(
        "Requirement or check that is waived, or a threshold of the load as `load.<scenario>/<metric>`.",
      ),
      reason: t.filled(),
      owner: t.filled("Who is responsible for it."),
      ticket: t.filled("Where the fix is tracked."),
      expires: t.string("Last day on which it holds, in UTC.", { pattern: "^\\d{4}-\\d{2}-\\d{2}$" }),
      targets: t.optional(t.array(t.filled(), "Targets that it holds for. Default: all", { minItems: 1 })),
      flaky: t.optional(
        t.boolean(
          "What it waives fails only intermittently: when it passes, the waiver is unused and not stale. Default: false",
        ),
      ),
    },
    "A known failure that the team has accepted temporarily.",
  ),
);
export type Waiver = t.Static<typeof waiver>;

export const waivers = t.object(
  {
    waivers: t.array(waiver, "One entry for each requirement or check that is waived."),
  },
  "The content of waivers.yaml: known failures that the team has accepted temporarily.",
);
export type Waivers = t.Static<typeof waivers>;

export interface WaiverResult {
  waiver: Waiver;
  /**
   * `active` waived something; `unused`: this run did not show whether it is still needed; `stale`: what it waives
   * passes now; `expired`: its last day has passed. The last two fail the run.
   */
  state: "active" | "unused" | "stale" | "expired";
  /** File and line of the waiver, such as `shelfcheck-baseline/waivers.yaml, line 4`. */
  where?: string | undefined;
}
