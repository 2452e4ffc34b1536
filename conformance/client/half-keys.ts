/** A key's first half: some services look up a key by its beginning and do not compare the rest. */

/** What many keys begin with, such as `sk_live_`. Empty if the key is hardly longer. */
export function prefixOf(key: string): string {
  const [prefix = ""] = key.match(/^(?:[A-Za-z]{1,7}_){1,2}/) ?? [];
  return prefix.length * 3 <= key.length ? prefix : "";
}

const leastAfterPrefix = 12;

/**
 * The first half of a key. Undefined unless it has letters and digits after the prefix: reports hide it like a key, and must
 * not damage words in which it occurs by chance.
 */
export function firstHalf(key: string): string | undefined {
  const half = key.slice(0, Math.ceil(key.length / 2));
  const afterPrefix = half.slice(prefixOf(key).length);
  const isDistinct = afterPrefix.length >= leastAfterPrefix && /(?=.*[a-z]).*[0-9]/i.test(afterPrefix);
  return isDistinct ? half : undefined;
}
