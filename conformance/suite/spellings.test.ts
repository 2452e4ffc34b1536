import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { stubContext } from "../../test/support/stub-context.ts";
import { batch, byGtin, query, type Request, retailers } from "../client/requests.ts";
import { openRows, type SpellingRow, settledRows } from "./spellings.ts";

/** What a request means: its path and query decoded, its body parsed, names of headers in lower case. */
function meaning({ path, body }: Request): unknown {
  const [place = "", parameters = ""] = path.split("?");
  const pairs = [...new URLSearchParams(parameters)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { place: decodeURIComponent(place), pairs, json: body === undefined ? undefined : JSON.parse(body) };
}

const url = query("lookup-by-url", { url: "https://a-b.example/p/1?x=ä b", retailer: "a-b" });
const item = { retailer: 'maison & "fils"', product_id: "a/b\\c 😀" };
const requests = [retailers(), url, byGtin("1"), batch([item, item], { batchRequestField: "items" })];

test("no spelling changes what a request means, and each is used", async () => {
  const context = await stubContext();
  const used = new Set<string>();
  for (const { spellings, of } of [...settledRows, ...openRows] satisfies SpellingRow[])
    for (const good of requests) {
      const request = of === undefined ? good : of(good, context);
      if (request === undefined) continue;
      for (const { name, write } of spellings) {
        const written = write(request, "key-of-the-run");
        if (isDeepStrictEqual(written, request)) continue;
        used.add(name);
        expect(meaning(written), name).toEqual(meaning(request));
      }
    }
  const all = [...settledRows, ...openRows].flatMap(({ spellings }) => spellings.map(({ name }) => name));
  expect(new Set(all).difference(used)).toEqual(new Set());
});
