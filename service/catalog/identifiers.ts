/** The address of a product page, without what makes no difference between pages. */
export interface PageAddress {
  /** Host in lower case without `www.`, with a port that is not the default one. */
  readonly host: string;
  /** Path without a trailing slash, then the query's parameters that are not for tracking, sorted. */
  readonly path: string;
}

const tracking =
  /^(utm_.*|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|ttclid|twclid|yclid|igshid|mc_cid|mc_eid|_ga|_gl)$/i;

/**
 * Reads the URL of a product page. Scheme (http or https), `www.`, case of the host, default port, trailing
 * slash, fragment and tracking parameters make no difference. Undefined unless it is absolute, http(s), and
 * without user name and password.
 */
export function pageAddress(text: string): PageAddress | undefined {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return undefined;
  if (url.username !== "" || url.password !== "") return undefined;
  // Both default ports are dropped, because http and https are the same page.
  const port = url.port === "" || url.port === "80" || url.port === "443" ? "" : `:${url.port}`;
  const host = url.hostname.replace(/\.$/, "").replace(/^www\./, "");
  const path = url.pathname.replace(/\/+$/, "");
  if (url.search === "") return { host: host + port, path };
  const kept = [...url.searchParams].filter(([name]) => !tracking.test(name)).map(encodePair);
  return { host: host + port, path: kept.length === 0 ? path : `${path}?${kept.sort().join("&")}` };
}

function encodePair([name, value]: [string, string]): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
}

/** The host and every domain above it: `a.b.example` gives `a.b.example`, `b.example`, `example`. */
export function* domainsAbove(host: string): Generator<string> {
  let rest = host;
  for (;;) {
    yield rest;
    const dot = rest.indexOf(".");
    if (dot === -1) return;
    rest = rest.slice(dot + 1);
  }
}

/** Lengths of a GTIN: EAN-8, UPC-A, EAN-13, GTIN-14. */
const lengths: ReadonlySet<number> = new Set([8, 12, 13, 14]);

/**
 * A GTIN as a number: leading zeros make no difference (012345678905 and 00012345678905 are one GTIN).
 * Undefined for another length, other characters than digits, or a wrong check digit.
 */
export function gtinNumber(text: string): number | undefined {
  if (!lengths.has(text.length) || !/^[0-9]+$/.test(text)) return undefined;
  return checkDigit(text.slice(0, -1)) === Number(text.at(-1)) ? Number(text) : undefined;
}

/** The check digit (0 to 9) for the other digits of a GTIN, by the rule of GS1. */
export function checkDigit(digits: string): number {
  let sum = 0;
  for (let place = 1; place <= digits.length; place++) {
    sum += Number(digits[digits.length - place]) * (place % 2 === 1 ? 3 : 1);
  }
  return (10 - (sum % 10)) % 10;
}
