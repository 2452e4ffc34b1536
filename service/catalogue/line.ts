import type { AllowedField, PublicProduct } from "../store/public-product.ts";

/** A retailer, as a catalogue file or the generator gives it. */
export interface RetailerLine {
  readonly kind: "retailer";
  readonly slug: string;
  readonly name: string;
  /** Host names; left out or empty while none is configured. */
  readonly domains?: readonly string[];
}

/** A product: its allow-listed fields, the categories that it is browsed in, and what must stay inside. */
export type ProductLine = {
  readonly kind: "product";
  readonly retailer: string;
  readonly categories?: readonly string[];
  readonly internal?: Readonly<Record<string, unknown>>;
} & PublicProduct &
  Partial<Record<AllowedField, unknown>>;

export type CatalogueLine = RetailerLine | ProductLine;
