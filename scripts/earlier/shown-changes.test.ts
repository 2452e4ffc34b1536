import { expect, test } from "vitest";
import type { FieldDrift } from "./contract-change.ts";
import { shownChanges } from "./shown-changes.ts";

const field = (subject: string, rank: FieldDrift["rank"], before: number, after: number): FieldDrift => ({
  kind: "field",
  rank,
  rule: `field.${rank}`,
  subject,
  retailers: ["acme", "bolt"].map((retailer) => ({
    retailer,
    before: { count: before, total: 40 },
    after: { count: after, total: 40 },
  })),
});
const textsOf = (...changes: FieldDrift[]) => shownChanges(changes).map(({ rank, text }) => [rank, text]);

test("a field that became an array, or was one, is one change, with the worse rank", () => {
  expect(textsOf(field("images", "harmless", 0, 38), field("images[]", "breaking", 39, 0))).toEqual([
    ["breaking", "Field `images`: an array before, no array now."],
  ]);
  expect(textsOf(field("images[]", "harmless", 0, 38), field("images", "breaking", 39, 0))).toEqual([
    ["breaking", "Field `images`: no array before, an array now."],
  ]);
});

test("one sentence for all retailers", () => {
  expect(
    textsOf(field("gtin", "breaking", 20, 0), field("mpn", "notable", 0, 3), field("size", "notable", 20, 5)),
  ).toEqual([
    ["breaking", "Field `gtin`: gone. 40 of 80 products had it, now none of 80 (2 retailers)."],
    ["notable", "Field `mpn`: new. No product had it, now 6 of 80 (2 retailers)."],
    ["notable", "Field `size`: on 40 of 80 products before, on 10 of 80 now (2 retailers)."],
  ]);
});
