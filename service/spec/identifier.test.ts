import { request } from "node:http";
import { expect, it } from "vitest";
import { clientOfTests, path } from "../../test/support/service.ts";
import { awkwardIdentifiers } from "../catalog/generator-data.ts";

const client = await clientOfTests();

const shared = ["nordkauf", "tinkerbox", "brightmart", "maison & fils"];

it("finds identifiers and slugs of any character", async () => {
  for (const id of awkwardIdentifiers) {
    const replies = await Promise.all(shared.map((slug) => client.get(path("products", slug, id))));
    const found = replies.filter(({ status }) => status === 200).map(({ json }) => json.product_id);
    expect(found).toEqual([id]);
  }
});

it("accepts a path segment of dots as it was sent", async () => {
  const { baseUrl, keys } = client.service;
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const { hostname, port } = new URL(baseUrl);
    // The URL standard would fold the dots away, so the path is given as it is.
    const options = {
      hostname,
      port,
      path: "/v1/products/nordkauf/..",
      headers: { "x-api-key": keys.primary },
    };
    request(options, (response) => resolve(response.resume().statusCode))
      .on("error", reject)
      .end();
  });
  expect(status).toBe(200);
});

it("gives 400 bad_request for a slug that does not exist", async () => {
  for (const slug of ["nobody", "NORDKAUF", "nordkauf ", "%00"]) {
    const reply = await client.get(path("products", slug, "1"));
    expect([reply.status, reply.json.error.code]).toEqual([400, "bad_request"]);
  }
});

it("distinguishes identifiers that differ in case or Unicode form", async () => {
  for (const [id, other] of [
    ["case", "CASE"],
    ["e\u0301", "é"],
  ] as const) {
    const replies = await Promise.all(shared.map((slug) => client.get(path("products", slug, id))));
    const found = replies.find(({ status }) => status === 200);
    expect(found?.json.product_id).toBe(id);
    const twin = await client.get(path("products", String(found?.json.retailer), other));
    expect(twin.json.product_id).not.toBe(id);
  }
});

it("gives 400 for an empty part and for bad percent-encoding", async () => {
  for (const bad of [
    "/products/nordkauf/",
    "/products//1",
    "/products/nordkauf/%zz",
    "/products/nordkauf/%ff",
  ]) {
    const reply = await client.get(bad);
    expect([bad, reply.status, reply.json.error.code]).toEqual([bad, 400, "bad_request"]);
  }
});
