import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { cacheFolder } from "../../../scripts/load/k6/cache.ts";
import type { BenchIo } from "../bench.ts";

const run = promisify(execFile);

/** Only a benchmark needs these, so they are no devDependencies. Versions are pinned. */
const tools = {
  fastify: {
    version: "5.12.8",
    file: ["node_modules", "fastify", "fastify.js"],
    commands: (folder: string, version: string) => [
      ["npm", "install", "--no-audit", "--no-fund", "--prefix", folder, `fastify@${version}`],
    ],
  },
  schemathesis: {
    version: "4.32.5",
    file: ["bin", "st"],
    commands: (folder: string, version: string) => [
      ["python3", "-m", "venv", folder],
      [join(folder, "bin", "pip"), "install", "--quiet", `schemathesis==${version}`],
    ],
  },
} as const;

/** Installs a tool into our cache folder, unless it is there, and returns the path of its main file. */
export async function installTool(
  name: keyof typeof tools,
  { env, signal }: Pick<BenchIo, "env" | "signal">,
): Promise<string> {
  const { version, file, commands } = tools[name];
  const folder = join(cacheFolder(env), `${name}-${version}`);
  const path = join(folder, ...file);
  const installed = await access(path).then(
    () => true,
    () => false,
  );
  if (installed) return path;
  for (const [command = "", ...args] of commands(folder, version)) await run(command, args, { signal });
  return path;
}
