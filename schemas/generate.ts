import { execFileSync } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { compile, type JSONSchema } from "json-schema-to-typescript-lite";

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
    additionalProperties: true,
    unknownAny: true,
    ignoreMinAndMaxItems: true,
  });
  const types = text
    .replace(/export interface AllSchemas \{[^}]*\}\n/, "")
    // A schema without a type allows any value, but the generator would make it an object.
    .replace(/(\b(?:expected|actual)\?: )\{[^}]*\}/g, "$1unknown");
  return format(
    `// Generated from the JSON Schemas in this folder by \`npm run generate\`: change those, not this.\n\n${types}`,
  );
}

function format(text: string): string {
  return execFileSync("biome", ["format", "--stdin-file-path=schemas/types.ts"], {
    input: text,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
}

async function readSchema({ url }: { readonly url: string }): Promise<string> {
  const path = url.startsWith("file:") ? fileURLToPath(url) : url;
  return JSON.stringify(JSON.parse(await readFile(path, "utf8"), (_key, value) => forGenerator(value)));
}

/** A part of a schema, in a form that means the same and that the generator understands. */
function forGenerator(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { $ref, title, description, type, properties, ...rest } = value;
  // It makes a separate type (`Finding1`) of a reference with a description,
  if (typeof $ref === "string" && typeof description === "string") return { $ref };
  // and of "a string, or an object with these properties" a string that has the properties.
  if (Array.isArray(type) && isRecord(properties)) {
    const others = type.filter((name) => name !== "object");
    return { title, description, anyOf: [{ type: others }, { ...rest, type: "object", properties }] };
  }
  return value;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
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
