import { placeholderOf } from "../../schemas/redaction.ts";
import type { KeyVariables } from "./target.ts";

/** What a placeholder in a report stands for. */
export interface ShownKey {
  readonly role: keyof KeyVariables;
  /** Whether it stands for the key without its last characters. */
  readonly isCut: boolean;
}

/** What reports show for a key without its last characters: a POSIX shell cuts off one for each question mark. */
export function cutPlaceholder(variable: string, cut: number): string {
  return `\${${variable}%${"?".repeat(cut)}}`;
}

/** Finds the placeholders in a text that was recorded with these variables. */
export function placeholdersOf(variables: KeyVariables): {
  replace(text: string, by: (shown: ShownKey) => string): string;
  find(text: string): ShownKey[];
} {
  const roles = Object.keys(variables) as (keyof KeyVariables)[];
  // A name may be the beginning of another one.
  const longestFirst = roles.toSorted((a, b) => variables[b].length - variables[a].length);
  const whole = longestFirst.map((role) => RegExp.escape(placeholderOf(variables[role]))).join("|");
  const pattern = new RegExp(`\\$\\{${RegExp.escape(variables.primary)}%\\?+\\}|${whole}`, "g");
  const shownBy = (placeholder: string): ShownKey => ({
    role: roles.find((role) => placeholder === placeholderOf(variables[role])) ?? "primary",
    isCut: placeholder.startsWith("${"),
  });
  return {
    replace: (text, by) => text.replace(pattern, (placeholder) => by(shownBy(placeholder))),
    find: (text) => (text.match(pattern) ?? []).map(shownBy),
  };
}
