// The part of jstat that is used; it comes without types.
declare module "jstat" {
  const jStat: {
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
