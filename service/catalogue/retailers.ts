/** Which of the two organizations may use a retailer. */
export type Audience = "both" | "first" | "second";

/** A retailer of the generated catalogue. */
export interface RetailerSketch {
  readonly slug: string;
  readonly name: string;
  readonly domains: readonly string[];
  /** Host of its product pages, whether or not it is configured as a domain. */
  readonly host: string;
  readonly audience: Audience;
  /** Share of the optional fields that it provides. */
  readonly completeness: number;
  readonly disabled?: true;
  /** How it numbers its products. */
  readonly identifier: (number: number) => string;
}

const asinStyle = (number: number) => `B0${number.toString(36).toUpperCase().padStart(8, "0")}`;
const itemStyle = (number: number) => String(number).padStart(8, "0");
const skuStyle = (number: number) => `SKU-${number}-${"RGB"[number % 3]}`;

/** Shared ones, one of each organization alone (two for the second), one without products, one disabled. */
export const retailerSketches = [
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
] as const satisfies readonly RetailerSketch[];

export type RetailerSlug = (typeof retailerSketches)[number]["slug"];
