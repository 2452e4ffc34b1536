import { type EndpointId, endpoints } from "../../schemas/api.ts";
import { byId, type Request, retailers } from "../client/requests.ts";
import { need } from "../discovery/fixtures.ts";
import type { CheckContext } from "../engine/check.ts";

// Input that is legal HTTP and that a service may choke on. URLs stay below 8 kB, which every usual server takes.

/** One hostile request, and what is hostile about it. */
export interface HostileInput {
  readonly endpoint: EndpointId;
  /** The parameter that carries it, or the part of the message. */
  readonly parameter: string;
  /** What is special about its value; schemas/words/ has the words. */
  readonly kind: string;
  readonly request: Request;
}

/** A parameter of a URL: how a value that is percent-encoded already gets there. */
export interface HostilePlace {
  readonly endpoint: EndpointId;
  readonly parameter: string;
  /** Names of the values that are tried, of `values` below or of its own. */
  readonly kinds: readonly string[];
  readonly values?: Readonly<Record<string, string>>;
  readonly path: (context: CheckContext, encoded: string) => string;
}

/** A text as bytes, each of them percent-encoded unless it is a letter, a digit, `-`, `_` or `.`. */
export function percentEncoded(bytes: string | Uint8Array): string {
  return [...Buffer.from(bytes as string)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[\w.-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}

const longest = 5000;

/** Values by their names, encoded. */
const values: Readonly<Record<string, string>> = {
  nul: "shelf%00check",
  "invalid-utf8": "shelf%C3%28check%FF",
  surrogate: "shelf%ED%A0%80check",
  long: "x".repeat(longest),
  "long-number": "9".repeat(longest),
  unicode: percentEncoded("e\u0301\u202eשלום\u200d👩‍👩‍👧𝒳😀İ\uffff\ufeff"),
  punctuation: percentEncoded(`'"\\;:([{*?#&=+%_$|~^,!@)]}\``),
  "line-break": "shelf%0D%0Acheck%09",
  blank: "%20",
  "32-bit": "2147483648",
  "64-bit": "9223372036854775808",
  "huge-number": "9".repeat(40),
  "negative-number": "-1",
  infinite: "1e309",
  hexadecimal: "0x10",
  "arabic-digits": percentEncoded("٤٠٠٦٣٨١٣٣٣٩٣١"),
};

const text = ["nul", "invalid-utf8", "surrogate", "long", "unicode", "punctuation"] as const;
const [productsPath = ""] = endpoints["lookup-by-url"].path.split("?");
const parameters = (...pairs: readonly string[]) => `${productsPath}?${pairs.join("&")}`;

/** Every parameter of a URL. */
export const hostilePlaces = {
  "product-id": {
    endpoint: "lookup-by-id",
    parameter: "product_id",
    kinds: [...text, "64-bit", "huge-number", "negative-number", "blank"],
    path: ({ fixtures }, encoded) => {
      const [slug = ""] = need(fixtures.retailers);
      return byId(slug, "0").path.replace(/0$/, () => encoded);
    },
  },
  slug: {
    endpoint: "lookup-by-id",
    parameter: "retailer",
    kinds: ["nul", "invalid-utf8", "long", "unicode"],
    path: (_context, encoded) => byId("0", "0").path.replace(/0\/0$/, () => `${encoded}/0`),
  },
  url: {
    endpoint: "lookup-by-url",
    parameter: "url",
    kinds: [...text, "bad-port", "bad-address", "long-host", "bad-escape"],
    values: {
      "no-host": percentEncoded("https://"),
      "bad-port": percentEncoded("https://shop.example:99999999/p"),
      "bad-address": percentEncoded("https://[::1/p"),
      "long-host": percentEncoded(`https://${"x".repeat(300)}.example/p`),
      "other-scheme": percentEncoded("javascript:alert(1)"),
      "bad-escape": percentEncoded("https://shop.example/%zz%E0%A4%A?%"),
    },
    path: ({ fixtures }, encoded) =>
      parameters(`url=${encoded.startsWith("http") ? "" : siteOf(fixtures.sites[0])}${encoded}`),
  },
  gtin: {
    endpoint: "lookup-by-gtin",
    parameter: "gtin",
    kinds: ["nul", "invalid-utf8", "long-number", "punctuation", "arabic-digits", "64-bit", "huge-number"],
    path: (_context, encoded) => parameters(`gtin=${encoded}`),
  },
  scope: {
    endpoint: "lookup-by-gtin",
    parameter: "retailer",
    kinds: ["nul", "long", "unicode"],
    path: (_context, encoded) => parameters("gtin=4006381333931", `retailer=${encoded}`),
  },
  category: {
    endpoint: "category-page",
    parameter: "category",
    kinds: [...text, "line-break"],
    path: (_context, encoded) => parameters(`category=${encoded}`),
  },
  limit: {
    endpoint: "category-page",
    parameter: "limit",
    kinds: ["32-bit", "64-bit", "huge-number", "long-number", "infinite", "nul", "empty"],
    values: { empty: "" },
    path: (context, encoded) => parameters(`category=${categoryOf(context)}`, `limit=${encoded}`),
  },
  cursor: {
    endpoint: "category-page",
    parameter: "cursor",
    kinds: ["nul", "invalid-utf8", "long", "unicode", "negative-number", "json-as-base64"],
    values: { "json-as-base64": Buffer.from('{"offset":-1,"id":null}').toString("base64url") },
    path: (context, encoded) => parameters(`category=${categoryOf(context)}`, `cursor=${encoded}`),
  },
} as const satisfies Record<string, HostilePlace>;

function siteOf(url: string | undefined): string {
  const origin = url !== undefined && URL.canParse(url) ? new URL(url).origin : "https://shop.example";
  return percentEncoded(`${origin}/`);
}

function categoryOf({ fixtures }: CheckContext): string {
  return percentEncoded(need(fixtures.category).category);
}

// Rules of an endpoint hold for what is asked in due form: as `other`, only those of every response look at it.
const asked = (path: string): Request => ({ ...retailers(), endpoint: "other", path });

/** What is asked at one place. @throws NotJudged where nothing is known that it takes. */
export function hostileInputs(place: HostilePlace, context: CheckContext): HostileInput[] {
  const own = place.values ?? {};
  // A thorough run tries every value everywhere.
  const every = [...place.kinds, ...Object.keys(values), ...Object.keys(own)];
  const kinds = new Set(context.effort > 1 ? every : place.kinds);
  return [...kinds].map((kind) => hostileInput(place, kind, own[kind] ?? values[kind] ?? "", context));
}

/** A value, encoded, at a place. */
export function hostileInput(
  place: HostilePlace,
  kind: string,
  encoded: string,
  context: CheckContext,
): HostileInput {
  const { endpoint, parameter, path } = place;
  return { endpoint, parameter, kind, request: asked(path(context, encoded)) };
}

/** Parameters that come twice, under other names, or not as pairs. */
export function hostileQueries({ fixtures }: CheckContext): HostileInput[] {
  const category = percentEncoded(
    fixtures.category.present ? fixtures.category.value.category : "shelfcheck",
  );
  const input = (endpoint: EndpointId, kind: string, path: string): HostileInput => ({
    endpoint,
    parameter: "query",
    kind,
    request: asked(path),
  });
  return [
    input("lookup-by-gtin", "repeated", parameters("gtin=4006381333931", "gtin=96385074")),
    input("category-page", "repeated", parameters(`category=${category}`, "limit=1", "limit=x")),
    input("category-page", "in-brackets", parameters(`category[]=${category}`, "category[x][y]=1")),
    input("lookup-by-url", "no-pairs", parameters("", "&", "=", "%00=%00", "url")),
    input(
      "category-page",
      "prototype",
      parameters(`category=${category}`, "__proto__[limit]=1", "constructor=1"),
    ),
    input("retailers", "not-asked-for", `${endpoints.retailers.path}?%00=%FF&limit=-1&category=x`),
  ];
}

/** Ids and slugs of a batch that is otherwise in due form; JSON can write what no URL can. */
const oddTexts: Readonly<Record<string, string>> = {
  nul: "shelf\u0000check",
  surrogate: "shelf\ud800check",
  long: "x".repeat(longest),
  unicode: "e\u0301\u202eשלום\u200d👩‍👩‍👧𝒳😀İ\uffff\ufeff",
  punctuation: `'"\\;:([{*?#&=+%_$|~^,!@)]}\`/`,
  "line-break": "shelf\r\ncheck\t",
  blank: " ",
  "64-bit": "9223372036854775808",
  "huge-number": "9".repeat(40),
  "negative-number": "-1",
  prototype: "__proto__",
};

/** Batches with odd values, first all of them in one, and then each alone. */
export function hostileItems(context: CheckContext): { all: HostileInput; each: HostileInput[] } {
  const [slug = ""] = need(context.fixtures.retailers);
  const items = Object.entries(oddTexts).map(([kind, odd]) => ({
    kind,
    item: { retailer: slug, product_id: odd },
  }));
  const long = { retailer: oddTexts.long, product_id: "0" };
  return {
    all: itemsInput(
      context,
      "several-kinds",
      items.map(({ item }) => item),
    ),
    each: [
      ...items.map(({ kind, item }) => itemsInput(context, kind, [item])),
      itemsInput(context, "long", [long], "retailer"),
    ],
  };
}

/** A batch of any items, whatever they are. */
export function itemsInput(
  context: CheckContext,
  kind: string,
  items: readonly unknown[],
  parameter = "product_id",
): HostileInput {
  return bodyInput(kind, inField(context, JSON.stringify(items)), parameter);
}

// Deep enough for a parser that calls itself, and short enough for every limit on the size of a body.
const deepest = 5000;

/** Bodies of a batch: other JSON than asked for, JSON of odd form, and none. */
export function hostileBodies(context: CheckContext): HostileInput[] {
  const [slug = ""] = need(context.fixtures.retailers);
  const retailer = JSON.stringify(slug);
  const item = `{"retailer":${retailer},"product_id":"0"}`;
  const withId = (id: string) => `{"retailer":${retailer},"product_id":${id}}`;
  const list = (...entries: readonly string[]) => inField(context, `[${entries.join(",")}]`);
  const { batchRequestField: field } = need(context.fixtures.batch);
  const twice =
    field === ""
      ? `[{"product_id":"0",${item.slice(1)}]`
      : `{${JSON.stringify(field)}:7,${list(item).slice(1)}`;
  const bodies: Readonly<Record<string, string>> = {
    "empty-body": "",
    "null-body": "null",
    "null-list": inField(context, "null"),
    "object-for-list": inField(context, "{}"),
    "empty-list": list(),
    "null-item": list(item, "null"),
    "number-item": list("7", item),
    "nested-list": list(`[${item}]`),
    "number-id": list(withId("7")),
    "null-id": list(withId("null")),
    "object-id": list(withId('{"$ne":null}')),
    "list-id": list(withId("[]"), `{"retailer":["x"],"product_id":"0"}`),
    "deep-nesting": list(`${"[".repeat(deepest)}${"]".repeat(deepest)}`),
    "repeated-key": twice,
    prototype: list(`{"__proto__":{"product_id":"0"},${item.slice(1)}`),
    "trailing-comma": list(item, ""),
  };
  const types: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    "no-content-type": {},
    "text-type": { "content-type": "text/plain" },
    "form-type": { "content-type": "application/x-www-form-urlencoded" },
    "broken-type": { "content-type": 'application/json; charset="shelfcheck' },
  };
  return [
    ...Object.entries(bodies).map(([kind, body]) => bodyInput(kind, body)),
    ...Object.entries(types).map(([kind, headers]) => {
      const input = bodyInput(kind, list(item), "content-type");
      return { ...input, request: { ...input.request, headers } };
    }),
  ];
}

function inField({ fixtures }: CheckContext, list: string): string {
  const { batchRequestField: field } = need(fixtures.batch);
  return field === "" ? list : `{${JSON.stringify(field)}:${list}}`;
}

/** A batch request with a body as it is. */
function bodyInput(kind: string, body: string, parameter = "body"): HostileInput {
  const { method, path } = endpoints.batch;
  const headers = { "content-type": "application/json" };
  return { endpoint: "batch", parameter, kind, request: { ...asked(path), method, headers, body } };
}
