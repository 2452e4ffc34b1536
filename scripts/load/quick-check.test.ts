import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { productPath } from "../../scenarios/lib/catalog.ts";
import { mayBeDeep } from "../../scenarios/lib/quick-check.ts";
import { type StubService, startStubService } from "../../test/support/stub-service.ts";
import { renderValidators } from "./bundle/validators.ts";
import { resolveK6 } from "./k6/resolve.ts";

// The quick check uses k6's own JSON parser, so it is compared with the complete one inside k6.

interface Case {
  readonly request: "lookup-by-id" | "lookup-by-gtin" | "category-page" | "batch";
  readonly status: number;
  readonly text: string;
  readonly path: string;
  /** The body of the request. */
  readonly sent?: string;
}

const script = `
import http from "k6/http";
import { createResponseRules } from "${source("response-rules.ts")}";
import { isPlainlyBatchResult, isPlainlyError, isPlainlyProduct, mayShowGtin, parserOf, plainPage } from "${source("quick-check.ts")}";
import { validators } from "./validators.js";
const fieldNames = { batchFoundField: "found", batchFoundProduct: "item", gtin: "identifiers.gtin" };
const rules = createResponseRules(validators, fieldNames);
const quick = {
  "lookup-by-id": (parse, text, path) => isPlainlyProduct(parse, text, path),
  "lookup-by-gtin": (parse, text, path) => isPlainlyProduct(parse, text) && mayShowGtin(text, path),
  "category-page": (parse, text) => plainPage(parse, text) !== undefined,
  batch: (parse, text, _path, sent) => isPlainlyBatchResult(parse, text, fieldNames, sent),
};
const cases = JSON.parse(open("./cases.json"));
export const options = { summaryMode: "disabled" };
export default function () {
  const response = http.get(__ENV.BASE_URL + "/retailers");
  const before = response.body;
  const parse = parserOf(response);
  const verdicts = cases.map(({ request, status, text, path, sent }) => ({
    quick: status === 200 ? quick[request](parse, text, path, sent) : isPlainlyError(parse, text, status),
    complete: rules.check(request, path, status, { body: text, json: () => JSON.parse(text) }, sent) === undefined,
  }));
  console.log("verdicts " + JSON.stringify({ inScript: parse.name === "parseInScript", before: before.length, verdicts }));
}
`;

function source(name: string): string {
  return fileURLToPath(new URL(`../../scenarios/lib/${name}`, import.meta.url));
}

const product: Readonly<Record<string, unknown>> = {
  retailer: "north",
  retailer_name: "Nørth & Söhne 北",
  product_id: "A/1 %",
  title: 'A "bottle" \\ é',
  price: 9.5,
  currency: "EUR",
  availability: "in_stock",
  product_url: "https://north.example/a?b=1",
  last_updated: "2026-01-01T00:00:00Z",
  images: [{ url: "https://img.example/1.jpg", width: 800 }],
  identifiers: { gtin: "04006381333931" },
};
const path = productPath("north", "A/1 %");
const text = JSON.stringify(product);
const error = (code: unknown, message: unknown = "no") => JSON.stringify({ error: { code, message } });
const at = (body: string, status = 200, of = path): Case => ({
  request: "lookup-by-id",
  status,
  text: body,
  path: of,
});
const byGtin = (gtin: string): Case => ({
  ...at(text, 200, `/products?gtin=${gtin}`),
  request: "lookup-by-gtin",
});
const page = (
  products: unknown,
  meta: unknown = { next_cursor: "c", count: Array.isArray(products) ? products.length : 0 },
  more: object = {},
): Case => ({
  ...at(JSON.stringify({ products, meta, ...more })),
  request: "category-page",
});
const counts = { total: 2, found: 1, not_found: 1, other_errors: 0 };
const missing = { retailer: "north", product_id: "B", reason: "none" };
const items = (...ids: readonly string[]) =>
  JSON.stringify({ items: ids.map((id) => ({ retailer: "north", product_id: id })) });
const batch = (
  found: unknown,
  errors: unknown = [missing],
  meta: unknown = counts,
  sent = items("A/1 %", "B"),
): Case => ({
  ...at(JSON.stringify({ found, errors, meta })),
  request: "batch",
  sent,
});
const other = (id: string) => ({ item: { ...product, product_id: id } });

