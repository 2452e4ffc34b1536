import { expect, test } from "vitest";
import { progressOn } from "./io.ts";

const written = (output: { isTTY?: boolean; columns?: number }) => {
  let text = "";
  const stderr = { ...output, write: (more: string) => (text += more) };
  const progress = progressOn({ stderr }, (line) => line.replace("secret", "***"));
  progress("begins");
  progress("1 of 9, secret", "passing");
  progress("2 of 9", "passing");
  progress("done");
  progress("3 of 9", "passing");
  progress("", "passing");
  return text;
};

test("a terminal replaces lines that pass, cut to its width", () => {
  expect(written({ isTTY: true, columns: 8 })).toBe(
    "begins\n1 of 9,\r\u001b[2K2 of 9\r\u001b[2Kdone\n3 of 9\r\u001b[2K",
  );
});

test("a pipe gets them as lines", () => {
  expect(written({})).toBe("begins\n1 of 9, ***\n2 of 9\ndone\n3 of 9\n");
});
