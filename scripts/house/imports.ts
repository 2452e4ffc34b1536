import { dirname, join, normalize, sep } from "node:path";

/** Which folder may import from which (design: "Imports go one way"). */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  schemas: ["schemas"],
  conformance: ["conformance", "schemas"],
  scenarios: ["scenarios", "schemas"],
  service: ["service", "schemas"],
  scripts: ["scripts", "conformance", "scenarios", "service", "schemas", "package.json"],
};

/** A source file: its path from the root of the repository, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Every import that goes the wrong way, as a line for a person; a folder without a rule may import nothing. */
export function wrongImports(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const allowed = mayImport[topOf(path)] ?? [];
    return importedPaths(text)
      .map((specifier) => normalize(join(dirname(path), specifier)))
      .filter((imported) => !allowed.includes(topOf(imported)))
      .map((imported) => `${path} imports ${imported}`);
  });
}

function topOf(path: string): string {
  return path.split(sep)[0] ?? "";
}

// Static, re-exporting, side-effect and dynamic imports, and files named by import.meta.url.
function importedPaths(text: string): string[] {
  const forms = /(?:\bfrom\s*|\bimport\s*\(?\s*|\bnew URL\(\s*)(["'])(\.{1,2}\/[^"']*\.\w+)\1/g;
  return [...text.matchAll(forms)].map(([, , specifier = ""]) => specifier);
}
