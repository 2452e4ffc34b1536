import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { CannotRunError } from "../../errors.ts";
import { fileProblem, makeFolder } from "../../files.ts";
import { type CiFile, type CiKind, ciKinds, gitlabJob } from "./ci-files.ts";

/** The project that `init` writes files for. */
export interface Project {
  /** Folder of the repository, or the working directory if there is none. CI files are written there. */
  readonly root: string;
  /** The working directory relative to `root`, with slashes; `.` if they are the same. */
  readonly folder: string;
  /** Whether package.json lists shelfcheck, so that `npm ci` installs it, or is that of shelfcheck itself. */
  readonly installed: boolean;
  /** `type` of package.json. In a `commonjs` package, a config with `import` must have the extension .mts. */
  readonly type: string | undefined;
  readonly ci: CiKind;
  /** Whether .gitlab-ci.yml mentions the job that `init` writes. */
  readonly includesJob: boolean;
  /** A stage of .gitlab-ci.yml for the job: `test` if it is there, which it is without a list of stages, or else the last one. */
  readonly stage: string;
}

/** Inspects the working directory. Writes nothing. */
export async function lookAtProject(cwd: string): Promise<Project> {
  const root = repositoryOf(cwd) ?? cwd;
  const manifest = await manifestOf(cwd);
  const gitlab = await textOf(join(root, ".gitlab-ci.yml"));
  return {
    root,
    folder: relative(root, cwd).split(sep).join("/") || ".",
    installed:
      manifest.name === "shelfcheck" ||
      [manifest.dependencies, manifest.devDependencies].some((names) => names?.shelfcheck !== undefined),
    type: manifest.type,
    ci: await guessCi(root),
    includesJob: gitlab.includes(gitlabJob),
    stage: stageIn(gitlab),
  };
}

function stageIn(gitlab: string): string {
  try {
    const { stages } = parse(gitlab, { logLevel: "error" }) ?? {};
    const names = Array.isArray(stages) ? stages.filter((name) => typeof name === "string") : ["test"];
    return names.includes("test") ? "test" : (names.at(-1) ?? "test");
  } catch {
    // GitLab reports a file that is not YAML better.
    return "test";
  }
}

/** The CI system that the repository already uses, or else that of its host. */
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
  readonly name?: string;
  readonly type?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Reads package.json; empty if it cannot be read, since npm reports that better. */
async function manifestOf(folder: string): Promise<Manifest> {
  try {
    return JSON.parse(await textOf(join(folder, "package.json")));
  } catch {
    return {};
  }
}

/** The text of a file; empty if it cannot be read. */
async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch {
    return "";
  }
}

const run = promisify(execFile);

/**
 * Host of the remote `origin`; empty without one, or without git. Only the host, since the address may contain a password.
 */
export async function originOf(root: string): Promise<string> {
  try {
    const { stdout } = await run("git", ["-C", root, "config", "--get", "remote.origin.url"]);
    return hostOf(stdout.trim());
  } catch {
    return "";
  }
}

/** The host of `https://user:password@host/path`, `ssh://git@host:22/path` or `git@host:path`. */
function hostOf(address: string): string {
  const parsed = URL.parse(address);
  if (parsed !== null && parsed.host !== "") return parsed.hostname;
  return address.match(/^(?:[^@/]+@)?([^:/]+):/)?.[1] ?? "";
}

/** Whether a file was written, or existed and was kept. */
export type Written = "wrote" | "kept";

/** Writes a file unless it exists. @throws CannotRunError when the folder is not writable. */
export async function writeWhereNone(root: string, { path, text }: CiFile): Promise<Written> {
  const file = join(root, path);
  return writing(file, async () => {
    await makeFolder(dirname(file));
    await writeFile(file, text, { flag: "wx" });
  });
}

/** Adds a line to a file, which it creates, unless the file has the line. @throws as writeWhereNone. */
export async function addLine(file: string, line: string): Promise<Written> {
  if (await hasLine(file, line)) return "kept";
  const text = await textOf(file);
  const end = text === "" || text.endsWith("\n") ? "" : "\n";
  return writing(file, () => writeFile(file, `${text}${end}${line}\n`));
}

export async function hasLine(file: string, line: string): Promise<boolean> {
  return (await textOf(file)).split(/\r?\n/).some((known) => known.trim() === line);
}

async function writing(file: string, write: () => Promise<void>): Promise<Written> {
  try {
    await write();
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
