import { randomLcg } from "d3-random";
import {
  awkwardIdentifiers,
  categories,
  dotSegmentCategory,
  type GeneratedRetailer,
  generatedRetailers,
  type RetailerSlug,
  scriptedOffers,
} from "./generator-data.ts";
import { checkDigit } from "./identifiers.ts";
import type { CatalogLine, ProductLine } from "./product-rows.ts";

/** Numbers in [0, 1), the same for the same seed. */
type Random = () => number;

/** A product that several retailers sell under one GTIN. */
interface Model {
  readonly number: number;
  readonly title: string;
  readonly brand: string;
  readonly gtin: string;
  readonly category: string;
  readonly price: number;
}

const brands = ["Aldora", "Birkwell", "CORTINA", "d'Angelo", "Ōsaka Works", "Zweig & Söhne"] as const;
const kinds = ["Lamp", "Runner", "Speaker", "Puzzle", "Kettle", "Rucksack", "Stuhl", "Carafe"] as const;
const makes = ["Classic", "Mini", "Pro", "Été", "XL", "No. 5"] as const;

const bySlug = new Map<string, GeneratedRetailer>(generatedRetailers.map((its) => [its.slug, its]));
const sellers = ["nordkauf", "nordkauf", "tinkerbox", "brightmart", "maison & fils", "greenleaf"] as const;
const ordinary = categories.filter((name) => name !== "last chance" && name !== "books");
const everyBookIs = 29;

/**
 * A plausible catalog: retailers of different completeness, shared GTINs, awkward identifiers, a category
 * dense with products of unentitled retailers. The same for the same arguments.
 * @param products how many; from 20 on, two products with `.` and `..` as identifier are added.
 */
export function* generateCatalog(products: number, seed: number): Generator<CatalogLine> {
  for (const { slug, name, domains } of generatedRetailers) yield { kind: "retailer", slug, name, domains };
  const random = randomLcg(seed);
  const awkward = awkwardIdentifiers.values();
  let made = 0;
  for (let modelNumber = 0; made < products; modelNumber++) {
    for (const { model, retailer } of offersOf(modelNumber, made / products, random)) {
      if (made >= products) break;
      // From the tenth product on, so that a small catalog has plain identifiers too.
      const odd = made >= 10 && retailer.audience === "both" ? awkward.next().value : undefined;
      const number = made++;
      yield describe(model, retailer, { number, product_id: odd ?? retailer.identifier(number) }, random);
    }
  }
  if (products < 20) return;
  for (const product_id of [".", ".."]) {
    yield {
      kind: "product",
      retailer: "nordkauf",
      product_id,
      title: "Dots",
      categories: [dotSegmentCategory],
    };
  }
}

function* offersOf(
  number: number,
  progress: number,
  random: Random,
): Generator<{ model: Model; retailer: GeneratedRetailer }> {
  const scripted = scriptedOffers[number];
  // A long run of one category, so that whole pages of it are empty for an organization.
  if (scripted === undefined && progress > 0.4 && progress < 0.55) {
    const model = createModel(number, "last chance", random);
    yield { model, retailer: retailerOf(lastChanceSeller(progress, random)) };
    return;
  }
  const category =
    number % everyBookIs === 5 ? "books" : (ordinary[skewed(random, ordinary.length)] ?? "books");
  const model = createModel(
    number,
    scripted === undefined ? category : (ordinary[number % 2] ?? "books"),
    random,
  );
  const offers = scripted ?? randomOffers(random);
  for (const slug of offers) yield { model, retailer: retailerOf(slug) };
}

function lastChanceSeller(progress: number, random: Random): RetailerSlug {
  if (progress < 0.475) return pick(random, ["harbour-outlet", "vault-direct"]);
  if (progress < 0.525) return random() < 0.8 ? "greenleaf" : "nordkauf";
  return pick(random, ["nordkauf", "harbour-outlet", "tinkerbox"]);
}

function randomOffers(random: Random): Iterable<RetailerSlug> {
  const offers = new Set<RetailerSlug>([pick(random, sellers)]);
  if (random() < 0.5) offers.add(pick(random, sellers));
  if (random() < 0.15) offers.add(pick(random, ["harbour-outlet", "vault-direct"]));
  return offers;
}

/** The first few are taken more often. */
const skewed = (random: Random, length: number) => Math.floor(random() ** 1.4 * length);

function retailerOf(slug: RetailerSlug): GeneratedRetailer {
  const found = bySlug.get(slug);
  if (found === undefined) throw new Error(`no generated retailer ${slug}`);
  return found;
}

function createModel(number: number, category: string, random: Random): Model {
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

function describe(
  model: Model,
  retailer: GeneratedRetailer,
  { number, product_id }: { number: number; product_id: string },
  random: Random,
): ProductLine {
  const has = () => random() < retailer.completeness;
  // Scripted offers can be looked up with every seed.
  const isFound = () => has() || model.number < scriptedOffers.length;
  const page = `${model.title.toLowerCase().replaceAll(" ", "-")}-${number}`;
  const url =
    retailer.slug === "greenleaf"
      ? `https://${retailer.host}/product?id=${number}`
      : `https://${retailer.host}/p/${encodeURIComponent(page)}`;
  return {
    kind: "product",
    retailer: retailer.slug,
    product_id,
    categories: [model.category],
    internal: {
      wholesale_price: Math.round(model.price * 60) / 100,
      supplier: `INTERNAL-supplier-${number % 17}`,
      review_note: "INTERNAL-not for partners",
    },
    title: model.title,
    ...(has() && { brand: retailer.slug === "tinkerbox" ? model.brand.toUpperCase() : model.brand }),
    ...(has() && {
      description: `${model.title}: made to last, sold by ${retailer.name}. ${"Good. ".repeat(number % 9)}`,
    }),
    ...(has() && { category: retailer.slug === "nordkauf" ? `All > ${model.category}` : model.category }),
    ...(has() && {
      price: Math.round(model.price * (0.9 + random() * 0.2) * 100) / 100,
      currency: retailer.slug === "tinkerbox" ? "USD" : "EUR",
    }),
    ...(has() && {
      availability: pick(random, ["in_stock", "in_stock", "in_stock", "out_of_stock", "preorder"]),
    }),
    ...(isFound() && { product_url: url }),
    ...(has() && { images: imagesOf(retailer, number) }),
    ...(isFound() && { gtin: retailer.slug === "tinkerbox" ? model.gtin.padStart(14, "0") : model.gtin }),
    ...(has() && { mpn: `M-${model.number}` }),
    ...(has() && { color: pick(random, ["red", "Blue", "GRÜN", "noir"]) }),
    ...(has() && { size: pick(random, ["42", "XL", "10 in", "25 cm"]) }),
    ...(has() && { last_updated: timestamp(random) }),
  };
}

function imagesOf({ host }: GeneratedRetailer, number: number): string[] {
  return Array.from({ length: 1 + (number % 3) }, (_, index) => `https://img.${host}/${number}/${index}.jpg`);
}

function timestamp(random: Random): string {
  const base = Date.UTC(2025, 0, 1);
  return new Date(base + Math.floor(random() * 300 * 86_400) * 1000).toISOString().replace(".000Z", "Z");
}

/** A random element of a list. */
function pick<T>(random: Random, list: readonly [T, ...T[]]): T {
  return list[Math.floor(random() * list.length)] ?? list[0];
}
