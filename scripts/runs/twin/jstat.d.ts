// Types for the part of jstat that is used. The package has none.
declare module "jstat" {
  const jStat: {
    mean(values: readonly number[]): number;
    median(values: readonly number[]): number;
    /** Standard deviation of the whole population. */
    stdev(values: readonly number[]): number;
    /** Sum of the squared distances from the mean. */
    sumsqerr(values: readonly number[]): number;
    /** Logarithm of the beta function. */
    betaln(a: number, b: number): number;
    /** Logarithm of the number of ways to choose `count` of `total`. */
    combinationln(total: number, count: number): number;
    readonly studentt: {
      /** Quantile of Student's t distribution. */
      inv(probability: number, degreesOfFreedom: number): number;
    };
    readonly normal: {
      /** Quantile of a normal distribution. */
      inv(probability: number, mean: number, standardDeviation: number): number;
    };
  };
  export default jStat;
}
