import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { clientOfTest, path, temporaryFolder } from "../../../test/support/service.ts";
import { main } from "../main.ts";

async function admin(...argv: string[]) {
  let stdout = "";
  let stderr = "";
  const code = await main(["service", ...argv], {
    env: {},
    cwd: "/",
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
    nodeVersion: process.versions.node,
    now: () => new Date(),
    signal: new AbortController().signal,
  });
  return { code, stdout, stderr };
}

const first = "First organization";

it("changes a running service without a restart: retailers, entitlements, keys, terms", async () => {
  const db = join(await temporaryFolder(), "service.db");
  const client = await clientOfTest({ db, products: 60 });
  const slugs = async () => (await client.get("/retailers")).json.retailers.map(({ slug }) => slug);
  const does = async (...argv: string[]) =>
    expect(await admin(...argv, "--db", db)).toMatchObject({ code: 0 });

  await does(
    "retailer",
    "add",
    "late shop",
    "--name",
    "Late",
    "--domain",
    "late.example",
    "--domain",
    "late2.example",
  );
  expect((await client.get(path("products", "late shop", "1"))).status).toBe(403);
  await does("grant", first, "late shop");
  const added = (await client.get("/retailers")).json.retailers.find(({ slug }) => slug === "late shop");
  expect(added).toEqual({ slug: "late shop", name: "Late", domains: ["late.example", "late2.example"] });
  expect((await client.get(path("products", "late shop", "1"))).status).toBe(404);
  await does("retailer", "disable", "late shop");
  expect(await slugs()).not.toContain("late shop");
  await does("retailer", "enable", "late shop");
  expect(await slugs()).toContain("late shop");
  await does("revoke", first, "late shop");
  expect((await client.get(path("products", "late shop", "1"))).status).toBe(403);

  await does("organization", "add", "Third");
  await does("grant", "Third", "nordkauf");
  const { stdout } = await admin("key", "issue", "Third", "--db", db);
  const { id, key } = JSON.parse(stdout);
  const asThird = () => client.get("/retailers", "none", { "x-api-key": key });
  expect((await asThird()).status).toBe(401);
  await does("accept-terms", "Third");
  expect((await asThird()).json.retailers.map(({ slug }) => slug)).toEqual(["nordkauf"]);
  await does("key", "revoke", String(id));
  expect((await asThird()).status).toBe(401);
});

it("stores only hashes of keys, and lists no key", async () => {
  const db = join(await temporaryFolder(), "service.db");
  const client = await clientOfTest({ db, products: 20 });
  const { key } = JSON.parse((await admin("key", "issue", first, "--label", "ci", "--db", db)).stdout);
  const list = await admin("key", "list", "--db", db);
  expect(list.stdout).toContain('"label":"ci"');
  const bytes = Buffer.concat([await readFile(db), await readFile(`${db}-wal`)]).toString("latin1");
  expect(bytes).toContain("First organization");
  for (const secret of [key, ...Object.values(client.service.keys)]) {
    expect(list.stdout).not.toContain(secret);
    expect(bytes).not.toContain(secret);
  }
});

it("lists organizations and retailers", async () => {
  const db = join(await temporaryFolder(), "service.db");
  await clientOfTest({ db, products: 20 });
  const lines = async (what: string) =>
    (await admin(what, "list", "--db", db)).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  expect((await lines("organization")).find(({ name }) => name === first).retailers).toContain("greenleaf");
  expect((await lines("retailer")).find(({ slug }) => slug === "sleeping-shop")).toMatchObject({
    disabled: true,
  });
});

it.each([
  [[], "Usage: shelfcheck service"],
  [["frobnicate", "--db", "x"], "Unknown command 'frobnicate'"],
  [["grant", "only one", "--db", "x"], "Missing required argument 'slug'"],
  [["key", "list"], "Required option '--db <file>' not specified"],
  [["key", "list", "--db", "x", "--what"], "Unknown option '--what'"],
  [["key", "list", "--db", "/nowhere/x.db"], "There is no such database: /nowhere/x.db"],
])("rejects %j with exit 2 and a hint", async (argv, hint) => {
  const { code, stderr } = await admin(...argv);
  expect(code).toBe(2);
  expect(stderr).toContain(hint);
});

it("rejects unknown names with exit 2, and files that are not a database with exit 3", async () => {
  const folder = await temporaryFolder();
  const db = join(folder, "service.db");
  await clientOfTest({ db, products: 20 });
  expect(await admin("grant", "Nobody", "nordkauf", "--db", db)).toMatchObject({ code: 2 });
  expect((await admin("grant", first, "nowhere", "--db", db)).stderr).toContain(
    'There is no retailer "nowhere"',
  );
  expect((await admin("key", "revoke", "999", "--db", db)).code).toBe(2);
  expect((await admin("organization", "add", first, "--db", db)).code).toBe(2);
  const text = join(folder, "text");
  await writeFile(text, "not a database, but long enough to be read as one ".repeat(20));
  expect(await admin("key", "list", "--db", text)).toMatchObject({ code: 3 });
});
