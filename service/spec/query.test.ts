import { describe, expect, it } from "vitest";
import { type BodyFields, clientOfTests, type Reply, walk } from "../../test/support/service.ts";

describe("GET /v1/products by url and gtin", async () => {
  const client = await clientOfTests();
  const own: BodyFields[] = [];
  for (const category of client.service.categories)
    own.push(...(await walk(client, category, "primary", 100)).products);

  const query = (parameters: Record<string, string>) =>
    client.get(`/products?${new URLSearchParams(parameters)}`);
  const outcome = ({ status, json }: Reply) => [status, json.error?.code ?? json.product_id];
  const slugs = () => new Set(own.map(({ retailer }) => retailer));
  const withField = (
    list: readonly BodyFields[],
    field: string,
    test: (its: BodyFields) => boolean = () => true,
  ) => {
    const found = list.find((its) => its[field] !== undefined && test(its));
    if (found === undefined) throw new Error(`no product with ${field}`);
    return { product: found, value: String(found[field]) };
  };

  it("finds a product by the URL of its page in every spelling", async () => {
    const { product, value } = withField(own, "product_url", ({ retailer }) => retailer === "nordkauf");
    const url = new URL(value);
    const ways = [
      value,
      value.replace("https:", "http:"),
      value.replace("www.", ""),
      value.replace("www.", "m.shop."),
      value.replace(url.host, url.host.toUpperCase()),
      value.replace(url.host, `${url.host}:443`),
      `${value}/`,
      `${value}#reviews`,
      `${value}?utm_source=mail&gclid=1`,
      value.replace(url.host, "nordkauf-shop.example"),
    ];
    for (const way of ways)
      expect([way, ...outcome(await query({ url: way }))]).toEqual([way, 200, product.product_id]);
  });

  it("distinguishes pages by path and by parameters that are not for tracking", async () => {
    const { product, value } = withField(own, "product_url", ({ retailer }) => retailer === "greenleaf");
    expect(value).toContain("?id=");
    expect(outcome(await query({ url: `${value}&utm_medium=x` }))).toEqual([200, product.product_id]);
    expect(outcome(await query({ url: value.replace(/id=.*/, "id=none") }))).toEqual([404, "not_found"]);
    expect(outcome(await query({ url: `${value}/more` }))).toEqual([404, "not_found"]);
  });

  it("finds the pages of a retailer without domains by their exact host", async () => {
    const { product, value } = withField(own, "product_url", ({ retailer }) => retailer === "brightmart");
    expect(outcome(await query({ url: value }))).toEqual([200, product.product_id]);
    expect(outcome(await query({ url: value.replace("www.", "m.") }))).toEqual([404, "not_found"]);
  });

  it("gives 404 for a URL that does not resolve, also when the host only looks alike", async () => {
    const { value } = withField(own, "product_url", ({ retailer }) => retailer === "nordkauf");
    const alike = [
      "evilnordkauf.example",
      "nordkauf.example.evil.invalid",
      "nordkauf.example:8080",
      "example",
    ];
    const urls = alike.map((host) => value.replace("www.nordkauf.example", host));
    for (const url of [...urls, "https://www.nordkauf.example/", "https://elsewhere.invalid/p/1"]) {
      expect([url, ...outcome(await query({ url }))]).toEqual([url, 404, "not_found"]);
    }
  });

  it("gives 400 for what is not an http URL", async () => {
    for (const url of [
      "",
      "nordkauf.example/p/1",
      "/p/1",
      "ftp://nordkauf.example/p/1",
      "https://",
      "https://u:p@x.example/",
    ]) {
      expect([url, ...outcome(await query({ url }))]).toEqual([url, 400, "bad_request"]);
    }
  });

  it("finds a GTIN with any number of leading zeros", async () => {
    for (const digits of [8, 12, 13]) {
      const { value } = withField(own, "gtin", (its) => String(its.gtin).length === digits);
      for (const width of [8, 12, 13, 14].filter((length) => length >= digits)) {
        const reply = await query({ gtin: value.padStart(width, "0") });
        expect([reply.status, Number(reply.json.gtin)]).toEqual([200, Number(value)]);
      }
    }
  });

  it("gives 404 for an unknown GTIN and 400 for what is not a GTIN", async () => {
    expect(outcome(await query({ gtin: "00000000" }))).toEqual([404, "not_found"]);
    const { value } = withField(own, "gtin");
    const wrong = value.slice(0, -1) + String((Number(value.at(-1)) + 1) % 10);
    for (const gtin of [
      wrong,
      "",
      "12345",
      "abcdefgh",
      `${value} `,
      `0${value.padStart(14, "0")}`,
      "٠٠٠٠٠٠٠٠",
    ]) {
      expect([gtin, ...outcome(await query({ gtin }))]).toEqual([gtin, 400, "bad_request"]);
    }
  });

  it("scopes a GTIN to one retailer: match, mismatch 404, unknown 400, unentitled 403", async () => {
    const sellers = Map.groupBy(
      own.filter((its) => its.gtin !== undefined),
      (its) => Number(its.gtin),
    );
    const several = [...sellers].filter(([, list]) => new Set(list.map(({ retailer }) => retailer)).size > 1);
    expect(several.length).toBeGreaterThan(3);
    for (const [gtin, list] of several) {
      for (const retailer of slugs()) {
        const reply = await query({ gtin: String(gtin).padStart(14, "0"), retailer });
        const sells = list.some((its) => its.retailer === retailer);
        expect([reply.status, reply.json.retailer]).toEqual(sells ? [200, retailer] : [404, undefined]);
      }
    }
    const gtin = String(several[0]?.[0]).padStart(14, "0");
    expect(outcome(await query({ gtin, retailer: "nobody" }))).toEqual([400, "bad_request"]);
    expect(outcome(await query({ gtin, retailer: "harbour-outlet" }))).toEqual([403, "forbidden"]);
  });

  it("accepts exactly one mode", async () => {
    const { product, value: gtin } = withField(own, "gtin", (its) => its.product_url !== undefined);
    const url = String(product.product_url);
    const refused: Record<string, string>[] = [
      {},
      { url, gtin },
      { url, category: "shoes" },
      { gtin, category: "shoes" },
      { url, gtin, category: "shoes" },
      { retailer: product.retailer },
      { limit: "3" },
      { url, retailer: product.retailer },
      { gtin, limit: "3" },
      { gtin, cursor: "x" },
      { category: "shoes", retailer: product.retailer },
      { gtin, retailer: "" },
      { category: "" },
    ];
    for (const parameters of refused) {
      expect([parameters, ...outcome(await query(parameters))]).toEqual([parameters, 400, "bad_request"]);
    }
  });

  it("ignores unknown parameters, rejects repeated ones and bad percent-encoding", async () => {
    const { product, value: gtin } = withField(own, "gtin");
    expect(outcome(await query({ gtin, retailer: product.retailer, colour: "red" }))[0]).toBe(200);
    for (const bad of [`gtin=${gtin}&gtin=${gtin}`, "category=%zz", "category=%ff", "category=%"]) {
      expect([bad, ...outcome(await client.get(`/products?${bad}`))]).toEqual([bad, 400, "bad_request"]);
    }
  });
});
