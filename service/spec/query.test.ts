import { expect, it } from "vitest";
import { type BodyFields, clientOfTests, type Reply, walk } from "../../test/support/service.ts";

const client = await clientOfTests();
const own: BodyFields[] = [];
for (const category of client.service.categories)
  own.push(...(await walk(client, category, "primary", 100)).products);

const query = (parameters: Record<string, string>) =>
  client.get(`/products?${new URLSearchParams(parameters)}`);
const outcome = ({ status, json }: Reply) => [status, json.error?.code ?? json.product_id];
const withField = (field: string, test: (its: BodyFields) => boolean = () => true) => {
  const product = own.find((its) => its[field] !== undefined && test(its)) as BodyFields;
  return { product, value: String(product[field]) };
};

const pageOf = (slug: string) => withField("product_url", ({ retailer }) => retailer === slug);
const [nordkauf, greenleaf, brightmart] = [pageOf("nordkauf"), pageOf("greenleaf"), pageOf("brightmart")];
const onHost = (host: string) => nordkauf.value.replace("www.nordkauf.example", host);
const notFound = [404, "not_found"];
const refused = [400, "bad_request"];

it.each<readonly [url: string, expected: unknown]>([
  ...[
    nordkauf.value,
    nordkauf.value.replace("https:", "http:"),
    onHost("nordkauf.example"),
    onHost("m.shop.nordkauf.example"),
    onHost("WWW.NORDKAUF.EXAMPLE"),
    onHost("www.nordkauf.example:443"),
    `${nordkauf.value}/`,
    `${nordkauf.value}#reviews`,
    `${nordkauf.value}?utm_source=mail&gclid=1`,
    onHost("nordkauf-shop.example"),
  ].map((url) => [url, [200, nordkauf.product.product_id]] as const),
  // Pages differ by path and by parameters that are not for tracking.
  [`${greenleaf.value}&utm_medium=x`, [200, greenleaf.product.product_id]],
  [greenleaf.value.replace(/\?id=.*/, "?id=none"), notFound],
  [`${greenleaf.value}/more`, notFound],
  // Without domains, only the exact host.
  [brightmart.value, [200, brightmart.product.product_id]],
  [brightmart.value.replace("www.", "m."), notFound],
  ...["evilnordkauf.example", "nordkauf.example.evil.invalid", "nordkauf.example:8080", "example"].map(
    (alike) => [onHost(alike), notFound] as const,
  ),
  ["https://www.nordkauf.example/", notFound],
  ["https://elsewhere.invalid/p/1", notFound],
  ["", refused],
  ["nordkauf.example/p/1", refused],
  ["/p/1", refused],
  ["ftp://nordkauf.example/p/1", refused],
  ["https://", refused],
  ["https://u:p@x.example/", refused],
])("the URL %s: %j", async (url, expected) => {
  expect(outcome(await query({ url }))).toEqual(expected);
});

it("finds a GTIN with any number of leading zeros", async () => {
  for (const digits of [8, 12, 13]) {
    const { value } = withField("gtin", (its) => String(its.gtin).length === digits);
    for (const width of [8, 12, 13, 14].filter((length) => length >= digits)) {
      const reply = await query({ gtin: value.padStart(width, "0") });
      expect([reply.status, Number(reply.json.gtin)]).toEqual([200, Number(value)]);
    }
  }
});

it("gives 404 for an unknown GTIN and 400 for what is not a GTIN", async () => {
  expect(outcome(await query({ gtin: "00000000" }))).toEqual([404, "not_found"]);
  const { value } = withField("gtin");
  const wrong = value.slice(0, -1) + String((Number(value.at(-1)) + 1) % 10);
  const fifteen = value.padStart(15, "0");
  for (const gtin of [wrong, "", "12345", "abcdefgh", `${value} `, fifteen, "٠٠٠٠٠٠٠٠"]) {
    expect([gtin, ...outcome(await query({ gtin }))]).toEqual([gtin, 400, "bad_request"]);
  }
});

const { product, value: gtin } = withField("gtin", (its) => its.product_url !== undefined);
const url = String(product.product_url);
// What the suite judges on this service is shown by the proof; also a GTIN at one retailer.
it.each<Record<string, string>>([
  { url, retailer: product.retailer },
  { gtin, limit: "3" },
  { gtin, cursor: "x" },
  { category: "shoes", retailer: product.retailer },
  { gtin, retailer: "" },
])("accepts exactly one mode, not %j", async (parameters) => {
  expect(outcome(await query(parameters))).toEqual(refused);
});

it("ignores unknown parameters, rejects repeated ones and bad percent-encoding", async () => {
  expect(outcome(await query({ gtin, retailer: product.retailer, colour: "red" }))[0]).toBe(200);
  for (const bad of [`gtin=${gtin}&gtin=${gtin}`, "category=%zz", "category=%ff", "category=%"]) {
    expect([bad, ...outcome(await client.get(`/products?${bad}`))]).toEqual([bad, 400, "bad_request"]);
  }
});
