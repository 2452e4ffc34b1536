/** Exit codes of the command line; `cli/main.ts` says what each of them means. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 130;

/** The parts of an error message: what failed, where (a file, flag, variable or URL), and how to fix it. */
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

/** Wrong flags, configuration or environment, an unknown id, or an empty selection. */
export class UsageError extends Problem {
  override readonly name = "UsageError";
  readonly exitCode = 2;
}

/**
 * The error of a file that people write: its only mistake, or a list of all.
 *
 * @param subject What the mistakes are in, such as `the waivers`.
 */
export function errorOfMistakes(
  mistakes: readonly ProblemText[],
  { subject, file }: { readonly subject: string; readonly file: string },
): UsageError {
  const [first] = mistakes;
  if (first !== undefined && mistakes.length === 1) return new UsageError(first);
  return new UsageError({
    what: `${mistakes.length} mistakes in ${subject}`,
    where: file,
    fix: ["Fix each:", ...mistakes.map(({ what, where, fix }) => `  ${where}: ${what}. ${fix}`)].join("\n"),
  });
}

/** The command could not run: target unreachable, key rejected, or no k6. */
export class CannotRunError extends Problem {
  override readonly name = "CannotRunError";
  readonly exitCode = 3;
}
