import { expect, test } from "vitest";
import { createBodies } from "./folder.ts";

test("keeps each body once, named after its check, until the limit is reached", () => {
  const { keep, files } = createBodies(20);
  expect(keep("query.paging/no-repeats", "{1}")).toBe("bodies/query.paging.no-repeats-1.json");
  expect(keep("query.paging/no-repeats", "{2}")).toBe("bodies/query.paging.no-repeats-2.json");
  expect(keep("errors.shape/every-error", "{1}")).toBe("bodies/query.paging.no-repeats-1.json");
  expect(keep("errors.shape/every-error", "<html>")).toBe("bodies/errors.shape.every-error-1.txt");
  expect(keep("errors.shape/every-error", "x".repeat(10))).toBeUndefined();
  expect([...files.values()]).toEqual(["{1}", "{2}", "<html>"]);
});
