import type { CatalogueLine, ProductLine } from "./line.ts";
import {
  awkwardIdentifiers,
  categories,
  dotSegmentCategory,
  type Model,
  scriptedOffers,
  sketchModel,
} from "./models.ts";
import { createRandom, pick, type Random } from "./random.ts";
import { type RetailerSketch, type RetailerSlug, retailerSketches } from "./retailers.ts";

const bySlug = new Map<string, RetailerSketch>(retailerSketches.map((sketch) => [sketch.slug, sketch]));
const sellers = ["nordkauf", "nordkauf", "tinkerbox", "brightmart", "maison & fils", "greenleaf"] as const;
const ordinary = categories.filter((name) => name !== "last chance" && name !== "books");
const everyBookIs = 29;

/**
 * A plausible catalogue: retailers of very different completeness, shared GTINs, awkward identifiers, a
 * category dense with products of unentitled retailers. The same for the same numbers.
 * @param products how many; a handful of products with `.` and `..` as identifier comes on top when there are 20.
 */
export function* generateCatalogue(products: number, seed: number): Generator<CatalogueLine> {
  for (const { slug, name, domains } of retailerSketches) yield { kind: "retailer", slug, name, domains };
  const random = createRandom(seed);
  const awkward = awkwardIdentifiers.values();
  let made = 0;
  for (let modelNumber = 0; made < products; modelNumber++) {
    for (const { model, retailer } of offersOf(modelNumber, made / products, random)) {
      if (made >= products) break;
      // From the tenth product on, so that even a small catalogue has plain ones first.
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
): Generator<{ model: Model; retailer: RetailerSketch }> {
  const scripted = scriptedOffers[number];
  // One long stretch of a category, so that whole pages of it are empty for an organization.
  if (scripted === undefined && progress > 0.4 && progress < 0.55) {
    const model = sketchModel(number, "last chance", random);
    yield { model, retailer: sketch(lastChanceSeller(progress, random)) };
    return;
  }
  const category =
    number % everyBookIs === 5 ? "books" : (ordinary[skewed(random, ordinary.length)] ?? "books");
  const model = sketchModel(
    number,
    scripted === undefined ? category : (ordinary[number % 2] ?? "books"),
    random,
  );
  const offers = scripted ?? randomOffers(random);
  for (const slug of offers) yield { model, retailer: sketch(slug) };
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

function sketch(slug: RetailerSlug): RetailerSketch {
  const found = bySlug.get(slug);
  if (found === undefined) throw new Error(`no sketch of the retailer ${slug}`);
  return found;
}

function describe(
  model: Model,
  retailer: RetailerSketch,
  { number, product_id }: { number: number; product_id: string },
  random: Random,
): ProductLine {
  const has = () => random() < retailer.completeness;
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
    ...(has() && { product_url: url }),
    ...(has() && { images: imagesOf(retailer, number) }),
    ...(has() && { gtin: retailer.slug === "tinkerbox" ? model.gtin.padStart(14, "0") : model.gtin }),
    ...(has() && { mpn: `M-${model.number}` }),
    ...(has() && { color: pick(random, ["red", "Blue", "GRÜN", "noir"]) }),
    ...(has() && { size: pick(random, ["42", "XL", "10 in", "25 cm"]) }),
    ...(has() && { last_updated: timestamp(random) }),
  };
}

function imagesOf({ host }: RetailerSketch, number: number): string[] {
  return Array.from({ length: 1 + (number % 3) }, (_, index) => `https://img.${host}/${number}/${index}.jpg`);
}

function timestamp(random: Random): string {
  const base = Date.UTC(2025, 0, 1);
  return new Date(base + Math.floor(random() * 300 * 86_400) * 1000).toISOString().replace(".000Z", "Z");
}
