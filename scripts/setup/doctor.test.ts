import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openClient } from "../../conformance/client/http-client.ts";
import { type RunningService, startService } from "../../service/start.ts";
import { serve } from "../../test/support/server.ts";
import { stubTarget } from "../../test/support/stub-client.ts";
import { diagnoseTarget } from "./doctor.ts";

let service: RunningService;
beforeAll(async () => {
  service = await startService({ products: 60 });
});
afterAll(() => service.stop());

/** The findings of doctor about roles, with these keys in the variables. */
async function rolesWith(sameOrg?: string, otherOrg?: string) {
  const keys = {
    primary: service.keys.primary,
    ...(sameOrg === undefined ? {} : { sameOrg }),
    ...(otherOrg === undefined ? {} : { otherOrg }),
  };
  const keyVariables = { primary: "FIRST", sameOrg: "SECOND", otherOrg: "OTHER" };
  const target = stubTarget(service.baseUrl, {
    keys,
    keyVariables,
    categories: service.categories.slice(0, 1),
  });
  await using http = openClient({ target, maxRequests: 60, signal: new AbortController().signal });
  const findings = await diagnoseTarget({ target, missing: [] }, http);
  return findings
    .filter(({ about }) => about === "roles of the keys")
    .map(({ status, found, fix = "", exitCode }) => ({ status, found, fix, exitCode }));
}

test("correct keys", async () => {
  const { sameOrg, otherOrg } = service.keys;
  expect(await rolesWith(sameOrg, otherOrg)).toMatchObject([
    { status: "ok", found: "SECOND sees the same retailers as FIRST" },
    { status: "ok", found: "OTHER sees different retailers from FIRST" },
  ]);
});

test("swapped keys are a usage problem", async () => {
  const { sameOrg, otherOrg } = service.keys;
  expect(await rolesWith(otherOrg, sameOrg)).toMatchObject([
    {
      status: "problem",
      exitCode: 2,
      fix: expect.stringContaining("Swap the values of SECOND and OTHER."),
    },
  ]);
});

test("a key whose role cannot be verified is a note", async () => {
  const { sameOrg, otherOrg } = service.keys;
  expect(await rolesWith(undefined, sameOrg)).toMatchObject([
    { status: "note", found: expect.stringContaining("The keys in FIRST and OTHER see the same retailers") },
  ]);
  expect(await rolesWith(otherOrg)).toMatchObject([
    { status: "note", found: expect.stringContaining("The key in SECOND does not see the same retailers") },
  ]);
});

test.each([200, 404])(
  "a page that is not JSON, with %i, is no service, and no key is blamed",
  async (status) => {
    await using stub = await serve((_request, response) => {
      response.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end("<html>hello</html>");
    });
    const target = stubTarget(stub.baseUrl);
    await using http = openClient({ target, maxRequests: 60 });
    const findings = await diagnoseTarget({ target, missing: [] }, http);
    expect(
      findings.filter(({ about, status: seen }) => about !== "categories" && seen === "problem"),
    ).toEqual([
      {
        about: "target",
        status: "problem",
        found: `GET /retailers returned ${status} (text/html), which is not JSON`,
        fix: "Correct the base URL: it must be that of the catalog service.",
      },
    ]);
  },
);

test("an empty 404 without a key says nothing about the address", async () => {
  await using stub = await serve((_request, response) => void response.writeHead(404).end());
  const target = stubTarget(stub.baseUrl);
  await using http = openClient({ target, maxRequests: 60 });
  const findings = await diagnoseTarget({ target, missing: [] }, http);
  expect(findings.find(({ about }) => about === "target")?.status).toBe("ok");
});

test.each([
  [403, "which headers or client certificate the gateway requires"],
  [502, "Check the gateway's log"],
])("a gateway that answers with %i is named, and the key is not blamed", async (status, fix) => {
  await using stub = await serve((_request, response) => {
    response.writeHead(status, { "content-type": "text/html", server: "nginx" });
    response.end("<html><center>nginx</center></html>");
  });
  const target = stubTarget(stub.baseUrl);
  await using http = openClient({ target, maxRequests: 60 });
  const findings = await diagnoseTarget({ target, missing: [] }, http);
  expect(findings.find(({ about }) => about === "target")).toMatchObject({
    status: "problem",
    found: `A gateway (\`nginx\`) responded with ${status} in place of the service. It says: \`nginx\`, \`server: nginx\``,
    fix: expect.stringContaining(fix),
  });
  expect(findings.some(({ fix = "" }) => fix.includes("active key"))).toBe(false);
});

test("a key that is accepted in one header only is named with that header, and a single 502 is repeated", async () => {
  let requests = 0;
  await using stub = await serve((request, response) => {
    requests += 1;
    if (requests === 2) return void response.writeHead(502).end();
    const isKnown = request.headers["x-api-key"] !== undefined;
    response.writeHead(isKnown ? 200 : 401, { "content-type": "application/json" });
    response.end(
      JSON.stringify(
        isKnown ? { retailers: [] } : { error: { code: "unauthorized", message: "A key is required." } },
      ),
    );
  });
  const target = stubTarget(stub.baseUrl);
  await using http = openClient({ target, maxRequests: 60 });
  const findings = await diagnoseTarget({ target, missing: [] }, http);
  expect(findings.find(({ about }) => about === "key")).toMatchObject({
    status: "note",
    found: "accepted in X-Api-Key, but rejected with 401 in Authorization: `A key is required.`",
  });
});

test("a rejected key has no role", async () => {
  expect(await rolesWith("never-issued")).toEqual([]);
});

describe("categories", () => {
  const categoriesOf = async (...categories: readonly string[]) => {
    const target = stubTarget(service.baseUrl, { keys: { primary: service.keys.primary }, categories });
    await using http = openClient({ target, maxRequests: 60, signal: new AbortController().signal });
    const findings = await diagnoseTarget({ target, missing: [] }, http);
    return findings.filter(({ about }) => about === "categories");
  };
  const known = "shoes";

  test("with products are ok", async () => {
    expect(await categoriesOf(known)).toEqual([{ about: "categories", status: "ok", found: known }]);
  });

  test("without products, or none at all, are a problem, unless others have some", async () => {
    expect(await categoriesOf()).toMatchObject([{ status: "problem", found: "none given" }]);
    const found = "Category `no such category` returned no products.";
    expect(await categoriesOf("no such category")).toMatchObject([{ status: "problem", found }]);
    expect(await categoriesOf(known, "no such category")).toMatchObject([{ status: "note", found }]);
  });
});
