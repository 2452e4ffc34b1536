import type { Dialect, Finding, Product } from "../../schemas/types.ts";
import { NotJudged } from "../engine/outcome.ts";

/** Something that a check needs from the live target: found, or not, and then why. */
export type Fixture<T> =
  | { readonly present: true; readonly value: T }
  | { readonly present: false; readonly missing: Finding };

/** A product that the target showed, with what it takes to ask for it. */
export interface ProductFixture {
  readonly retailer: string;
  readonly productId: string;
  readonly product: Product;
  /** Page URL that the product carries. */
  readonly url?: string;
  /** GTIN that the product carries, as far as the dialect is known. */
  readonly gtin?: string;
}

/** A product that carries its page URL. */
export type UrlFixture = ProductFixture & { readonly url: string };

/** A product that its GTIN finds. */
export type GtinFixture = ProductFixture & { readonly gtin: string };

/** A category and its first pages. */
export interface CategoryFixture {
  readonly category: string;
  readonly products: readonly ProductFixture[];
  /** Products that cannot be asked for, since their retailer or id is missing or of another type. */
  readonly unusable?: readonly Product[];
  /** False where a page had no array under `products`. */
  readonly hasList?: boolean;
  /** Cursor to the second page; empty when the first is the last. */
  readonly nextCursor: string;
}

/** A second key that the target accepts, and whether what it sees shows that it plays its role. */
export type KeyInRole =
  | { readonly told: "yes" }
  /** `no`: nothing speaks for it or against it. `against`: it sees other things than its role says. */
  | { readonly told: "no" | "against"; readonly doubt: Finding };

/** All that discovery found at the target; the checks ask for nothing that is not in here. */
export interface Fixtures {
  /** Slugs that the primary key may use. */
  readonly retailers: Fixture<readonly string[]>;
  /** Slugs that the other organization's key may use. */
  readonly otherRetailers: Fixture<readonly string[]>;
  /** A product that the primary key can fetch by id. */
  readonly product: Fixture<ProductFixture>;
  /** All products that category browsing showed to the primary key. */
  readonly products: readonly ProductFixture[];
  /** Some that browsing showed although their retailer is not listed for the key; no check asks with these. */
  readonly unlisted: readonly ProductFixture[];
  /** Products whose page URL is known, of different forms where there are such; not all of them need be found. */
  readonly withUrl: readonly UrlFixture[];
  /** A page URL of each retailer, as far as one is known. */
  readonly sites: readonly string[];
  /** A product that its page URL finds. */
  readonly productByUrl: Fixture<UrlFixture>;
  /** Products, of different retailers where there are such, that their GTIN finds. */
  readonly productsByGtin: Fixture<readonly [GtinFixture, ...GtinFixture[]]>;
  /** Products that carry a GTIN which finds nothing, although it stands where GTINs stand. */
  readonly unfoundByGtin: readonly GtinFixture[];
  /** Products whose GTIN, when it is not scoped, leads to another retailer's product. */
  readonly sharedGtins: readonly GtinFixture[];
  /** A slug that exists and that the primary key may not use. */
  readonly unentitledRetailer: Fixture<string>;
  /** A product of an unentitled retailer, seen with the other organization's key. */
  readonly unentitledProduct: Fixture<ProductFixture>;
  /** A product of a retailer that the primary key may use and the other organization's key may not. */
  readonly ownProduct: Fixture<ProductFixture>;
  readonly category: Fixture<CategoryFixture>;
  readonly categories: readonly CategoryFixture[];
  readonly batch: Fixture<
    Required<Pick<Dialect, "batchRequestField" | "batchFoundField" | "batchFoundProduct">>
  >;
  /** Statuses of the batch endpoint in every form that was tried, where none was accepted. */
  readonly batchRefusals: readonly number[];
  /** A second key of the primary key's organization. */
  readonly sameOrgKey: Fixture<KeyInRole>;
  /** A key of another organization. */
  readonly otherOrgKey: Fixture<KeyInRole>;
}

export function present<T>(value: T): Fixture<T> {
  return { present: true, value };
}

export function absent(missing: Finding): Fixture<never> {
  return { present: false, missing };
}

/** Without a category nothing can be browsed, so that no product is known either. */
export const noCategory = {
  present: false,
  missing: { code: "no-category" },
} as const satisfies Fixture<never>;

/** Without it nothing is known that exists and is not granted. */
export const noOtherOrgKey = absent({ code: "no-other-org-key" });

/** Without it nothing is known of what the keys of one organization share. */
export const noSameOrgKey = absent({ code: "no-same-org-key" });

/** A part of a fixture that not every one has. @throws NotJudged with this finding when it is not there. */
export function needPart<T>(part: T | undefined, missing: Finding): T {
  if (part === undefined) throw new NotJudged(missing);
  return part;
}

/** The finding that no product of a retailer with such a field was seen. */
export function noProductWith(field: "product_url" | "gtin", retailer: string): Finding {
  return { code: "no-product-with", subject: field, details: { retailer } };
}

/** The fixture's value. @throws NotJudged when it is absent, and why. */
export function need<T>(fixture: Fixture<T>): T {
  if (!fixture.present) throw new NotJudged(fixture.missing);
  return fixture.value;
}
