import { expect, test } from "vitest";
import { array, filled, named, object, optional, string } from "../../schemas/contracts/schema.ts";
import { withHoverTexts } from "./hover-texts.ts";

test("each field gets the description of its schema, wherever it is nested", () => {
  const size = named("Size", object({ width: string("In metres.") }, "How large."));
  const house = object({
    name: filled("Of the house."),
    rooms: optional(array(size, "Its rooms.")),
    door: string(),
  });
  const declarations = `export declare const house: import("./schema.ts").Schema<{
    name: string;
    rooms?: {
        width: string;
    }[];
    door: string;
}>;
export type House = { name: string };`;
  expect(
    withHoverTexts(declarations, { house }),
  ).toBe(`export declare const house: import("./schema.ts").Schema<{
    /** Of the house. */
    name: string;
    /** Its rooms. */
    rooms?: {
        /** In metres. */
        width: string;
    }[];
    door: string;
}>;
export type House = { name: string };`);
});
