import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

/** A package with everything that it depends on. */
export interface Weight {
  readonly name: string;
  readonly packages: number;
  readonly bytes: number;
}

/** npm's record of what it installed, by path: `node_modules/a/node_modules/b`. */
type Installed = Readonly<Record<string, { readonly dependencies?: Readonly<Record<string, string>> }>>;

/**
 * What a package that npm installed in a folder weighs, and each of its direct dependencies, the heaviest first. A package
 * that two of them depend on counts in both.
 */
export async function weightsOf(folder: string, name: string): Promise<{ whole: Weight; parts: Weight[] }> {
  const record = await readFile(join(folder, "node_modules/.package-lock.json"), "utf8");
  const { packages } = JSON.parse(record) as { readonly packages: Installed };
  const top = `node_modules/${name}`;
  const weigh = async (path: string): Promise<Weight> => {
    const tree = [...treeOf(path, packages)];
    const bytes = await Promise.all(tree.map((each) => bytesOf(join(folder, each))));
    return {
      name: path.replace("node_modules/", ""),
      packages: tree.length,
      bytes: bytes.reduce((sum, each) => sum + each, 0),
    };
  };
  const parts = await Promise.all(dependenciesOf(top, packages).map(weigh));
  return { whole: await weigh(top), parts: parts.toSorted((a, b) => b.bytes - a.bytes) };
}

/** Paths of a package and of all packages that it needs. */
function treeOf(path: string, packages: Installed, tree = new Set<string>()): Set<string> {
  if (tree.has(path)) return tree;
  tree.add(path);
  for (const each of dependenciesOf(path, packages)) treeOf(each, packages, tree);
  return tree;
}

function dependenciesOf(path: string, packages: Installed): string[] {
  return Object.keys(packages[path]?.dependencies ?? {}).flatMap(
    (name) => placesOf(path, name).find((place) => place in packages) ?? [],
  );
}

/** Where Node looks for a package, from the innermost place outwards. */
function placesOf(path: string, name: string): string[] {
  const parents = path.split("/node_modules/");
  const inner = parents.map((_, place) => parents.slice(0, place + 1).join("/node_modules/")).toReversed();
  return [...inner.map((parent) => `${parent}/node_modules/${name}`), `node_modules/${name}`];
}

/** Bytes of the files of a package, without those of the packages inside it. */
async function bytesOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true });
  const sizes = entries.map(async (entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile()) return (await stat(path)).size;
    return entry.isDirectory() && entry.name !== "node_modules" ? await bytesOf(path) : 0;
  });
  return (await Promise.all(sizes)).reduce((sum, each) => sum + each, 0);
}
