import type { WireChange } from "../../service/wire.ts";
import {
  isFor,
  itemsOf,
  type Json,
  objectIn,
  objectOf,
  onBatchErrors,
  onBody,
  onProducts,
  onRequest,
  parameter,
  remembering,
  withParameters,
} from "../changes/change.ts";
import type { FaultTable } from "../changes/entry.ts";

// Modelled on incidents: one path with another serializer, a framework that changes characters.

const byId = isFor("lookup-by-id");

const spelled = (change: (id: string) => unknown): WireChange =>
  onBatchErrors((entry) => ({ ...entry, product_id: change(String(entry.product_id)) }));
const toTheLetter = ["batch-result.echo/to-the-letter"] as const;

/** Changes one in four products of a list, always the same ones. */
const forSome = (
  endpoint: "category-page" | "batch",
  change: (product: Json) => Json | undefined,
): WireChange =>
  onProducts(
    (product) => (characterSum(String(product.product_id)) % 4 === 0 ? change(product) : undefined),
    [endpoint],
  );

const characterSum = (id: string) => [...id].reduce((sum, character) => sum + character.charCodeAt(0), 0);

const onText = (field: string, change: (text: string) => string, product: Json): Json | undefined =>
  typeof product[field] === "string" ? { ...product, [field]: change(product[field]) } : undefined;

/** One way of looking up a product always returns it differently. */
export const otherWayFaults = {
  "batch-images-turned": {
    does: "In batches, images are in reverse order.",
    wire: onProducts(
      (product) =>
        Array.isArray(product.images) ? { ...product, images: product.images.toReversed() } : undefined,
      ["batch"],
    ),
    fails: ["product.same-values/by-batch"],
  },
  "batch-question-marks-for-some": {
    does: "In batches, some titles have question marks in place of letters.",
    wire: forSome("batch", (product) =>
      onText("title", (title) => title.replaceAll(/[^ -~]|[aeiou]/g, "?"), product),
    ),
    fails: ["product.same-values/by-batch"],
  },
  "batch-prices-in-cents-for-some": {
    does: "In batches, some prices are in cents.",
    wire: forSome("batch", (product) =>
      typeof product.price === "number" ? { ...product, price: Math.round(product.price * 100) } : undefined,
    ),
    fails: ["product.same-shape/by-batch"],
  },
} satisfies FaultTable;

/** A framework that changes characters of identifiers. */
export const changedCharacterFaults = {
  "echo-digits-as-number": {
    does: "Entries of `errors` repeat ids of digits as numbers.",
    wire: spelled((id) => (/^\d+$/.test(id) ? Number(id) : id)),
    fails: toTheLetter,
  },
  "echo-lower-case": {
    does: "Entries of `errors` repeat ids in lower case.",
    wire: spelled((id) => id.toLowerCase()),
    fails: toTheLetter,
  },
  "echo-normalised": {
    does: "Entries of `errors` repeat ids in another Unicode form.",
    wire: spelled((id) => id.normalize("NFC")),
    fails: toTheLetter,
  },
  "id-cut-at-semicolon": {
    does: "Ids are cut at a semicolon.",
    wire: onPath((path) => path.replace(/%3B.*$/i, "")),
    fails: ["by-id.unknown-product/changed-id"],
  },
  "id-decoded-twice": {
    does: "Ids are decoded twice.",
    wire: onPath((path) => path.replace(/%25(?=[0-9a-f]{2})/gi, "%")),
    fails: ["by-id.unknown-product/changed-id"],
  },
  "id-cut-at-question-mark": {
    does: "Ids are cut at an encoded question mark.",
    wire: onPath((path) => path.replace(/%3F.*$/i, "")),
    fails: ["by-id.unknown-product/changed-id"],
  },
  "id-cut-at-nul": {
    does: "Ids are cut at a NUL character.",
    wire: onPath((path) => path.replace(/%00.*$/i, "")),
    fails: ["by-id.unknown-product/changed-id"],
  },
  "id-without-last-dot": {
    does: "A dot at the end of an id is dropped.",
    wire: onPath((path) => path.replace(/\.$/, "")),
    fails: ["by-id.unknown-product/changed-id"],
  },
  "id-plus-for-blank": {
    does: "A plus sign in an id means a blank.",
    wire: onPath((path) => path.replace(/(?<=\/[^/]+\/[^/]*)(\+|%2B)/gi, "%20")),
    fails: ["by-id.unknown-product/changed-id"],
  },
  "cursor-forgotten-with-another-limit": {
    does: "A cursor with another limit gets the first page.",
    wire: remembering(() => {
      const limits = new Map<string, string | undefined>();
      return (send) => async (request) => {
        if (!isFor("category-page")(request)) return await send(request);
        const [cursor = "", limit] = [parameter(request, "cursor"), parameter(request, "limit")];
        const isOther = limits.has(cursor) && limits.get(cursor) !== limit;
        const response = await send(isOther ? withParameters(request, { cursor: undefined }) : request);
        const next = objectIn(objectOf(response)?.meta).next_cursor;
        if (typeof next === "string" && next !== "") limits.set(next, limit);
        return response;
      };
    }),
    fails: ["query.paging/limit-changes"],
  },
  "duplicates-not-counted": {
    does: "The same item twice in a batch is counted once, and returned twice.",
    wire: onBody("batch", (body, request) => {
      const items = itemsOf(request).map((item) => JSON.stringify(item));
      const meta = objectIn(body.meta);
      const twice = items.length - new Set(items).size;
      return twice === 0
        ? undefined
        : {
            ...body,
            meta: { ...meta, total: Number(meta.found) - 1, found: Number(meta.found) - 1, not_found: 0 },
          };
    }),
    fails: ["batch.lookup/duplicates"],
  },
} satisfies FaultTable;

/** Changes the path of lookups by id. */
function onPath(change: (path: string) => string): WireChange {
  return onRequest((request) => (byId(request) ? { ...request, path: change(request.path) } : undefined));
}
