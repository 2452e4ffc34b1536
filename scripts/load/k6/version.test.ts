import { describe, expect, test } from "vitest";
import { fits, parseK6Version } from "./install.ts";

describe("parseK6Version", () => {
  test.each([
    ["k6 v1.8.1 (go1.26.8, linux/amd64)\n", "1.8.1"],
    ["k6.exe v1.10.0 (commit/0a1b2c3d4e-dirty, go1.25.12, windows/amd64)\r\n", "1.10.0"],
    [
      "my k6 v1.9.0-rc1 (go1.26.8, linux/amd64)\nExtensions:\n  github.com/grafana/xk6-x v0.1.2\n",
      "1.9.0-rc1",
    ],
    ["k6 v1.8.2+local (go1.26.8, linux/amd64)\n", "1.8.2"],
  ])("reads %j", (output, text) => {
    expect(parseK6Version(output)).toBe(text);
  });

  test.each(["", "k6 is here\n", "v26.10.0\n", "otherprogram v1.8.1\n", "k6 v1.8 (go1.26.8, linux/amd64)\n"])(
    "does not take %j for k6",
    (output) => {
      expect(parseK6Version(output)).toBeUndefined();
    },
  );
});

test.each([
  ["1.10.0", true],
  ["1.9.0-rc1", true],
  ["1.8.1-rc1", false],
  ["1.8.0", false],
  ["2.0.0", false],
  ["2.2.0-rc1", false],
  ["2.2.0", true],
  ["2.2.1", true],
  ["3.0.0", false],
])("version %s fits: %s", (version, expected) => {
  const parsed = parseK6Version(`k6 v${version} (go1.26.8, linux/amd64)`);
  expect(parsed && fits(parsed)).toBe(expected);
});
