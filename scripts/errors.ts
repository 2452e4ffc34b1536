/**
 * Exit codes of the command line.
 *
 * 0 conformant, thresholds held, no regression; 1 the target violates a requirement, crossed a threshold or
 * got slower; 2 the user's input is wrong; 3 the run could not be made; 4 nothing failed, but a MUST could
 * not be judged; 130 interrupted.
 */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 130;

/** What every message for people says: what went wrong, with what, and how to fix it. */
export interface ProblemText {
  readonly what: string;
  readonly where: string;
  readonly fix: string;
}

abstract class Problem extends Error {
  abstract readonly exitCode: ExitCode;
  readonly what: string;
  readonly where: string;
  readonly fix: string;

  constructor({ what, where, fix }: ProblemText, options?: ErrorOptions) {
    super(`${what}: ${where}. ${fix}`, options);
    this.what = what;
    this.where = where;
    this.fix = fix;
  }
}

/** Wrong flags, configuration or environment; an unknown id; nothing selected. */
export class UsageError extends Problem {
  override readonly name = "UsageError";
  readonly exitCode = 2;
}

/** The run could not be made: target unreachable, key refused, k6 not to be had. */
export class CannotRunError extends Problem {
  override readonly name = "CannotRunError";
  readonly exitCode = 3;
}
