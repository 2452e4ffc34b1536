/** The target cannot be judged at all: it is not there, or it does not take the key. */
export class CannotJudge extends Error {
  override readonly name = "CannotJudge";
  readonly what: string;
  readonly where: string;
  readonly fix: string;
  constructor(problem: { what: string; where: string; fix: string }, options?: ErrorOptions) {
    super(`${problem.what}: ${problem.where}. ${problem.fix}`, options);
    this.what = problem.what;
    this.where = problem.where;
    this.fix = problem.fix;
  }
}
