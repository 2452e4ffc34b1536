// Numbers, times and lists as people read them, the same in every format.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const threeDigits = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const conjunction = new Intl.ListFormat("en", { style: "long", type: "conjunction" });

/** Whole, with thousands apart: `1,204`. */
function grouped(count: number): string {
  return whole.format(count);
}

/** Count and noun: `1 check`, `3 checks`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** A number to three significant digits, from 1,000 on whole; never in exponents. */
export function figure(value: number): string {
  return (Math.abs(value) >= 1000 ? whole : threeDigits).format(value);
}

/** A rate: `10.5/s`. */
export function perSecond(value: number): string {
  return `${figure(value)}/s`;
}

/** `a, b, and c`. */
export function listed(parts: readonly string[]): string {
  return conjunction.format(parts);
}
