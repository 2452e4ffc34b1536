const bars = [..."▁▂▃▄▅▆▇█"];

/** A line of bars, the highest for the largest value and the lowest for 0; a dot where there is no value. */
export function sparkline(values: readonly (number | null)[]): string {
  const highest = Math.max(0, ...values.map((value) => value ?? 0));
  return values
    .map((value) => {
      if (value === null) return "·";
      return bars[highest === 0 ? 0 : Math.round((value / highest) * (bars.length - 1))] ?? "·";
    })
    .join("");
}
