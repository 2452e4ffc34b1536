import { expect, test } from "vitest";
import type { FieldDrift } from "./contract-change.ts";
import { changeCounts, contractItems } from "./contract-items.ts";

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
const textsOf = (...changes: FieldDrift[]) =>
  contractItems(changes).map(({ verdict, said }) => [verdict, said.map(({ message }) => message).join()]);

test("one sentence for all retailers", () => {
  expect(
    textsOf(field("gtin", "breaking", 20, 0), field("mpn", "notable", 0, 3), field("size", "notable", 20, 5)),
  ).toEqual([
    ["fail", "Field `gtin`: gone. 40 of 80 products had it, now none of 80 (2 retailers)."],
    ["warn", "Field `mpn`: new. No product had it, now 6 of 80 (2 retailers)."],
    ["warn", "Field `size`: on 40 of 80 products before, on 10 of 80 now (2 retailers)."],
  ]);
});

test("changes are counted by what they mean for clients, and have ids of their own", () => {
  const changes = [
    field("mpn", "notable", 0, 3),
    field("gtin", "breaking", 20, 0),
    field("size", "notable", 20, 5),
  ];
  expect(changeCounts(changes)).toBe("1 breaking change and 2 notable changes");
  expect(changeCounts([])).toBe("nothing changed");
  expect(contractItems(changes).map(({ id }) => id)).toEqual([
    "contract.field.breaking.gtin",
    "contract.field.notable.mpn",
    "contract.field.notable.size",
  ]);
});
