/** A key's first half: some services look up a key by its beginning and do not compare the rest. */

/** The prefix that tells the kind of a key, such as `sk_live_`. Empty if the key is hardly longer. */
export function kindOf(key: string): string {
  const [kind = ""] = key.match(/^(?:[A-Za-z]{1,7}_){1,2}/) ?? [];
  return kind.length * 3 <= key.length ? kind : "";
}

const fewestCharacters = 12;

/**
 * The first half of a key. Undefined unless it looks random after the key's prefix: reports hide it like a key, and must not
 * damage words in which it occurs by chance.
 */
export function firstHalf(key: string): string | undefined {
  const half = key.slice(0, Math.ceil(key.length / 2));
  const drawn = half.slice(kindOf(key).length);
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/].filter((kind) => kind.test(drawn));
  return drawn.length >= fewestCharacters && kinds.length > 1 ? half : undefined;
}

/** How reports show the first half of a key in this variable: as a POSIX shell expands it. */
export function halfShownAs(variable: string, key: string): string {
  return `\${${variable}%${"?".repeat(Math.floor(key.length / 2))}}`;
}

/** The pattern of what reports show for the key in a variable, whole or halved. */
export function shownForms(variable: string): string {
  return `\\$${variable}|\\$\\{${variable}%\\?+\\}`;
}

/** The key, or its part, that a report shows in this way. */
export function shownPart(shownAs: string, key: string): string {
  const without = shownAs.match(/\?+/)?.[0].length ?? 0;
  return key.slice(0, key.length - without);
}
