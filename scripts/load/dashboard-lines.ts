/** Values of the metrics at one moment, or of one period, as k6's dashboard records them. */
export interface DashboardEvent {
  /** `cumulative`: since the start. `snapshot`: of the period that just ended. */
  readonly kind: "start" | "cumulative" | "snapshot";
  /** Whether the metric is known by now; it may be without values in this period. */
  knows(metric: string): boolean;
  /**
   * The metric's values in k6's order: a gauge has one, a rate its share, a counter count and rate, a trend avg, max,
   * med, min, p(90), p(95), p(99). Empty when there was none.
   */
  values(metric: string): readonly number[];
}

/** Place of a statistic in the values of a trend. */
export const trendPlaces = { avg: 0, med: 2, p95: 5, p99: 6 };

/**
 * Reads the lines that k6's dashboard records, one JSON object each. A `metric` line adds names; the lines with
 * values have them for all names so far, in the order of the names. Undefined for a line without values.
 */
export function createDashboardReader(): (line: string) => DashboardEvent | undefined {
  const names = new Set<string>();
  let places = new Map<string, number>();
  return (line) => {
    const entry = parse(line);
    switch (entry?.event) {
      case "metric":
        for (const name of Object.keys(entry.data)) names.add(name);
        places = new Map([...names].sort().map((name, place) => [name, place]));
        return undefined;
      case "start":
      case "cumulative":
      case "snapshot": {
        if (!Array.isArray(entry.data)) return undefined;
        const values = entry.data as (number[] | undefined)[];
        const known = places;
        return {
          kind: entry.event,
          knows: (metric) => known.has(metric),
          values: (metric) => values[known.get(metric) ?? -1] ?? [],
        };
      }
      default:
        return undefined;
    }
  };
}

function parse(line: string): { event: string; data: object } | undefined {
  try {
    return JSON.parse(line) as { event: string; data: object };
  } catch {
    // A line that k6 had not written whole when it was killed.
    return undefined;
  }
}
