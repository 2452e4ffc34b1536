import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";
import openapi from "../../schemas/openapi.json" with { type: "json" };
import { clientOfTests, path, type Reply, walk } from "../../test/support/service.ts";
import { routes } from "../app.ts";
import { allowedFields } from "../catalog/product-rows.ts";

type Operation = { readonly responses: Readonly<Record<string, object>> };
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const client = await clientOfTests();

const ajv = new Ajv2020({ strict: false, formats: { uri: true, "date-time": true } });
ajv.addSchema({ ...openapi, $id: "openapi" });
const paths: Paths = openapi.paths;

/** Validates a response against the schema that the document gives for its status. */
function conforms(reply: Reply, method: string, route: string): void {
  const pointer = `/paths/${route.replaceAll("/", "~1")}/${method}/responses/${reply.status}`;
  const documented = paths[route]?.[method]?.responses[String(reply.status)];
  expect(documented, `${method} ${route} ${reply.status}`).toBeDefined();
  const at = documented !== undefined && "$ref" in documented ? String(documented.$ref).slice(1) : pointer;
  const validate = ajv.getSchema(`openapi#${encodeURI(at)}/content/application~1json/schema`);
  expect(validate?.(reply.json), ajv.errorsText(validate?.errors)).toBe(true);
}

it("has the routes of the service, no more and no fewer", () => {
  const documented = Object.entries(paths).flatMap(([route, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} /v1${route}`),
  );
  const served = routes.map(({ method, url }) => `${method} ${url.replaceAll(/:(\w+)/g, "{$1}")}`);
  expect(documented.sort()).toEqual(served.sort());
});

it("has the allow-list as the fields of a product", () => {
  const fields = Object.keys(openapi.components.schemas.Product.properties);
  expect(fields).toEqual(["retailer", "retailer_name", ...Object.keys(allowedFields)]);
});

it("is true of every page and of every product in it, of which some are complete and some sparse", async () => {
  const fields: number[] = [];
  for (const category of [...client.service.categories, "dot segments"]) {
    for (const key of ["primary", "otherOrg"] as const) {
      const { pages, products } = await walk(client, category, key);
      for (const page of pages) conforms(page, "get", "/products");
      fields.push(...products.map((product) => Object.keys(product).length));
    }
  }
  expect(Math.max(...fields)).toBe(Object.keys(allowedFields).length + 2);
  expect(Math.min(...fields)).toBeLessThan(8);
});

it("is true of every kind of response", async () => {
  const { products } = await walk(client, "shoes");
  const items = products.slice(0, 20).map(({ retailer, product_id }) => ({ retailer, product_id }));
  const odd = [
    { retailer: "nobody", product_id: "1" },
    { retailer: "vault-direct", product_id: "1" },
  ];
  conforms(await client.get("/retailers"), "get", "/retailers");
  conforms(await client.get("/retailers", "none"), "get", "/retailers");
  conforms(await client.batch({ items: [...items, ...odd] }), "post", "/products/batch-lookup");
  conforms(await client.batch({ items: [] }), "post", "/products/batch-lookup");
  for (const [slug, id] of [
    ["nobody", "1"],
    ["vault-direct", "1"],
    ["nordkauf", "no"],
  ] as const) {
    conforms(await client.get(path("products", slug, id)), "get", "/products/{retailer}/{product_id}");
  }
  for (const { retailer, product_id } of items) {
    conforms(
      await client.get(path("products", retailer, product_id)),
      "get",
      "/products/{retailer}/{product_id}",
    );
  }
  for (const query of ["", "gtin=1", "gtin=00000000", "url=https%3A%2F%2Fx.invalid"]) {
    conforms(await client.get(`/products?${query}`), "get", "/products");
  }
});
