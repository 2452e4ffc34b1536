import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import type { WireChange, WireRequest } from "../../service/wire.ts";
import {
  errorResponse,
  hasBothKeys,
  isFor,
  type Json,
  onProducts,
  onRequest,
  onResponse,
  onRetailers,
  parameter,
  withHeader,
  withParameters,
  withText,
} from "../changes/change.ts";
import type { VariantTable } from "../changes/entry.ts";

// What looks like a defect that a check looks for, and is allowed.

const untidy = [
  "What the service does",
  "Completeness and formatting (casing, units, category taxonomy) vary by retailer.",
] as const;
const json = ["What the service does", "All requests and responses are JSON."] as const;
const url = ["Product", "URL of the product page."] as const;
const time = ["Product", "ISO 8601 UTC timestamp, freshness signal."] as const;
const optional = ["Product", "Any field may be omitted when the retailer did not provide it."] as const;

const onField = (field: string, change: (value: string) => unknown): WireChange =>
  onProducts((product) =>
    typeof product[field] === "string" ? { ...product, [field]: change(product[field]) } : undefined,
  );

/** Leaves what a fault has compressed as it is. */
const onBodyText = (change: (text: string) => string): WireChange =>
  onResponse((response) =>
    "content-encoding" in response.headers ? undefined : withText(response, change(response.body.toString())),
  );

const everyThird = (change: (product: Json) => Json): WireChange =>
  onProducts((product) => (String(product.product_id).length % 3 === 0 ? change(product) : undefined));

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Changes the decoded slug or id of lookups by id. */
const onSegment = (place: 3 | 4, change: (text: string) => string): WireChange =>
  onRequest((request) => {
    if (!isFor("lookup-by-id")(request)) return undefined;
    const segments = request.path.split("/");
    const changed = change(decoded(segments[place] ?? ""));
    return changed === "" || changed === decoded(segments[place] ?? "")
      ? undefined
      : { ...request, path: segments.with(place, encodeURIComponent(changed)).join("/") };
  });

const codings = { br: brotliCompressSync, deflate: deflateSync, gzip: gzipSync } as const;

/** The first coding that a request accepts, in an order of the service's own. */
function codingFor({ headers }: WireRequest): keyof typeof codings | undefined {
  const accepted = headers["accept-encoding"] ?? "";
  return (Object.keys(codings) as (keyof typeof codings)[]).find((name) => accepted.includes(name));
}

export const oddButRightVariants = {
  "texts-like-stand-ins": {
    does: "Some texts begin like stand-ins for missing values, such as Null modem cable.",
    wire: everyThird((product) => ({
      ...product,
      title: "Null modem cable, none of the above",
      brand: "Nil & None",
      color: "nullarbor",
    })),
    allowedBy: untidy,
  },
  "prices-of-nothing": {
    does: "Some products cost 0.",
    wire: everyThird((product) => ({ ...product, price: 0 })),
    allowedBy: optional,
  },
  "times-without-seconds": {
    does: "`last_updated` has no seconds.",
    wire: onField("last_updated", (text) => text.replace(/:\d\d(\.\d+)?Z$/, "Z")),
    allowedBy: time,
  },
  "times-in-basic-form": {
    does: "`last_updated` has no dashes and colons.",
    wire: onField("last_updated", (text) => text.replace(/(\.\d+)?Z$/, "Z").replaceAll(/[-:]/g, "")),
    allowedBy: time,
  },
  "updated-a-moment-ahead": {
    does: "`last_updated` of some products is a minute in the future.",
    wire: everyThird((product) => ({
      ...product,
      last_updated: new Date(Date.now() + 60_000).toISOString(),
    })),
    allowedBy: time,
  },
  "hosts-in-capitals": {
    does: "The host of `product_url` is in capitals.",
    wire: onField("product_url", (text) => text.replace(/^(https?:\/\/)([^/]+)/, (all) => all.toUpperCase())),
    allowedBy: url,
  },
  "domains-not-configured": {
    does: "No retailer has domains.",
    wire: onRetailers((entry) => ({ ...entry, domains: [] })),
    allowedBy: [
      "Retailer",
      "Always present on a retailer entry from GET /v1/retailers; an empty array when none is configured yet.",
    ],
  },
  "whole-numbers-with-a-point": {
    does: "Counters are written with .0.",
    wire: onBodyText((text) =>
      text.replaceAll(/"(count|total|found|not_found|other_errors)":(\d+)(?=[,}])/g, '"$1":$2.0'),
    ),
    allowedBy: json,
  },
  "codings-of-its-own": {
    does: "Bodies are compressed in each coding that the request accepts.",
    wire: onResponse((response, request) => {
      const coding = codingFor(request);
      return coding === undefined || response.body.length === 0
        ? undefined
        : withHeader(
            withHeader({ ...response, body: codings[coding](response.body) }, "content-encoding", coding),
            "vary",
            "Accept-Encoding",
          );
    }),
    allowedBy: json,
  },
  "slugs-in-any-case": {
    does: "Slugs are found in any case of letters.",
    wire: onSegment(3, (slug) => slug.trim().toLowerCase()),
    allowedBy: ["Retailer", "Identifier used as the `retailer` parameter anywhere a retailer is accepted."],
  },
  "ids-trimmed": {
    does: "Blanks around an id are ignored.",
    wire: onSegment(4, (id) => id.trim()),
    allowedBy: [
      "GET /v1/products/{retailer}/{product_id}",
      "`product_id`: the retailer's own identifier (for example an ASIN-style, item-ID-style or SKU-style identifier).",
    ],
  },
  "gtins-with-hyphens": {
    does: "A GTIN is also found with hyphens or blanks.",
    wire: onRequest((request) => {
      const gtin = isFor("lookup-by-gtin")(request) ? parameter(request, "gtin") : undefined;
      return gtin !== undefined && /^[\d -]*\d[\d -]*$/.test(gtin) && /[ -]/.test(gtin)
        ? withParameters(request, { gtin: gtin.replaceAll(/[ -]/g, "") })
        : undefined;
    }),
    allowedBy: ["GET /v1/products (query-driven)", "GTIN (UPC, EAN or similar)."],
  },
  "two-headers-refused": {
    does: "A request with a key in both headers gets 400.",
    wire: onResponse((_response, request) => (hasBothKeys(request) ? errorResponse(400) : undefined)),
    allowedBy: ["Authentication", "Every request carries an API key in either of two headers (equivalent):"],
  },
} satisfies VariantTable;
