import { checkDigit } from "../query/gtin.ts";
import { pick, type Random } from "./random.ts";
import type { RetailerSlug } from "./retailers.ts";

/** A thing that is made once and sold by several retailers, with one GTIN. */
export interface Model {
  readonly number: number;
  readonly title: string;
  readonly brand: string;
  readonly gtin: string;
  readonly category: string;
  readonly price: number;
}

/** Browsed without a flag: several pages each, but the last. No comma, so that they fit a comma-separated list. */
export const categories = [
  "home & garden",
  "shoes",
  "électronique",
  "toys/games",
  "last chance",
  "books",
] as const;

/** Clients on top of the URL standard cannot send `.` or `..` as a path segment: these are kept apart. */
export const dotSegmentCategory = "dot segments";

const brands = ["Aldora", "Birkwell", "CORTINA", "d'Angelo", "Ōsaka Works", "Zweig & Söhne"] as const;
const kinds = ["Lamp", "Runner", "Speaker", "Puzzle", "Kettle", "Rucksack", "Stuhl", "Carafe"] as const;
const makes = ["Classic", "Mini", "Pro", "Été", "XL", "No. 5"] as const;

export function sketchModel(number: number, category: string, random: Random): Model {
  const brand = pick(random, brands);
  return {
    number,
    brand,
    title: `${brand} ${pick(random, kinds)} ${pick(random, makes)} ${number}`,
    gtin: modelGtin(number),
    category,
    price: Math.round((3 + random() * 400) * 100) / 100,
  };
}

/** EAN-13 for most; every fourth a UPC-A, and some of the first few an EAN-8. */
function modelGtin(number: number): string {
  if (number < 1000 && number % 16 === 7) return withCheckDigit(`96${String(number).padStart(5, "0")}`);
  if (number % 4 === 1) return withCheckDigit(`6${String(number).padStart(10, "0")}`);
  return withCheckDigit(`40${String(number).padStart(10, "0")}`);
}

const withCheckDigit = (digits: string) => digits + checkDigit(digits);

/** Who sells the first models: every kind of sharing that a test may look for. */
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

/** Identifiers that need care in a path, a query or a database; on shared retailers. */
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
