import { slugsIn } from "../discovery/browsing.ts";
import { need } from "../fixtures.ts";
import { broken, held } from "../outcome.ts";
import { retailers } from "../requests.ts";
import { askEachSlug, slugsToTry } from "./each-slug.ts";
import { hasStatus } from "./expectations.ts";
import { section } from "./section.ts";

/** Spec, GET /v1/retailers. The fields of the entries are held by the passive rules in rules/retailer-answers.ts. */
export default section("retailers", [
  {
    id: "retailers.shape/list",
    requirement: "retailers.shape",
    title: "GET /retailers answers 200 with a list under retailers",
    requests: 1,
    async run({ ask }) {
      const answer = await ask(retailers());
      const status = hasStatus(answer, 200, "the key is accepted");
      if (status.kind !== "held") return status;
      const list = (answer.response.json as { retailers?: unknown } | null | undefined)?.retailers;
      return Array.isArray(list)
        ? held(`${list.length} retailers`)
        : broken("there is no list under retailers", answer);
    },
  },
  {
    id: "retailers.scope/all-granted",
    requirement: "retailers.scope",
    title: "No listed retailer is refused as one that the organization may not use",
    requests: slugsToTry,
    async run(context) {
      for (const { slug, answer } of await askEachSlug(context)) {
        if (answer.response.status === 403) {
          return broken(`${slug} is listed by GET /retailers and refused with 403 as a retailer`, answer);
        }
      }
      return held();
    },
  },
  {
    id: "retailers.scope/all-listed",
    requirement: "retailers.scope",
    title: "Every retailer whose products the organization gets is listed",
    requests: 1,
    async run({ fixtures, ask }) {
      const seen = new Set(fixtures.products.map(({ retailer }) => retailer));
      if (seen.size === 0) need(fixtures.product);
      const answer = await ask(retailers());
      const listed = new Set([...slugsIn(answer.response.json), ...need(fixtures.retailers)]);
      const names = new Set(namesIn(answer.response.json));
      const unlisted = [...seen].filter((slug) => !listed.has(slug) && !names.has(slug));
      return unlisted.length === 0
        ? held()
        : broken(`products of ${unlisted.join(", ")} show, and GET /retailers does not list it`, answer);
    },
  },
]);

// A display name where the slug belongs is another mistake, reported as that (product.retailer).
function namesIn(body: unknown): string[] {
  const list = (body as { retailers?: unknown } | null | undefined)?.retailers;
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: { name?: unknown } | null) =>
    typeof entry?.name === "string" ? [entry.name] : [],
  );
}
