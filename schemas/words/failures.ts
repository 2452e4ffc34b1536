import type { AskedBy, RequestDetails, SharedFields } from "../contracts/finding.ts";
import {
  allOrError,
  category,
  endpointName,
  fails,
  oneOf,
  pair,
  pairOf,
  productName,
  productOf,
  requested,
  statusSeen,
  subject,
  type Tallies,
  tallies,
} from "./finding-words.ts";
import { counted, duration, figure, listed, often } from "./format.ts";
import { transportFailureWords } from "./transport.ts";
import { code, place, someOf, typeName, typeOf, value } from "./values.ts";

/** A request, and the error.code of its response. */
type ErrorDetails = RequestDetails & { errorCode?: string | undefined };

/** The type of a value, and the status of the response that has it. */
interface Typed {
  expected?: string | undefined;
  details?: { status: number } | undefined;
}
/** Products of a category, in pages of a size, or of a batch. */
interface Paged {
  subject?: string | undefined;
  details?:
    | (RequestDetails & { limit?: number | string | undefined; comparedLimit?: number | undefined })
    | undefined;
}

export const failureWords = {
  "wrong-status": fails<{
    subject?: string | undefined;
    expected?: readonly number[] | undefined;
    actual: number;
    details?: ErrorDetails | undefined;
  }>("data", {
    expectedStatus: "expected",
    shownBy: "status",
    text: (finding) =>
      `${requested(finding)} returned ${statusSeen(finding)}${seenIn(finding)}; expected ${statusExpected(finding.expected)}.`,
  }),
  "not-json": fails<NotJson>("unreadable", {
    text: (finding) => {
      const { cause = "syntax", deepest } = finding.details;
      return `${bodyOf(finding)} is ${notJson[cause](subject(finding), deepest)}${seenIn(finding)}.`;
    },
  }),
  "coding-not-accepted": fails<{ subject: string; details: { status: number } }>("unreadable", {
    text: (finding) =>
      `${bodyOf(finding)} has the coding ${code(subject(finding))}, which the Accept-Encoding of the request does not name${seenIn(finding)}.`,
  }),
  "repeated-name": fails<{ details: { differs: boolean } }>("shape", {
    text: (finding) =>
      `${place(finding.path)} is repeated in its object${finding.details.differs ? ", with different values" : ""}${seenIn(finding)}: parsers keep the first, the last, or neither.`,
  }),
  "inexact-number": fails<{ actual: { type: "number"; digits: string } }>("data", {
    text: (finding) =>
      `${field(finding)} is ${value(finding.actual)}${seenIn(finding)}: a double, which many parsers make of it, has other digits.`,
  }),
  "half-character": fails("data", {
    text: (finding) =>
      `${field(finding)} has half of a character, a surrogate without its partner${seenIn(finding)}.`,
  }),
  "stand-in": fails<{ actual: unknown }>("data", {
    text: (finding) =>
      `${field(finding)} is ${value(finding.actual)}${seenIn(finding)}, which seems to stand for a missing value; a field without a value must be omitted.`,
  }),
  "told-otherwise": fails<{ subject: OtherPlace; expected: string[]; actual?: unknown }>("data", {
    text: (finding) =>
      `${field(finding)} is ${value(finding.actual)}${seenIn(finding)}; ${toldElsewhere[finding.subject]} ${someOf(finding.expected.map(code))}.`,
  }),
  "missing-header": fails<{ subject: string; details: { status: number } }>("shape", {
    shownBy: "missing header",
    text: (finding) => `The header ${code(subject(finding))} is missing${seenAt(finding)}.`,
  }),
  "wrong-header": fails<{
    subject: string;
    expected: FormatName;
    actual: string;
    details: { status: number };
  }>("shape", {
    shownBy: "header",
    text: (finding) =>
      `The header ${code(subject(finding))} is ${value(finding.actual)}${seenAt(finding)}; expected ${formatNames[finding.expected]}.`,
  }),
  "error-in-success": fails<{ actual?: unknown; details: { status: number } }>("shape", {
    text: (finding) =>
      `${finding.byStatus === undefined ? `A response with status ${finding.details.status}` : "A successful response"} has an error body${seenIn(finding)}: ${place(finding.path)} is ${value(finding.actual)}.`,
  }),
  "error-code-mismatch": fails<{
    expected?: string | undefined;
    actual?: unknown;
    details: { status: number; belongsTo?: readonly number[] | undefined };
  }>("shape", {
    text: (finding) =>
      `${place(finding.path)} is ${value(finding.actual)}${seenAt(finding)}; ${
        finding.expected === undefined
          ? `that code belongs to ${oneOf(finding.details.belongsTo)}`
          : `expected ${value(finding.expected)}`
      }.`,
  }),
  "missing-field": fails<Typed>("shape", {
    text: (finding) => `${field(finding)} is missing${seenAt(finding)}.`,
  }),
  "null-value": fails<Typed>("shape", {
    text: (finding) => `${field(finding)} is null${seenAt(finding)}.`,
  }),
  "empty-string": fails<Pick<Typed, "details">>("shape", {
    text: (finding) => `${field(finding)} is an empty string${seenAt(finding)}.`,
  }),
  "wrong-type": fails<Typed & { expected: string; actual?: unknown }>("shape", {
    text: (finding) =>
      `${field(finding)} must be ${typeName(finding.expected)}; it is ${typeOf(finding.actual)}${seenAt(finding)}.`,
  }),
  "wrong-format": fails<Pick<Typed, "details"> & { expected: FormatName; actual?: unknown }>("shape", {
    text: (finding) =>
      `${field(finding)} is ${value(finding.actual)}${seenAt(finding)}; expected ${formatNames[finding.expected]}.`,
  }),
  "wrong-count": fails<{
    subject?: string | undefined;
    expected: number;
    actual?: unknown;
    details?: { counted: keyof typeof sentWords | "known" | "accounted" } | undefined;
  }>("shape", {
    text: (finding) => {
      const { expected, actual, details } = finding;
      if (details === undefined)
        return `${amount(finding)}${seenIn(finding)}; ${code(subject(finding))} has ${counted(expected, "entry", "entries")}.`;
      if (details.counted === "accounted")
        return `${counted(expected, "item was", "items were")} sent; ${counted(lengthOf(actual), "is", "are")} found or listed under ${code("errors")}.`;
      if (details.counted === "known")
        return `${amount(finding)}; expected ${counted(expected, "known product")}.`;
      const [one, many] = sentWords[details.counted];
      return `${amount(finding)}; ${counted(expected, one, many)} sent.`;
    },
  }),
  "counters-disagree": fails<{
    expected: number;
    actual: number;
    details: { counters: Record<string, number> };
  }>("shape", {
    text: (finding) => {
      const { expected, details } = finding;
      const counters = Object.entries(details.counters);
      const sum = counters.map(([name, count]) => `${code(name)} ${count}`).join(" + ");
      const [[name = ""] = []] = counters;
      const other =
        counters.length === 1 ? `${code(`meta.${name}`)} is ${expected}` : `${sum} add up to ${expected}`;
      return `${amount(finding)}${seenIn(finding)}; ${other}.`;
    },
  }),
  "page-over-limit": fails<{ expected: number; actual: number }>("data", {
    howOften: "beside",
    text: ({ expected, actual }) =>
      `A page has ${counted(actual, "product")}; requested: at most ${expected}.`,
  }),
  "other-product": fails<{
    subject?: string | undefined;
    expected?: unknown;
    actual?: unknown;
    details?: RequestDetails | undefined;
  }>("data", {
    headings: ["Another request", "Seen"],
    text: (finding) => {
      const { path, actual, expected, condition, product } = finding;
      const [one, other] = pairOf(finding) ?? [];
      if (one !== undefined)
        return `${endpointName(finding)}: ${place(path)} is ${value(expected)} ${one}, and ${value(actual)} ${other}.`;
      const request =
        condition === undefined && product !== undefined
          ? `${endpointName(finding)} of ${productName(product)}`
          : requested(finding);
      return `${request} returned ${place(path)} ${value(actual)}${seenIn(finding)}; expected ${value(expected)}.`;
    },
  }),
  "wrapped-product": fails("shape", {
    howOften: "beside",
    text: ({ path = "" }) =>
      path === ""
        ? "The body is an array; expected the product itself."
        : `The product is under ${place(path)}; expected the product itself.`,
  }),
  "name-for-slug": fails<{ actual: string }>("shape", {
    text: (finding) =>
      `${place(finding.path)} is the name of a retailer, ${value(finding.actual)}${seenIn(finding)}; expected its slug.`,
  }),
  "not-granted": fails<{ subject: AskedBy; actual: string }>("leak", {
    text: (finding) =>
      `${place(finding.path)} is ${value(finding.actual)}, a retailer that GET /retailers does not list for ${callerName(finding.subject)}${seenIn(finding)}.`,
  }),
  "page-of-nothing": fails<{ subject: string }>("data", {
    text: (finding) => `A page of the made-up category ${code(finding.subject)} has ${productOf(finding)}.`,
  }),
  "item-not-sent": fails<{ actual: { retailer?: unknown; product_id?: unknown } }>("data", {
    text: (finding) => {
      const { retailer, product_id } = finding.actual;
      const named = Object.entries({ retailer, product_id });
      const type = (given: unknown) => (typeof given === "string" ? "" : ` as ${typeName(typeof given)}`);
      const has = named.flatMap(([name, given]) =>
        given === undefined ? [] : [`${name} ${value(given)}${type(given)}`],
      );
      const lacks = named.flatMap(([name, given]) => (given === undefined ? [`no ${name}`] : []));
      return `${place(finding.path)}, with ${listed([...has, ...lacks])}, is no item that was sent${seenIn(finding)}.`;
    },
  }),
  "item-missing": fails<Paged>("data", {
    text: (finding) => {
      const { endpoint, condition } = finding;
      if (endpoint !== "batch")
        return finding.details?.limit === undefined
          ? `${productOf(finding)} is found by id, but a walk through ${category(finding)}${inPages(finding)} does not return it.`
          : `${productOf(finding)} of ${category(finding)} is missing${inPages(finding)}${moreOf(finding)}.`;
      if (condition === "in-turn") return `${requested(finding)} does not return that product.`;
      return condition === "known-items"
        ? `${productOf(finding)} was requested, but is not among the found products.`
        : condition === "unknown-item"
          ? `${productOf(finding)} was sent, but is not listed under ${code("errors")}.`
          : `${condition === "incomplete-item" ? "An item without product_id" : productOf(finding)} is neither found nor listed under ${code("errors")}.`;
    },
  }),
  "item-miscounted": fails<{ expected: number; actual: number }>("data", {
    text: (finding) =>
      `${productOf(finding)} was sent ${timesOf(finding.expected)}, and is found or listed under ${code("errors")} ${timesOf(finding.actual)}${seenIn(finding)}.`,
  }),
  "item-repeated": fails<Paged & { actual?: unknown }>("data", {
    headings: ["First", "Again"],
    text: (finding) => {
      if (finding.endpoint === "category-page" && finding.subject === undefined)
        return `A page has ${productOf(finding)} more than once${seenIn(finding)}.`;
      if (finding.product === undefined)
        return `The slug ${value(finding.actual)} is listed more than once${seenIn(finding)}.`;
      return `${productOf(finding)} of ${category(finding)} is repeated${inPages(finding)}${moreOf(finding)}.`;
    },
  }),
  "item-unexpected": fails<Paged>("data", {
    text: (finding) => {
      if (finding.endpoint === "batch")
        return `${requested(finding)} lists that item as found; expected it to be refused or reported under ${code("errors")}.`;
      const { comparedLimit: other } = finding.details ?? {};
      const elsewhere = other === undefined ? `without ${code("limit")}` : `with ${code(`limit=${other}`)}`;
      return `${productOf(finding)} of ${category(finding)} is returned${inPages(finding)}, and not in another walk ${elsewhere}${moreOf(finding)}.`;
    },
  }),
  "no-found-list": fails<{ expected?: number | undefined }>("shape", {
    text: (finding) =>
      finding.expected === undefined
        ? `The batch result has no array of found products${seenIn(finding)}.`
        : `${code("meta.found")} is ${finding.expected}, but no array of the batch result holds a product${seenIn(finding)}.`,
  }),
  "retailer-not-listed": fails<{ subject: string }>("access", {
    text: (finding) =>
      `${productOf(finding)} is returned, but GET /retailers does not list ${code(subject(finding))}.`,
  }),
  "listed-retailer-refused": fails<{ subject: string; actual: number; details?: ErrorDetails | undefined }>(
    "access",
    {
      shownBy: "status",
      text: (finding) =>
        `GET /retailers lists ${code(subject(finding))}${finding.condition === "other-organization" ? " for the other organization" : ""}, but a request for it returned ${statusSeen(finding)}.`,
    },
  ),
  "write-accepted": fails<{ subject: string; actual: number; details?: ErrorDetails | undefined }>("access", {
    shownBy: "status",
    text: (finding) =>
      `${subject(finding)} on the path of a made-up product returned ${statusSeen(finding)}; expected an error status: the service is read-only.`,
  }),
  "differs-between-ways": fails<{
    subject: string;
    expected?: unknown;
    actual?: unknown;
    details?: { shiftMinutes?: number | undefined } | undefined;
  }>("data", {
    text: (finding) => {
      const { expected, actual, endpoint, seen, details } = finding;
      const name = `${code(subject(finding))} of ${productOf(finding)}`;
      const way = wayNames[endpoint ?? "other"];
      const shift = details?.shiftMinutes;
      const hours = shift === undefined ? "" : `, by ${duration(60 * Math.abs(shift))} each`;
      const zone = shift === undefined || Math.abs(shift) === 720 ? hours : `${hours}, as between time zones`;
      const more =
        seen?.total === undefined
          ? ""
          : ` The same holds for ${figure(seen.count)} of ${counted(seen.total, "product")} requested again${zone}.`;
      if (actual === undefined) return `${name} is returned by id, but not ${way}.${more}`;
      if (expected === undefined) return `${name} is returned ${way}, but not by id.${more}`;
      return `${name} is ${value(expected)} by id, and ${value(actual)} ${way}.${more}`;
    },
  }),
  "status-differs": fails<{ expected: number; actual: number; details?: ErrorDetails | undefined }>("data", {
    expectedStatus: "the same request, sent the other way, got",
    shownBy: "status",
    text: (finding) => {
      const [one, other] = pair(finding);
      return `${endpointName(finding)} returned ${finding.expected} ${one}, and ${statusSeen(finding)} ${other}.`;
    },
  }),
  "shown-by-one-only": fails<{
    subject?: string | undefined;
    details: RequestDetails & { by: "one" | "other" };
  }>("compared", {
    text: (finding) => {
      const [one, other] = pair(finding);
      const [by, not] = finding.details.by === "one" ? [one, other] : [other, one];
      const what =
        finding.product !== undefined
          ? productOf(finding)
          : finding.subject !== undefined
            ? `Retailer ${code(finding.subject)}`
            : finding.path === "/meta/next_cursor"
              ? "A cursor of the next page"
              : "A product";
      return `${what} is returned ${by}, but not ${not}${moreOf(finding)}.`;
    },
  }),
  "paging-never-ends": fails<{
    subject: string;
    actual?: unknown;
    details: { repeats: "cursor"; first: number; again: number } | { repeats: "products"; products: number };
  }>("data", {
    headings: ["First", "Again"],
    text: ({ details, ...finding }) => {
      const how =
        details.repeats === "cursor"
          ? `page ${details.again} repeats the cursor of page ${details.first}`
          : `within ${often(finding.seen)} the same ${counted(details.products, "product repeats", "products repeat")}`;
      return `Paging through ${category(finding)} goes round in a circle: ${how}.`;
    },
  }),
  "cursor-kept": fails<{ actual: string }>("data", {
    howOften: "beside",
    text: ({ actual }) =>
      `A page returned the cursor that it was requested with, ${code(actual)}: a client that repeats the request gets another page, or the same one for ever.`,
  }),
  "empty-products": fails<{ details: { empty: number; products: number } }>("data", {
    howOften: "beside",
    text: ({ details }) =>
      `A page of ${counted(details.products, "entry", "entries")} has ${counted(details.empty, "empty object")} in place of products.`,
    fix: "Leave what is not to be shown out of the page.",
  }),
  "cursor-rejected": fails<{
    subject: string;
    actual?: number | undefined;
    details?: ErrorDetails | undefined;
  }>("data", {
    shownBy: "status",
    text: (finding) =>
      finding.seen?.count === 0
        ? `The first page of ${category(finding)} returned ${statusSeen(finding)}, although it was browsed before.`
        : `The cursor of page ${finding.seen?.count ?? 0} of ${category(finding)} returned ${statusSeen(finding)} instead of a page.`,
  }),
  "refused-after-wait": fails<{ subject: "Retry-After"; expected: number }>("data", {
    headings: ["First, with the wait to keep", "Again, after that wait"],
    shownBy: "status",
    text: ({ expected }) => `Still refused with 429 after waiting the ${expected} s given in Retry-After.`,
  }),
  "limit-shared": fails<Tallies>("access", {
    shownBy: "status",
    text: (finding) => `The other organization was limited together with the first: ${tallies(finding)}.`,
  }),
  "limit-not-shared": fails<Tallies>("data", {
    shownBy: "status",
    text: (finding) =>
      `${finding.subject === "primary" ? "Requests with one key and other headers (that of the key among them)" : "Two keys of one organization"} were not limited together: ${tallies(finding)}.`,
  }),
  "closed-on-input": fails<{
    subject: string;
    expected: readonly number[];
    details: RequestDetails & { failure: string };
  }>("data", {
    expectedStatus: "expected",
    shownBy: "status",
    text: (finding) =>
      `${requested(finding)} got no complete response: ${transportFailureWords(finding.details.failure).text}; expected ${statusExpected(finding.expected)}. Other requests got one.`,
  }),
  "false-not-found": fails<{ actual: number }>("data", {
    // A batch without an item counts as not found.
    shownBy: ({ actual }) => (actual === 200 ? undefined : "status"),
    text: (finding) => {
      const { endpoint, seen } = finding;
      const what =
        endpoint === "batch"
          ? `${productOf(finding)} was missing from a batch`
          : `${endpointName(finding)} of ${productOf(finding)} returned ${finding.actual}`;
      return `${what}, although it was found before and after. In all, ${often(seen)} for existing data did not find all of it.`;
    },
  }),
  "retailer-of-other-organization": fails<{ subject: string; details?: { caller: AskedBy } | undefined }>(
    "leak",
    {
      text(finding) {
        if (finding.condition === "both-headers")
          return "GET /retailers with the keys of two organizations, one in each header, returned some retailers that the first key alone does not get, and some that the other key alone does not get.";
        return finding.details?.caller === "otherOrg"
          ? `GET /retailers with the key of the other organization returned ${code(subject(finding))}, which is listed for the first organization only.`
          : `GET /retailers returned ${code(subject(finding))}, which is listed for the other organization only.`;
      },
    },
  ),
  "comes-and-goes": fails<{ expected: string[] }>("data", {
    text: (finding) => {
      const { expected, product, seen } = finding;
      const of = product === undefined ? "" : ` of ${productOf(finding)}`;
      // A product may be in responses to different requests.
      const when = product === undefined ? "before and after" : "in other responses";
      return `${endpointName(finding)} returned 200 without ${listed(expected.map(code))}${of}, which it returned ${when} to the same key. ${often(seen, "such response")} to requests with the same headers lacked some of it.`;
    },
    // Another list may be that of another organization.
    fix: ({ product }) => (product === undefined ? undefined : allOrError),
  }),
};

