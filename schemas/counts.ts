// Counts and cut texts. Without Intl, because the k6 scripts use them too.

/** A whole number with thousands separators: `1,204`. */
export function grouped(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Count and noun: `1 check`, `3 checks`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** Cuts a text to `length` characters and notes how many are omitted. Surrogate pairs stay together. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  const kept = text.slice(0, isHighSurrogate(text.charCodeAt(length - 1)) ? length - 1 : length);
  return `${kept}… (${grouped(text.length - kept.length)} more characters)`;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
