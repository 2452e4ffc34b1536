import { expect, test } from "vitest";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { validator } from "./validator.ts";

const findingsOn = validator({
  type: "object",
  required: ["a"],
  properties: {
    a: { type: "array", items: { type: "object", properties: { n: { type: ["integer", "null"] } } } },
    "b/c~d": { type: "string", minLength: 1 },
    e: { enum: ["x", 1] },
  },
});

test.each<[unknown, Finding[]]>([
  [{ a: [] }, []],
  [{ a: [{ n: 1 }, { n: null }], extra: null }, []],
  [null, [{ code: "null-value", path: "" }]],
  [[], [{ code: "wrong-type", path: "", expected: "object", actual: [] }]],
  [{}, [{ code: "missing-field", path: "/a" }]],
  [
    { a: [{ n: 1 }, { n: "1" }, 7] },
    [
      { code: "wrong-type", path: "/a/1/n", expected: "integer", actual: "1" },
      { code: "wrong-type", path: "/a/2", expected: "object", actual: 7 },
    ],
  ],
  [{ a: [], "b/c~d": "" }, [{ code: "empty-string", path: "/b~1c~0d" }]],
  [{ a: [], e: "y" }, [{ code: "wrong-format", path: "/e", expected: ["x", 1], actual: "y" }]],
])("%j: %j", (value, findings) => {
  expect(findingsOn(value)).toEqual(findings);
});