type OtherPlace = "retailer-list" | "retailer-domains" | "request";
const toldElsewhere = {
  "retailer-list": "GET /retailers names the retailer",
  "retailer-domains": "the domains of the retailer are",
  request: "the request was for",
} as const satisfies Record<OtherPlace, string>;

function timesOf(count: number): string {
  return count === 1 ? "once" : count === 2 ? "twice" : `${figure(count)} times`;
}

const wayNames: Readonly<Record<NonNullable<SharedFields["endpoint"]>, string>> = {
  retailers: "in the list of retailers",
  "lookup-by-id": "by id",
  "lookup-by-url": "by URL",
  "lookup-by-gtin": "by GTIN",
  "category-page": "on a category page",
  batch: "in a batch",
  other: "otherwise",
};

const formatNames = {
  "currency-code": "a currency code",
  url: "a URL",
  "utc-timestamp": "an ISO 8601 timestamp in UTC",
  "host-name": "a host name",
  "whole-seconds": "whole seconds to wait, in at most nine digits",
  "json-content-type": "a JSON content type",
  count: "a whole number, zero or more",
  "not-blank": "text that is not blank",
  "past-time": "a time that is not in the future",
} as const;
type FormatName = keyof typeof formatNames;

const sentWords = {
  sent: ["item was", "items were"],
  unknown: ["unknown product was", "unknown products were"],
} as const;

