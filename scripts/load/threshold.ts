/** Whether `expression`, such as `p(95)<=500` or `count>0`, holds for the values. A statistic without a value counts as 0, as in k6. */
export function thresholdHolds(expression: string, values: Readonly<Record<string, number>>): boolean {
  const parts = /^\s*([a-z]+(?:\([0-9.]+\))?)\s*(<=|>=|<|>|==|!=)\s*(-?[0-9.]+)\s*$/.exec(expression);
  if (parts === null) throw new Error(`${expression} is not a threshold: statistic, comparison and number`);
  const [, statistic = "", comparison, limit] = parts;
  const value = values[statistic] ?? 0;
  const bound = Number(limit);
  switch (comparison) {
    case "<=":
      return value <= bound;
    case ">=":
      return value >= bound;
    case "<":
      return value < bound;
    case ">":
      return value > bound;
    case "==":
      return value === bound;
    default:
      return value !== bound;
  }
}
