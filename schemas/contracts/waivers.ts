import * as t from "./schema.ts";

export const waiver = t.object(
  {
    id: t.filled("Requirement or check that is waived, or the name of a difference from an earlier run."),
    reason: t.filled("Why it is accepted."),
    owner: t.filled("Who is responsible for it."),
    ticket: t.filled("Where the fix is tracked."),
    expires: t.string("Last day on which it holds, in UTC, such as 2026-12-31.", { format: "date" }),
  },
  "A known failure that the team has accepted temporarily.",
);
export type Waiver = t.Static<typeof waiver>;

export interface WaiverResult {
  waiver: Waiver;
  /**
   * `active` waived something; `unused`: this run did not show whether it is still needed; `stale`: what it waives
   * passes now; `expired`: its last day has passed. The last two fail the run.
   */
  state: "active" | "unused" | "stale" | "expired";
  /** Place of the waiver, such as `shelfcheck.config.ts, waivers[2]`. */
  where?: string | undefined;
}