/** A counter with its value, or a list with its length. */
function amount({ path = "", actual }: SharedFields & { readonly actual?: unknown }): string {
  return path.startsWith("/meta/")
    ? `${place(path)} is ${value(actual)}`
    : `${place(path)} has ${counted(lengthOf(actual), "entry", "entries")}`;
}

/** A length, which is always a number; a counter may be anything. */
function lengthOf(actual: unknown): number {
  return typeof actual === "number" ? actual : 0;
}

function statusExpected(expected: readonly number[] | undefined): string {
  return expected === undefined ? `an error status` : oneOf(expected);
}

function bodyOf(finding: SharedFields & { readonly details: { readonly status: number } }): string {
  return finding.byStatus === undefined
    ? `The body of a response with status ${finding.details.status}`
    : "The body of a response";
}

interface NotJson {
  /** The coding of Content-Encoding, if the body cannot be decoded. */
  subject?: string | undefined;
  details: { status: number; cause?: keyof typeof notJson | undefined; deepest?: number | undefined };
}

const notJson = {
  empty: () => "empty instead of JSON",
  syntax: () => "not JSON",
  depth: (_, deepest) => `nested deeper than ${deepest} levels and was not read`,
  "byte-order-mark": () => "not JSON: it begins with a byte order mark",
  "utf-8": () => "not JSON in valid UTF-8",
  coding: (coding) => `not ${code(coding)}, which Content-Encoding names, or its end is missing`,
} as const satisfies Record<string, (coding: string, deepest: number | undefined) => string>;

