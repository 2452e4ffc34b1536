import type { CheckResult, Evidence, LoadResult } from "../../../schemas/types.ts";

/** What the page's script builds on demand from: embedded as JSON, read by `client/page.ts`. */
export interface PageData {
  /** Each exchange once, cut to fit; the findings name them by index. */
  readonly exchanges: readonly Evidence[];
  /** Slots by index: `data-slot` of an element names the exchanges that it opens to. */
  readonly slots: readonly (readonly number[])[];
  /** Checks of a requirement that has no card of its own, by its anchor. */
  readonly rows: Readonly<Record<string, readonly RowCheck[]>>;
  readonly load: readonly ChartData[];
}

export interface RowCheck extends Pick<CheckResult, "id" | "title" | "verdict" | "reason"> {
  readonly slot?: number;
}

export interface ChartData extends Pick<LoadResult, "series" | "percentiles"> {
  /** What the charts are of, for those who do not see them. */
  readonly name: string;
}