const right: readonly Case[] = [
  at(text),
  at(JSON.stringify(product, undefined, 2)),
  at(JSON.stringify({ last_updated: "2024-02-28T23:59:59.123Z", product_id: "A/1 %", retailer: "north" })),
  at(text.replace('"title"', '"\\u0074itle"')),
  at(JSON.stringify({ ...product, product_id: "B" }), 200, productPath("north", "B")),
  byGtin("4006381333931"),
  byGtin("00004006381333931".slice(-14)),
  at(error("not_found"), 404),
  at(error("forbidden"), 403),
  page([product, { ...product, product_id: "B" }]),
  page([product], { next_cursor: "", count: 1 }),
  page([]),
  batch([{ item: product }]),
  batch([{ item: product }, other("B")], [], { ...counts, found: 2, not_found: 0 }),
  batch([], [missing], { ...counts, total: 1, found: 0 }, items("B")),
  // In another order than sent.
  batch(
    [other("C"), { item: product }, other("B")],
    [],
    { ...counts, total: 3, found: 3, not_found: 0 },
    items("A/1 %", "B", "C"),
  ),
];

const values = [
  null,
  "",
  "x",
  "null",
  0,
  -1.5,
  1e300,
  true,
  false,
  [],
  {},
  ["a"],
  [null],
  { a: "" },
  { code: "a", message: "b" },
];
const wrong: readonly Case[] = [
  byGtin("4006381333948"),
  ...[...Object.keys(product), "error", "extra"].flatMap((name) =>
    values.map((value) => at(JSON.stringify({ ...product, [name]: value }))),
  ),
  ...Object.keys(product).map((name) => at(JSON.stringify({ ...product, [name]: undefined }))),
  ...values.map((value) => at(JSON.stringify(value))),
  ...[1, 2, 10, 100, 200].map((length) => at(text.slice(0, -length))),
  ...["", " ", "{", "}", "x", `${text}x`, `${text}${text}`, `[${text}]`, JSON.stringify(text)].map((body) =>
    at(body),
  ),
  at(text.replace('"title":', '"\\u0074itle":5,"x":')),
  at(text.replace('"EUR"', "'EUR'")),
  at(text.replace("9.5", "09.5")),
  at(text.replace("9.5", "9.")),
  at(text.replace("EUR", "E\tUR")),
  at(text.replace("EUR", "\\x")),
  at(text, 200, productPath("north", "A")),
  at(text, 200, productPath("south", "A/1 %")),
  at(JSON.stringify({ ...product, product_id: ".." }), 200, productPath("north", "..")),
  at(JSON.stringify({ ...product, product_id: "A%2F1" }), 200, productPath("north", "A/1")),
  at(JSON.stringify({ ...product, error: { code: "not_found", message: "none" } })),
  ...[400, 401, 403, 404, 429, 500, 418].flatMap((status) =>
    [
      error("not_found"),
      error(""),
      error(404),
      error("not_found", 5),
      error("not_found", ""),
      error("not_found", " "),
      "{}",
      "null",
      '{"error":null}',
      "<html>",
    ].map((body) => at(body, status)),
  ),
];

/** Formats in lists are left to the complete check of some responses. */
const isOfFormat = (name: string, value: unknown) =>
  ["price", "currency", "product_url"].includes(name) && typeof value === typeof product[name];

