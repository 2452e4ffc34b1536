/** A retailer of the generated catalog. */
export interface GeneratedRetailer {
  readonly slug: string;
  readonly name: string;
  readonly domains: readonly string[];
  /** Host of its product pages, whether or not it is configured as a domain. */
  readonly host: string;
  /** Which of the two organizations may use it. */
  readonly audience: "both" | "first" | "second";
  /** Share of the optional fields that it provides. */
  readonly completeness: number;
  readonly disabled?: true;
  /** How it numbers its products. */
  readonly identifier: (number: number) => string;
}

const asinStyle = (number: number) => `B0${number.toString(36).toUpperCase().padStart(8, "0")}`;
const itemStyle = (number: number) => String(number).padStart(8, "0");
const skuStyle = (number: number) => `SKU-${number}-${"RGB"[number % 3]}`;

/** Shared ones, one of the first organization, two of the second, one without products, one disabled. */
export const generatedRetailers = [
  {
    slug: "nordkauf",
    name: "Nordkauf",
    domains: ["nordkauf.example", "nordkauf-shop.example"],
    host: "www.nordkauf.example",
    audience: "both",
    completeness: 1,
    identifier: asinStyle,
  },
  {
    slug: "tinkerbox",
    name: "Tinkerbox",
    domains: ["tinkerbox.example"],
    host: "shop.tinkerbox.example",
    audience: "both",
    completeness: 0.85,
    identifier: itemStyle,
  },
  {
    slug: "brightmart",
    name: "BrightMart",
    domains: [],
    host: "www.brightmart.example",
    audience: "both",
    completeness: 0.6,
    identifier: skuStyle,
  },
  {
    slug: "maison & fils",
    name: "Maison & Fils — Décoration",
    domains: ["maison-fils.example"],
    host: "maison-fils.example",
    audience: "both",
    completeness: 0.3,
    identifier: (number) => `réf. ${number}`,
  },
  {
    slug: "greenleaf",
    name: "Greenleaf Garden",
    domains: ["greenleaf.example"],
    host: "www.greenleaf.example",
    audience: "first",
    completeness: 0.8,
    identifier: itemStyle,
  },
  {
    slug: "harbour-outlet",
    name: "Harbour Outlet",
    domains: ["harbour-outlet.example"],
    host: "www.harbour-outlet.example",
    audience: "second",
    completeness: 0.9,
    identifier: asinStyle,
  },
  {
    slug: "vault-direct",
    name: "Vault Direct",
    domains: [],
    host: "vault-direct.example",
    audience: "second",
    completeness: 0.5,
    identifier: skuStyle,
  },
  {
    slug: "newcomer",
    name: "Newcomer",
    domains: [],
    host: "newcomer.example",
    audience: "both",
    completeness: 0,
    identifier: skuStyle,
  },
  {
    slug: "sleeping-shop",
    name: "Sleeping Shop",
    domains: ["sleeping-shop.example"],
    host: "sleeping-shop.example",
    audience: "both",
    completeness: 0,
    disabled: true,
    identifier: skuStyle,
  },
] as const satisfies readonly GeneratedRetailer[];

export type RetailerSlug = (typeof generatedRetailers)[number]["slug"];

/** Several pages each, but for the last. No comma, so that they fit a comma-separated list. */
export const categories = [
  "home & garden",
  "shoes",
  "électronique",
  "toys/games",
  "last chance",
  "books",
] as const;

/** Of the products `.` and `..`, which clients that follow the URL standard cannot send in a path. */
export const dotSegmentCategory = "dot segments";

/** Who sells the first models, so that each kind of shared GTIN occurs. */
export const scriptedOffers: readonly (readonly [RetailerSlug, ...RetailerSlug[]])[] = [
  ["nordkauf", "tinkerbox"],
  ["nordkauf", "harbour-outlet"],
  ["harbour-outlet"],
  ["greenleaf", "harbour-outlet"],
  ["tinkerbox", "brightmart", "maison & fils"],
  ["greenleaf"],
  ["maison & fils"],
  ["harbour-outlet", "nordkauf", "tinkerbox"],
  ["vault-direct"],
];

/** They need care in a path, a query or a database; at retailers that both organizations may use. */
export const awkwardIdentifiers = [
  "a/b",
  "50%",
  "two words",
  "ünï-côdé-日本",
  "+plus+",
  "what?",
  "#1",
  "000123",
  "123",
  "../up",
  "a..b",
  "100%25",
  "semi;colon,comma",
  "a&b=c",
  "case",
  "CASE",
  '"quoted"',
  "back\\slash",
  "e\u0301",
  "😀",
] as const;
