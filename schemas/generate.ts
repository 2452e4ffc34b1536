import { readdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { compile, type JSONSchema } from "json-schema-to-typescript";

// The JSON Schemas are the source; the types are made from them so that the two cannot disagree.
// `npm run generate` writes types.ts, `--check` (part of `npm run check`) fails when it is out of date.

const folder = fileURLToPath(new URL(".", import.meta.url));
const target = `${folder}types.ts`;
const roots = [
  "product",
  "retailers",
  "product-list",
  "batch-result",
  "error-body",
  "load-fixtures",
  "profile",
  "config",
  "results",
  "waivers",
  "baseline",
];

/** Text of types.ts: one interface or type for each schema and each named part of one. */
async function renderTypes(): Promise<string> {
  const wrapper: JSONSchema = {
    title: "AllSchemas",
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(roots.map((name) => [name, { $ref: `${name}.schema.json` }])),
  };
  const text = await compile(wrapper, "AllSchemas", {
    cwd: folder,
    $refOptions: { resolve: { schemas: { order: 1, canRead: /\.schema\.json$/, read: readSchema } } },
    bannerComment:
      "// Generated from the JSON Schemas in this folder by `npm run generate`: change those, not this.",
    additionalProperties: true,
    unknownAny: true,
    format: true,
    ignoreMinAndMaxItems: true,
    style: { printWidth: 110 },
  });
  return (
    text
      .replace(/export interface AllSchemas \{[^}]*\}\n/, "")
      // A schema without a type allows any value, but the generator would make it an object.
      .replace(/(\b(?:expected|actual)\?: )\{[^}]*\}/g, "$1unknown")
  );
}

/** Removes what is next to a reference: the generator makes a separate type (`Finding1`) of a reference with a description. */
async function readSchema({ url }: { readonly url: string }): Promise<string> {
  const path = url.startsWith("file:") ? fileURLToPath(url) : url;
  return JSON.stringify(
    JSON.parse(await readFile(path, "utf8"), (_key, value) =>
      typeof value?.$ref === "string" && typeof value.description === "string" ? { $ref: value.$ref } : value,
    ),
  );
}

const known = (await readdir(folder)).filter((name) => name.endsWith(".schema.json"));
const text = await renderTypes();
if (process.argv.includes("--check")) {
  const present = await readFile(target, "utf8").catch(() => "");
  if (present !== text) {
    process.stderr.write(`${target} is out of date with ${known.length} schemas: run \`npm run generate\`\n`);
    process.exitCode = 1;
  }
} else {
  await writeFile(target, text);
}
