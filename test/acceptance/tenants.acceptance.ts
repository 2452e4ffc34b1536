import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { keyVariables } from "../../schemas/redaction.ts";
import { acceptRows } from "./accept.ts";
import { type Leak, leaks, startLeaky } from "./leaks.ts";
import type { AcceptanceRow, Expectation } from "./row.ts";

// Services that mix up organizations only under concurrent load: conformance passes, the scenario tenants finds each.

const load = ["load", "--scenario", "tenants", "--rate", "200", "--duration", "60s"];

function row(
  target: string,
  argv: readonly string[],
  leak: Leak | undefined,
  expect: Expectation,
): AcceptanceRow {
  return {
    target,
    command: argv.join(" "),
    expect: { seconds: 120, ...expect },
    async run(place) {
      await using service = await startLeaky(leak);
      const { baseUrl, categories, keys } = service;
      const target = { baseUrl, categories, keys: { ...keyVariables } };
      const config = { targets: { leaky: target }, defaultTarget: "leaky" };
      await writeFile(
        join(place.cwd, "shelfcheck.config.mjs"),
        `export default ${JSON.stringify(config)};\n`,
      );
      return await place.start(argv, { env: {}, keys }).outcome;
    },
  };
}

acceptRows([
  ...Object.entries(leaks).flatMap(([name, leak]) => [
    row(name, load, leak, { exit: [1], cause: ["load-failed"], finds: ["foreign-responses"] }),
    row(name, ["conformance"], leak, { exit: [0] }),
  ]),
  row("organizations kept apart", load, undefined, { exit: [0], finds: ["tenants-kept-apart"] }),
]);
