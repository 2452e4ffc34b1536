/**
 * The header by which a response shows that a cache gave it, as `name: value`; undefined without one. A cache need not show
 * it, and `Age: 0` or a miss shows only that one is there.
 */
export function cacheIn(headers: Readonly<Record<string, string>>): string | undefined {
  const found = Object.entries(headers).find(([name, value]) => {
    const shows = signs[name.toLowerCase()];
    return shows === undefined ? isOfKind(name, value) : shows(value);
  });
  return found === undefined ? undefined : `${found[0]}: ${found[1]}`;
}

/** Headers of RFC 9111 and 9211, and those in common use, with what a response from the cache has there. */
const signs: Readonly<Record<string, (value: string) => boolean>> = {
  age: (value) => Number(value) > 0,
  "cache-status": (value) => /;\s*hit\b/i.test(value),
  "cf-cache-status": (value) => /^(hit|stale|updating|revalidated)/i.test(value),
  // The second id is that of the request that filled the cache.
  "x-varnish": (value) => /^\d+\s+\d+$/.test(value.trim()),
  via: () => false,
};

/** `X-Cache`, `X-Cache-Status`, `X-Proxy-Cache` and the like; not `X-Cache-Lookup`, which tells what was there and not what was given. */
function isOfKind(name: string, value: string): boolean {
  return /^x-.*cache(?!-lookup)/i.test(name) && /\b(hit|stale)\b/i.test(value);
}
