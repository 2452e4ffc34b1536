import { onProducts } from "../answer-changes.ts";
import { faultsOf } from "./fault.ts";

const omitted =
  "Fields that a retailer did not provide are omitted from the response. They are never returned as null or as an empty string.";

export const productFieldFaults = faultsOf("What the service does", [
  [
    "null-field",
    "product.omitted-not-null",
    omitted,
    onProducts((product) => ({ ...product, price: product.price ?? null, mpn: product.mpn ?? null })),
  ],
]);
