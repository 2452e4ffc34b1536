import type { Contract, Drift } from "../../../schemas/types.ts";
import { change } from "./change.ts";

/** Retailers that the primary key may use, and those of which nothing was met this time. */
export function retailerDrift(before: Contract, after: Contract): Drift[] {
  const had = new Set(before.retailers);
  const has = new Set(after.retailers);
  const otherKey =
    before.keyFingerprint === after.keyFingerprint
      ? ""
      : "; the primary key is another than then: if it is another organization's, record its own baseline";
  const sampled = ({ fieldsByRetailer }: Contract, slug: string) =>
    Object.hasOwn(fieldsByRetailer, slug) && (fieldsByRetailer[slug]?.products ?? 0) > 0;
  return [
    ...[...had.difference(has)].map((slug) =>
      change("retailer.vanished", {
        subject: slug,
        statement: `the key may not use the retailer ${slug} any more${otherKey}`,
      }),
    ),
    ...[...has.difference(had)].map((slug) =>
      change("retailer.appeared", { subject: slug, statement: `the key may use the retailer ${slug} now` }),
    ),
    ...[...had.intersection(has)]
      .filter((slug) => sampled(before, slug) && !sampled(after, slug))
      .map((slug) =>
        change("retailer.not-sampled", {
          subject: slug,
          statement: `no product of the retailer ${slug} was met, so its fields were not compared`,
        }),
      ),
  ];
}
