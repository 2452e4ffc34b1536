/** One argument of a shell command, in quotes where it needs them. */
export function quotedForShell(argument: string): string {
  return /^[\w./:=@,%+…-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
