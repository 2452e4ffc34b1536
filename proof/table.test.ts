import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { requirements } from "../conformance/requirements/all.ts";
import { listChecks } from "../conformance/suite/all.ts";
import { serviceCandidates, targetCandidates } from "./prove.ts";
import { parseSnapshot, snapshotFile, snapshotText } from "./snapshot.ts";
import { changesOf, faults, faultTables, variants, variantTables } from "./table.ts";

const checks = listChecks().map(({ id }) => id);
const ids = requirements.map(({ id }) => id);

test("names are given once, and those of the snapshot", async () => {
  const tables = [...faultTables, ...variantTables];
  const names = tables.flatMap((table) => Object.keys(table));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  for (const name of names) expect(name).toMatch(/^[a-z0-9-]+$/);
  const text = await readFile(snapshotFile, "utf8");
  const known = snapshotText(parseSnapshot(text), { faults: faults.keys(), variants: variants.keys() });
  expect(text, "if this change is intended: npm run proof -- --update --only NAME").toBe(known);
});

test("changes are in the same order however variants are named", () => {
  const names = ["batch-found-wrapped", "gtin-in-list", "offset-timestamps"];
  expect(changesOf({ variants: names }).wire).toEqual(changesOf({ variants: names.toReversed() }).wire);
});

test("every check fails with at least one fault", () => {
  const proven = new Set<string>([...faults.values()].flatMap(({ fails }) => fails));
  const unproven = checks.filter((id) => !proven.has(id));
  expect(unproven, "no fault in proof/faults/ has these checks in `fails`").toEqual([]);
});

test("every check that a fault names is known, and every requirement of the snapshot", async () => {
  for (const [name, { fails }] of faults) {
    expect(
      fails.filter((id) => !checks.includes(id)),
      `${name}: \`fails\` names checks that do not exist`,
    ).toEqual([]);
  }
  const snapshot = parseSnapshot(await readFile(snapshotFile, "utf8"));
  const found = [...snapshot.values()].flatMap((one) => [...one.keys()]);
  expect(found.filter((id) => !ids.some((one) => one === id))).toEqual([]);
});

test("what each fault and variant does is one sentence, and no two are the same", () => {
  const sentences = [...faults.values(), ...variants.values()].map(({ does }) => does);
  expect(sentences.filter((text) => !/^[A-Z`].*[^.]\.$/.test(text))).toEqual([]);
  expect(new Set(sentences).size).toBe(sentences.length);
});

test("every check that a variant names is known", () => {
  for (const [name, { mayStayNotJudged = [], allowedBy }] of variants) {
    expect(
      mayStayNotJudged.filter((id) => !checks.includes(id)),
      `${name}: \`mayStayNotJudged\` names checks that do not exist`,
    ).toEqual([]);
    for (const text of allowedBy) expect(text.length, name).toBeGreaterThan(3);
  }
});

test("whatever needs no key to every retailer is tried through the proxy, too", () => {
  const needsAllKey = [...faults].flatMap(([name, fault]) => (fault.needsAllKey === true ? [name] : []));
  const names = (kind: string) => serviceCandidates.flatMap((one) => (one.kind === kind ? [one.name] : []));
  expect(names("fault")).toEqual([...faults.keys()]);
  expect(names("variant")).toEqual([...variants.keys()]);
  expect(targetCandidates.map(({ name }) => name)).toEqual(
    names("fault").filter((name) => !needsAllKey.includes(name)),
  );
  // Nothing else belongs on this list.
  expect(needsAllKey).toMatchInlineSnapshot(`
    [
      "retailers-unscoped",
      "unentitled-unknown-empty",
      "unentitled-retailer-answered",
      "url-unentitled-answered",
      "gtin-unentitled-retailer-answered",
      "gtin-unentitled-answered",
      "category-unfiltered",
      "category-unfiltered-with-bearer",
      "category-unfiltered-on-second-page",
      "batch-unentitled-answered",
      "large-batch-not-looked-through",
      "other-spelling-is-not-checked",
    ]
  `);
});

test("whoever uses the key to every retailer says so", async () => {
  const used = new Set<string>();
  const request = { method: "GET", headers: { "x-api-key": "first" }, body: Buffer.alloc(0) };
  const asked = [
    { ...request, path: "/v1/retailers", query: "" },
    { ...request, path: "/v1/products/a/1", query: "" },
    ...[
      "url=https%3A%2F%2Fa.example%2F1",
      "gtin=96385074",
      "gtin=00000096385074",
      "gtin=96385074&retailer=a",
      "category=a",
      "category=a&cursor=b",
    ].map((query) => ({ ...request, path: "/v1/products", query })),
    {
      ...request,
      method: "POST",
      path: "/v1/products/batch-lookup",
      query: "",
      body: Buffer.from(JSON.stringify({ items: Array.from({ length: 12 }, () => ({})) })),
    },
  ];
  for (const [name, entry] of [...faults, ...variants]) {
    if (!("wire" in entry)) continue;
    for (const status of [200, 403, 404]) {
      const send = entry.wire(
        async ({ headers }) => {
          if (headers["x-api-key"] === "everything") used.add(name);
          return { status, headers: {}, body: Buffer.from("{}") };
        },
        { primary: "first", all: "everything" },
      );
      for (const one of asked) await send(one).catch(() => undefined);
    }
  }
  const said = [...faults, ...variants].flatMap(([name, { needsAllKey }]) =>
    needsAllKey === true ? [name] : [],
  );
  expect([...used].toSorted()).toEqual(said.toSorted());
});
