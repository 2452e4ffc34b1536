import type { Evidence } from "../../../schemas/contracts/evidence.ts";
import type { Finding } from "../../../schemas/contracts/finding.ts";
import type { RequirementResult, Results } from "../../../schemas/contracts/results.ts";
import { excerptOf } from "../../../schemas/excerpt.ts";
import {
  exampleCheck,
  exampleDifference,
  exampleRequirement,
  exampleResults,
  exampleWaiver,
} from "./example.ts";
import { sampleExchange } from "./sample.ts";

const product = {
  retailer: "acme",
  product_id: "p-1",
  title: "Lamp",
  price: "12.50",
  currency: "EUR",
  gtin: "04006381333931",
  size: null,
  url: "https://acme.example/p/1",
  last_updated: "yesterday",
};

/**
 * Results of a gate with twelve failed requirements, each of another kind, and with what stands beside failures: an error of
 * a check, what was not judged, warnings, waivers in each state, changes of the contract.
 */
export function twelveFailures(): Results {
  const [id, page, batch] = [
    exchange("/products/acme/p-1", product, ["/title", "/price", "/size", "/last_updated"]),
    exchange("/products?category=lamps", { products: [product], meta: { count: 2 } }, [
      "/meta/count",
      "/meta/next_cursor",
      "/products/0/title",
    ]),
    exchange("/products/batch", { products: [product], errors: [] }, ["/products"]),
  ];
  const error = exchange("/products/acme/none", { error: { code: "bad_request", message: "No" } }, [
    "/error/code",
  ]);
  const failures: readonly (readonly [id: string, finding: Finding, shown: Evidence, section?: string])[] = [
    [
      "errors.not-found",
      {
        code: "wrong-status",
        expected: [404],
        actual: 410,
        condition: "unknown-product",
        product: { retailer: "acme", productId: "none" },
      },
      error,
    ],
    ["errors.shape", { code: "missing-field", path: "/error/code", details: { status: 400 } }, error],
    [
      "errors.code",
      {
        code: "error-code-mismatch",
        path: "/error/code",
        expected: "not_found",
        actual: "bad_request",
        details: { status: 404 },
      },
      error,
    ],
    [
      "product.field-types",
      { code: "wrong-type", path: "/price", expected: "number", actual: "12.50" },
      id,
      "Product",
    ],
    [
      "product.no-null",
      {
        code: "null-value",
        path: "/size",
        seen: { count: 12, total: 258, of: "responses" },
        byRetailer: [{ retailer: "acme", count: 12, total: 120 }],
      },
      id,
      "Product",
    ],
    [
      "product.last-updated",
      { code: "wrong-format", path: "/last_updated", expected: "past-time", actual: "yesterday" },
      id,
      "Product",
    ],
    [
      "page.next-cursor",
      { code: "missing-field", path: "/meta/next_cursor", expected: "string" },
      page,
      "Paging",
    ],
    [
      "page.count",
      { code: "wrong-count", path: "/meta/count", subject: "products", expected: 1, actual: 2 },
      page,
      "Paging",
    ],
    [
      "query.paging",
      {
        code: "paging-never-ends",
        subject: "lamps",
        seen: { count: 4, of: "pages" },
        details: { repeats: "cursor" },
      },
      page,
      "Paging",
    ],
    [
      "batch.partial",
      { code: "item-missing", endpoint: "batch", product: { retailer: "acme", productId: "p-2" } },
      batch,
      "Batch",
    ],
    [
      "product.same-shape",
      {
        code: "differs-between-ways",
        endpoint: "category-page",
        product: { retailer: "acme", productId: "p-1" },
        subject: "title",
        path: "/title",
        comparedPath: "/products/0/title",
        expected: "Lamp",
        actual: "Lamp, red",
        comparedWith: 1,
      },
      id,
      "Product",
    ],
    [
      "limits.retry-after",
      { code: "missing-header", subject: "Retry-After", details: { status: 429 } },
      error,
      "Limits",
    ],
  ];
  const requirements = [
    ...failures.map(([name, finding, shown, section = "Errors"]) =>
      requirement(name, section, "fail", { exchange: 0, ...finding }, [shown, page]),
    ),
    requirement(
      "errors.internal",
      "Errors",
      "error",
      { code: "harness-error", actual: "x is not a function" },
      [],
    ),
    requirement("query.limit", "Paging", "inconclusive", { code: "no-category" }, []),
    requirement(
      "auth.other-organization",
      "Authentication",
      "inconclusive",
      { code: "no-other-org-key" },
      [],
    ),
    requirement("product.same-values", "Product", "warn", { code: "empty-string", path: "/title" }, [id]),
  ];
  const waiver = exampleWaiver({ id: "limits.waived" });
  const waived = requirement("limits.waived", "Limits", "warn", { code: "limit-reached" }, [error]);
  return exampleResults({
    requirements: [
      ...requirements,
      { ...waived, checks: waived.checks.map((check) => ({ ...check, waiver })) },
      exampleRequirement(),
    ],
    waivers: (["active", "unused", "stale", "expired"] as const).map((state) => ({
      waiver: { ...waiver, id: `limits.${state}` },
      state,
      where: "shelfcheck.config.ts, waivers[1]",
    })),
    parts: {
      earlier: {
        startedAt: "2026-11-01T00:00:00.000Z",
        differences: [exampleDifference("title"), { ...exampleDifference("brand"), breaking: false }],
        verdicts: [],
      },
    },
  });
}

function requirement(
  id: string,
  section: string,
  verdict: RequirementResult["verdict"],
  finding: Finding,
  evidence: Evidence[],
): RequirementResult {
  const statement = `What the specification asks of ${id}.`;
  const check = { id: `${id}/one`, title: `one look at ${id}`, verdict, findings: [finding], evidence };
  return exampleRequirement({ id, section, statement, verdict, checks: [exampleCheck(check)] });
}

/** A request for `path`, with the excerpts of its response that findings name. */
function exchange(path: string, body: object, places: readonly string[]): Evidence {
  const url = `https://catalog.example/v1${path}`;
  const { request, ...other } = sampleExchange({
    status: 200,
    body: JSON.stringify(body),
    excerpts: places.map((place) => excerptOf(body, place, (text) => text)),
  });
  return {
    ...other,
    request: { ...request, url },
    curl: `curl -sS -i -H "X-Api-Key: $SHELFCHECK_API_KEY" '${url}'`,
  };
}
