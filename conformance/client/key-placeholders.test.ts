import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { firstHalf } from "./half-keys.ts";
import { halfPlaceholder, placeholderOf, placeholdersOf } from "./key-placeholders.ts";

const variables = { primary: "KEY", sameOrg: "KEY_2", otherOrg: "OTHER" };

test.each(["0123456789abcdef01234567", "0123456789abcdef0123456"])(
  "a shell expands what is shown for %s and for its half",
  (key) => {
    const shown = `${placeholderOf("KEY")} ${halfPlaceholder("KEY", key)}`;
    const printed = execFileSync("/bin/sh", ["-c", `printf %s "${shown}"`], { env: { KEY: key } });
    expect(printed.toString()).toBe(`${key} ${firstHalf(key)}`);
  },
);

test("each placeholder is found with its role, and other variables stay", () => {
  const half = halfPlaceholder("KEY", "0123456789abcdef01234567");
  const { find, replace } = placeholdersOf(variables);
  const text = `$KEY_2 $KEY $PATH ${half}x $OTHER \${KEY%} \${KEY_2%??}`;
  expect(find(text)).toEqual([
    { role: "sameOrg", isHalf: false },
    { role: "primary", isHalf: false },
    { role: "primary", isHalf: true },
    { role: "otherOrg", isHalf: false },
  ]);
  expect(replace(text, ({ role, isHalf }) => `<${role}${isHalf ? ", half" : ""}>`)).toBe(
    `<sameOrg> <primary> $PATH <primary, half>x <otherOrg> \${KEY%} \${KEY_2%??}`,
  );
});
