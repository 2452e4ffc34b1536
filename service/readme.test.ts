import { readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { productFields } from "./catalog/product-rows.ts";

const read = (name: string) => readFile(new URL(name, import.meta.url), "utf8");

it("the tables of the catalog file have every property", async () => {
  const readme = await read("README.md");
  const rows = readme.slice(readme.indexOf("## Your own catalog"));
  const missing = Object.keys(productFields).filter((name) => !rows.includes(`\`${name}\``));
  expect(missing).toEqual([]);
});

describe("the table from requirement to test", () => {
  it("names tests that exist", async () => {
    const rows = [...(await read("README.md")).matchAll(/^\|.*\| `([\w/.-]+\.test\.ts)`: (.*) \|$/gm)];
    expect(rows.length).toBeGreaterThan(40);
    for (const [, file = "", title = ""] of rows) {
      expect((await read(file)).includes(`"${title}"`), `${file}: ${title}`).toBe(true);
    }
  });

  it("has every test of spec/ that is about a sentence of the specification", async () => {
    const readme = await read("README.md");
    const others = [
      "treats HEAD like GET, without the body",
      "responds when the catalog is slow but within its time limit",
      "counts a batch as one request and a rejected key as none",
      "allows a burst above the rate, once in a while",
    ];
    const files = await readdir(new URL("spec/", import.meta.url));
    for (const file of files.filter((name) => name !== "openapi.test.ts")) {
      const text = await read(`spec/${file}`);
      const titles = [...text.matchAll(/\bit(?:\.each\([\s\S]*?\]\))?\(\s*"([^"]+)"/g)].map(
        ([, title = ""]) => title,
      );
      expect(titles.length, file).toBeGreaterThan(2);
      for (const title of titles.filter((each) => !others.includes(each))) expect(readme).toContain(title);
    }
  });
});
