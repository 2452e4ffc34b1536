import type { Problem as ToldProblem } from "../schemas/contracts/results.ts";

/** Exit codes of the command line; `cli/main.ts` says what each of them means. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 130;

/** The parts of an error message: what failed, where (a file, flag, variable or URL), and how to fix it. */
export type ProblemText = Readonly<ToldProblem>;

abstract class Problem extends Error {
  readonly what: string;
  readonly where: string;
  readonly fix: string;
  readonly next: string | undefined;

  constructor({ what, where, fix, next }: ProblemText, options?: ErrorOptions) {
    super(`${what}: ${where}. ${fix}`, options);
    this.what = what;
    this.where = where;
    this.fix = fix;
    this.next = next;
  }
}

/** Wrong flags, configuration or environment, an unknown id, or an empty selection. */
export class UsageError extends Problem {
  override readonly name = "UsageError";
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
    // Uncounted: others are looked for when these are corrected.
    what: `Mistakes in ${subject}`,
    where: file,
    fix: ["Fix each:", ...mistakes.map(({ what, where, fix }) => `  ${where}: ${what}. ${fix}`)].join("\n"),
  });
}

/** The command could not run: target unreachable, key rejected, or no k6. */
export class CannotRunError extends Problem {
  override readonly name = "CannotRunError";
}

/** What failed, and how to fix it where another path is not the way. */
const systemFailures: Readonly<Record<string, readonly [what: string, fix?: string]>> = {
  ENOSPC: ["No space left on the device", "Free some space, or name another folder with --out."],
  EDQUOT: ["The disk quota is used up", "Free some space, or name another folder with --out."],
  EROFS: ["The file system is read-only", "Name a writable folder with --out."],
  EACCES: ["No permission", "Change the permissions, or name another file or folder."],
  EPERM: ["No permission", "Change the permissions, or name another file or folder."],
  ENOENT: ["The file or folder does not exist, or cannot be created there"],
  ENOTDIR: ["A part of the path is a file, not a folder"],
  EISDIR: ["This is a folder, not a file"],
  EEXIST: ["A file with the name of the folder exists", "Remove it, or name another folder."],
  EMFILE: ["Too many files are open", "Raise the limit (ulimit -n)."],
  ENFILE: ["Too many files are open on this machine", "Close other programs, or raise the limit."],
  ENAMETOOLONG: ["The path is too long", "Name a shorter one."],
  EIO: ["The device failed to read or write", "Check the system log, or name another folder."],
};

/** For errors of the file system; undefined for others. `place` replaces the path of the error. */
export function fileProblem(error: unknown, place?: string): ProblemText | undefined {
  const [what, fix = "Correct the path."] = systemFailures[codeOf(error)] ?? [];
  if (what === undefined || !(error instanceof Error) || !("syscall" in error)) return undefined;
  const path = "path" in error && typeof error.path === "string" ? error.path : undefined;
  return { what, where: place ?? path ?? String(error.syscall), fix };
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** What is told of an error that users can correct: ours, or one of the file system. Undefined for a bug. */
export function knownProblem(error: unknown, place?: string): ProblemText | undefined {
  if (!(error instanceof UsageError || error instanceof CannotRunError)) return fileProblem(error, place);
  const { what, where, fix, next } = error;
  return { what, where, fix, next };
}

export const bugFix = "This is a bug in shelfcheck, not in the target: please report it.";

/** What is told of any other error. */
export function bugIn(error: unknown): ProblemText {
  return {
    what: "Internal error",
    where: String(error),
    fix: `${bugFix} SHELFCHECK_DEBUG=1 prints the stack trace.`,
  };
}
