import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { CannotRunError } from "../../errors.ts";
import { fileProblem, makeFolder } from "../../files.ts";
import { type CiFile, type CiKind, ciKinds } from "./ci-files.ts";

/** What the files that `init` writes depend on. */
export interface Project {
  /** Folder of the repository, where CI files lie; that of the command when there is no repository. */
  readonly root: string;
  /** The command's folder seen from `root`, with slashes; `.` when it is the same. */
  readonly folder: string;
  /** The package.json beside the config names shelfcheck, so that `npm ci` installs it. */
  readonly installed: boolean;
  /** Its `type`: in a `commonjs` package, a config with `import` has to be called .mts. */
  readonly type: string | undefined;
  readonly ci: CiKind;
}

/** Looks at the folder that `init` is started in; reads only. */
export async function lookAtProject(cwd: string): Promise<Project> {
  const root = repositoryOf(cwd) ?? cwd;
  const manifest = await manifestOf(cwd);
  return {
    root,
    folder: relative(root, cwd).split(sep).join("/") || ".",
    installed: [manifest.dependencies, manifest.devDependencies].some(
      (names) => names?.shelfcheck !== undefined,
    ),
    type: manifest.type,
    ci: await guessCi(root),
  };
}

/** A CI system that is in use already; else the one of the host that the repository comes from. */
async function guessCi(root: string): Promise<CiKind> {
  if (existsSync(join(root, ".github"))) return "github";
  if (existsSync(join(root, ".gitlab-ci.yml"))) return "gitlab";
  const host = await originOf(root);
  return ciKinds.find((kind) => host.includes(kind)) ?? "none";
}

function repositoryOf(folder: string): string | undefined {
  if (existsSync(join(folder, ".git"))) return folder;
  return dirname(folder) === folder ? undefined : repositoryOf(dirname(folder));
}

interface Manifest {
  readonly type?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** A package.json that cannot be read tells nothing: npm will say what is wrong with it. */
async function manifestOf(folder: string): Promise<Manifest> {
  try {
    return JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  } catch {
    return {};
  }
}

const run = promisify(execFile);

/**
 * Host of the repository's remote `origin`; empty without one, or without git. Only the host: an address may hold
 * a password.
 */
export async function originOf(root: string): Promise<string> {
  try {
    const { stdout } = await run("git", ["-C", root, "config", "--get", "remote.origin.url"]);
    return hostOf(stdout.trim());
  } catch {
    return "";
  }
}

/** Of `https://user:password@host/path`, `ssh://git@host:22/path` and `git@host:path`. */
function hostOf(address: string): string {
  const parsed = URL.parse(address);
  if (parsed !== null && parsed.host !== "") return parsed.hostname;
  return address.match(/^(?:[^@/]+@)?([^:/]+):/)?.[1] ?? "";
}

/** What became of a file: made, or there already and left as it is. */
export type Written = "wrote" | "kept";

/** Writes a file where there is none. @throws CannotRunError when the folder cannot be written. */
export async function writeWhereNone(root: string, { path, text }: CiFile): Promise<Written> {
  const file = join(root, path);
  try {
    await makeFolder(dirname(file));
    await writeFile(file, text, { flag: "wx" });
    return "wrote";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return "kept";
    throw new CannotRunError(
      {
        what: "The file cannot be written",
        where: file,
        fix: `${fileProblem(error)?.what ?? (error instanceof Error ? error.message : error)}. Fix that, or start in another folder.`,
      },
      { cause: error },
    );
  }
}