function field(finding: SharedFields): string {
  return finding.product === undefined
    ? place(finding.path)
    : `${place(finding.path)} (product ${productName(finding.product)})`;
}

/** How many of the responses, and their statuses if they differ: ` (all 552 responses are like this: 400, 404)`. */
function seenIn({ seen, byStatus }: SharedFields): string {
  if (seen?.of !== "responses" || seen.total === undefined || seen.total < 2) return "";
  const { count, total } = seen;
  // Only one is shown: its product and its values are not those of all.
  const share = `${count === total ? "all" : `${figure(count)} of`} ${counted(total, "checked response")}`;
  const statuses = byStatus === undefined ? "" : `: ${byStatus.map(({ status }) => status).join(", ")}`;
  return ` (${share} ${count === 1 ? "is" : "are"} like this${statuses})`;
}

function seenAt(finding: SharedFields & { details?: { status: number } | undefined }): string {
  const isOne = finding.details !== undefined && finding.byStatus === undefined;
  return `${isOne ? ` with status ${finding.details?.status}` : ""}${seenIn(finding)}`;
}

function moreOf({ seen }: SharedFields): string {
  return seen === undefined || seen.count < 2
    ? ""
    : `, as ${seen.count === 2 ? "is 1" : `are ${seen.count - 1}`} more`;
}

function inPages({ details, condition }: Paged & SharedFields): string {
  const key = condition === "other-organization" ? " with the key of the other organization" : "";
  return details?.limit === undefined ? key : ` with ${code(`limit=${details.limit}`)}${key}`;
}

function callerName(caller: AskedBy): string {
  if (caller === "sameOrg") return "the second key of the organization";
  return caller === "otherOrg" ? "the key of the other organization" : "this key";
}