const others: readonly Case[] = [
  ...Object.keys(product).flatMap((name) =>
    values
      .filter((value) => !isOfFormat(name, value))
      .flatMap((value) => [
        page([product, { ...product, [name]: value }]),
        page([{ ...product, [name]: value }], { next_cursor: "", count: 1 }),
        batch([{ item: product }, { item: { ...product, [name]: value } }]),
      ]),
  ),
  ...values.flatMap((value) => [
    page(value),
    page([product, value]),
    page([product], value),
    page([product], { next_cursor: value, count: 1 }),
    page([product], { next_cursor: "c", count: value }),
    page([product], { next_cursor: "", count: 1 }, { extra: value }),
    batch(value),
    batch([value]),
    batch([{ item: value }]),
    batch([], value),
    batch([], [value]),
    batch([], [{ ...missing, retailer: value }]),
    batch([], [{ ...missing, product_id: value }]),
    batch([], [], value),
    ...Object.keys(counts).map((name) => batch([], [], { ...counts, [name]: value })),
  ]),
  page([product, product]),
  page([product], { next_cursor: "c", count: 2 }),
  ...["0001-01-01T00:00:00Z", "2026-01-01T00:00:00+02:00", "now"].flatMap((time) => [
    at(JSON.stringify({ ...product, last_updated: time })),
    page([{ ...product, last_updated: time }]),
    batch([{ item: { ...product, last_updated: time } }]),
  ]),
  batch([{ item: product }], [missing], { ...counts, total: 3 }),
  batch([{ item: product }], [missing], { ...counts, total: 3, other_errors: 1 }),
  batch([{ item: product }], [], { ...counts, total: 1, not_found: 0 }),
  batch([{ item: product }], [missing], counts, items("A/1 %", "B", "C")),
  batch([other("C")]),
  batch([{ item: product }], [{ ...missing, product_id: "C" }]),
  batch([{ item: product }], [{ ...missing, retailer: "south" }]),
  batch([{ item: product }, { item: product }], [], { ...counts, found: 2, not_found: 0 }),
  batch([{ item: product }], [{ ...missing, product_id: "A/1 %" }]),
  batch([other('"q\\')], [missing], counts, items('"q\\', "B")),
  page([product], { count: 1 }),
  page([product], { next_cursor: "c" }),
  page([{ next_cursor: "" }], { next_cursor: "", count: 1 }),
];

let folder = "";
let service: StubService;
let verdicts: { quick: boolean; complete: boolean }[] = [];
let inScript = true;
beforeAll(async () => {
  const { path: k6Path } = await resolveK6({ env: process.env, progress: () => undefined });
  folder = await mkdtemp(join(tmpdir(), "shelfcheck-quick-"));
  service = await startStubService();
  await writeFile(join(folder, "cases.json"), JSON.stringify([...right, ...wrong, ...others]));
  await writeFile(join(folder, "validators.js"), renderValidators());
  await writeFile(join(folder, "source.js"), script);
  await build({
    entryPoints: [join(folder, "source.js")],
    outfile: join(folder, "script.js"),
    bundle: true,
    format: "esm",
    platform: "neutral",
    external: ["k6", "k6/*"],
    logLevel: "silent",
  });
  const args = [
    "run",
    "--quiet",
    "--no-usage-report",
    "--address=127.0.0.1:0",
    "--log-format=raw",
    "script.js",
  ];
  const env = { ...process.env, BASE_URL: service.baseUrl };
  const { stderr } = await promisify(execFile)(k6Path, args, { cwd: folder, env, maxBuffer: 1e8 });
  const line = stderr.split("\n").find((one) => one.startsWith("verdicts ")) ?? "";
  ({ verdicts, inScript } = JSON.parse(line.slice("verdicts ".length)));
}, 300_000);
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

test("k6 lets a script parse other texts with one response", () => {
  expect(inScript).toBe(false);
});

test("accepts right responses without the complete check", () => {
  expect(verdicts.slice(0, right.length)).toEqual(right.map(() => ({ quick: true, complete: true })));
});

test("accepts nothing that the complete check rejects", () => {
  const all = [...right, ...wrong, ...others];
  expect(verdicts).toHaveLength(all.length);
  expect(all.filter((_, place) => verdicts[place]?.quick && !verdicts[place]?.complete)).toEqual([]);
  // The cases would show little if most were right.
  expect(verdicts.filter(({ complete }) => !complete).length).toBeGreaterThan(400);
});

test.each([
  ["lists", (depth: number) => "[".repeat(depth) + "]".repeat(depth)],
  ["objects", (depth: number) => '{"a":'.repeat(depth) + 1 + "}".repeat(depth)],
  ["lists in objects", (depth: number) => '{"a":['.repeat(depth) + "]}".repeat(depth)],
])("deeply nested %s are left to the complete check, because k6 would need minutes for them", (_, nested) => {
  expect(mayBeDeep(nested(200_000))).toBe(true);
  expect(mayBeDeep(nested(10_000))).toBe(true);
  expect(mayBeDeep(nested(1000))).toBe(false);
});

test("a page of fifty products is not taken for deep", () => {
  const page = JSON.stringify({
    products: Array.from({ length: 50 }, () => ({ ...product, description: "x".repeat(1000) })),
    meta: { next_cursor: "a", count: 50 },
  });
  expect(mayBeDeep(page)).toBe(false);
});
