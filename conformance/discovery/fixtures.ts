import type { Finding } from "../../schemas/contracts/finding.ts";
import type { FieldNames, Product } from "../../schemas/contracts/product.ts";
import { NotJudged, reasonOf } from "../requirements/outcome.ts";

/** Something that checks need from the live target, or why it is not available. */
export type Fixture<T> =
  | { readonly present: true; readonly value: T }
  | { readonly present: false; readonly missing: Finding };

/** What names a product at the target. */
export interface Identity {
  readonly retailer: string;
  readonly productId: string;
}

/** A product that the target returned, with the identifiers to look it up. */
export interface ProductFixture extends Identity {
  readonly product: Product;
  readonly url?: string;
  /** GTIN in the product, once the path of GTINs is known. */
  readonly gtin?: string;
}

export type UrlFixture = ProductFixture & { readonly url: string };

export type GtinFixture = ProductFixture & { readonly gtin: string };

/** A category and its first pages. */
export interface CategoryFixture {
  readonly category: string;
  readonly products: readonly ProductFixture[];
  /** Cursor of the second page; empty when there is none. */
  readonly nextCursor: string;
}

/** A second key that the target accepts, and whether the retailers it sees confirm its role. */
export type KeyInRole =
  | { readonly role: "asNamed" }
  /** `contradicted`: what it sees does not fit its role. */
  | { readonly role: "unclear" | "contradicted"; readonly doubt: Finding };

/** Everything that discovery found at the target. Checks use nothing else. */
export interface Fixtures {
  /** Slugs that the primary key may use. */
  readonly retailers: Fixture<readonly string[]>;
  /** Slugs that the other organization's key may use. */
  readonly otherRetailers: Fixture<readonly string[]>;
  /** A product that the primary key finds by id. */
  readonly product: Fixture<ProductFixture>;
  /** All products that category pages returned to the primary key. */
  readonly products: readonly ProductFixture[];
  /** Some products of category pages whose retailer is not listed for the key; no check looks them up. */
  readonly unlisted: readonly ProductFixture[];
  /** Products with page URLs of different forms; not all of them need to be found. */
  readonly withUrl: readonly UrlFixture[];
  /** A product with its page URL of each retailer, where known. */
  readonly sites: readonly UrlFixture[];
  readonly productByUrl: Fixture<UrlFixture>;
  /** Products that are found by their GTIN, of different retailers where possible. */
  readonly productsByGtin: Fixture<readonly [GtinFixture, ...GtinFixture[]]>;
  /** Products with a GTIN, in the usual place, that finds nothing. */
  readonly unfoundByGtin: readonly GtinFixture[];
  /** Products whose GTIN, without a retailer, leads to another retailer's product. */
  readonly sharedGtins: readonly GtinFixture[];
  /** The slug of a retailer that the primary key may not use. */
  readonly unentitledRetailer: Fixture<string>;
  /** A product of such a retailer, seen with the other organization's key. */
  readonly unentitledProduct: Fixture<ProductFixture>;
  /** A product of a retailer that the primary key may use and the other organization's key may not. */
  readonly ownProduct: Fixture<ProductFixture>;
  readonly category: Fixture<CategoryFixture>;
  readonly categories: readonly CategoryFixture[];
  readonly batch: Fixture<
    Required<Pick<FieldNames, "batchRequestField" | "batchFoundField" | "batchFoundProduct">>
  >;
  readonly sameOrgKey: Fixture<KeyInRole>;
  readonly otherOrgKey: Fixture<KeyInRole>;
}

export function present<T>(value: T): Fixture<T> {
  return { present: true, value };
}

export function absent(missing: Finding): Fixture<never> {
  return { present: false, missing };
}

/** Without a category nothing can be browsed, so no product is known either. */
export const noCategory = { present: false, missing: { code: "no-category" } } as const;

/** The page URL or GTIN of a product. @throws NotJudged when none is known */
export function needField({ retailer, url, gtin }: ProductFixture, subject: "product_url" | "gtin"): string {
  const value = subject === "gtin" ? gtin : url;
  if (value === undefined) throw new NotJudged({ code: "no-product-with", subject, details: { retailer } });
  return value;
}

/** The value of a fixture. @throws NotJudged with the reason when it is absent. */
export function need<T>(fixture: Fixture<T>): T {
  if (!fixture.present) throw new NotJudged(fixture.missing);
  return fixture.value;
}

/** The entries of a fixture that is a list; none when it is absent. */
export function orNone<T>(fixture: Fixture<readonly T[]>): readonly T[] {
  return fixture.present ? fixture.value : [];
}

/** What can be found at the target, or what is known instead where no response was to be had. */
export async function attempt<T>(find: () => Promise<T>, otherwise: (why: Finding) => T): Promise<T> {
  try {
    return await find();
  } catch (error) {
    return otherwise(reasonOf(error));
  }
}
