import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { connectionSettings, settingNames } from "../../schemas/connection.ts";

test.each(settingNames)("%s and its variable are documented", async (name) => {
  const text = await readFile(new URL("../../docs/networks.md", import.meta.url), "utf8");
  expect(text).toContain(`\`${name}`);
  for (const variable of connectionSettings[name].variable.split(", ")) expect(text).toContain(variable);
});
