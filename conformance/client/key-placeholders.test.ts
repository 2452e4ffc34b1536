import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { placeholderOf } from "../../schemas/redaction.ts";
import { cutPlaceholder, placeholdersOf } from "./key-placeholders.ts";

const variables = { primary: "KEY", sameOrg: "KEY_2", otherOrg: "OTHER" };

test("a shell expands what is shown for a key, and for one without its last characters", () => {
  const shown = `${placeholderOf("KEY")} ${cutPlaceholder("KEY", 4)}`;
  const printed = execFileSync("/bin/sh", ["-c", `printf %s "${shown}"`], { env: { KEY: "0123456789ab" } });
  expect(printed.toString()).toBe("0123456789ab 01234567");
});

test("each placeholder is found with its role, and other variables stay", () => {
  const cut = cutPlaceholder("KEY", 4);
  const { find, replace } = placeholdersOf(variables);
  const text = `$KEY_2 $KEY $PATH ${cut}x $OTHER \${KEY%} \${KEY_2%??}`;
  expect(find(text)).toEqual([
    { role: "sameOrg", isCut: false },
    { role: "primary", isCut: false },
    { role: "primary", isCut: true },
    { role: "otherOrg", isCut: false },
  ]);
  expect(replace(text, ({ role, isCut }) => `<${role}${isCut ? ", cut" : ""}>`)).toBe(
    `<sameOrg> <primary> $PATH <primary, cut>x <otherOrg> \${KEY%} \${KEY_2%??}`,
  );
});
