import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";

export const root = fileURLToPath(new URL("../..", import.meta.url));
const rooms = [
  "clients",
  "conformance",
  "dev",
  "proof",
  "scenarios",
  "schemas",
  "scripts",
  "service",
  "test",
];

/** A source without comments and types. */
export interface SourceFile {
  readonly path: string;
  readonly code: string;
}

/** Product code and helpers of tests; not the tests themselves, which quote the expected texts. */
export async function sourcePaths(): Promise<string[]> {
  const entries = await Promise.all(
    rooms.map((room) => readdir(join(root, room), { recursive: true, withFileTypes: true })),
  );
  return entries
    .flat()
    .filter((entry) => entry.isFile() && /(?<!\.test|\.d)\.ts$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

export async function sources(): Promise<SourceFile[]> {
  return Promise.all(
    (await sourcePaths()).map(async (path) => {
      const text = await readFile(join(root, path), "utf8");
      return {
        path,
        code: (await transform(text, { loader: "ts", target: "es2024", charset: "utf8" })).code,
      };
    }),
  );
}

/** What a source imports, types included: the specifiers as they are written. */
export async function importsOf(path: string): Promise<string[]> {
  const text = await readFile(join(root, path), "utf8");
  const specifiers = text.matchAll(/^(?:import|export|\}|.*\bimport\()[^"'\n]*["']([^"'\n]+)["']/gm);
  return [...specifiers].map(([, specifier = ""]) => specifier);
}

/** The string literals of a source, without their quotes. */
export function literalsOf(code: string): string[] {
  return [...code.matchAll(/(["'`])((?:(?!\1)[^\\\n]|\\.)*)\1/g)].map(([, , text = ""]) => text);
}
