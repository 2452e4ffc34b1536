import type { CheckContext } from "../check.ts";
import type { Exchange } from "../exchange.ts";
import { need } from "../fixtures.ts";
import { Unjudged } from "../outcome.ts";
import { byGtin, byId } from "../requests.ts";

/** Slugs to try: enough to meet one that is not accepted, few enough for a service with hundreds. */
export const slugsToTry = 8;

/** Asks with each listed slug: for a product of its own where one is known, else as the scope of a known GTIN. */
export async function askEachSlug({
  fixtures,
  shared,
}: CheckContext): Promise<{ slug: string; answer: Exchange }[]> {
  const slugs = need(fixtures.retailers).slice(0, slugsToTry);
  const [gtin] = fixtures.productsByGtin.present ? fixtures.productsByGtin.value : [];
  const answers: { slug: string; answer: Exchange }[] = [];
  for (const slug of slugs) {
    const own = fixtures.products.find(({ retailer }) => retailer === slug);
    const request = own !== undefined ? byId(slug, own.productId) : gtin && byGtin(gtin.gtin, slug);
    if (request === undefined) continue;
    answers.push({ slug, answer: await shared(request) });
  }
  if (answers.length === 0) {
    throw new Unjudged(
      "no product of a listed retailer and no GTIN is known to ask with",
      "Give a category that has products of these retailers (--category).",
    );
  }
  return answers;
}
