/**
 * Ids of checks that earlier versions had, each with the id that judges the same now: whoever still names one, in a flag, a
 * waiver or a command, is told so with exit code 2. Not more than 40 lines.
 */
export const goneChecks: Readonly<Record<string, string>> = {
  "authentication.invalid-key/other-case": "authentication.exact-key/other-case",
  "page.last-cursor/walk-ends-again": "page.last-cursor/walk-ends",
};
