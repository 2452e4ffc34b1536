import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";

const here = (name: string) => readFile(new URL(name, import.meta.url), "utf8");

describe("the table from sentence to test", () => {
  it("names tests that are there", async () => {
    const rows = [...(await here("README.md")).matchAll(/^\|.*\| `([\w/.-]+\.test\.ts)`: (.*) \|$/gm)];
    expect(rows.length).toBeGreaterThan(50);
    for (const [, file = "", title = ""] of rows) {
      expect((await here(file)).includes(`"${title}"`), `${file}: ${title}`).toBe(true);
    }
  });

  it("has every test of the folder sentences, but those of the transport alone", async () => {
    const readme = await here("README.md");
    const alone = [
      "answers HEAD like GET, without the body",
      "answers in time when the catalogue is slow but not silent",
      "counts a batch as one request and a refused key as none",
      "allows a burst above the rate, once in a while",
    ];
    const files = [
      "authentication",
      "batch",
      "category",
      "errors",
      "identifier",
      "limits",
      "product",
      "query",
    ];
    for (const file of [...files, "retailers", "upstream"]) {
      const text = await here(`sentences/${file}.test.ts`);
      const titles = [...text.matchAll(/\bit(?:\.each\([\s\S]*?\]\))?\(\s*"([^"]+)"/g)].map(
        ([, title = ""]) => title,
      );
      expect(titles.length, file).toBeGreaterThan(2);
      for (const title of titles.filter((its) => !alone.includes(its))) expect(readme).toContain(title);
    }
  });
});
