import { stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

/** Every file of that name on PATH, in order. Relative folders are ignored, since they depend on the working directory. */
export async function filesOnPath(name: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const folders = new Set((env.PATH ?? "").split(delimiter).filter((folder) => isAbsolute(folder)));
  const found: string[] = [];
  for (const folder of folders) {
    const path = join(folder, name);
    if (await isFile(path)) found.push(path);
  }
  return found;
}

/** Whether there is a file at the path; false if it cannot be accessed. */
export async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
