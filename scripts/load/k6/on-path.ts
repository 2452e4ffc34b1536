import { stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

/** Every file of that name on PATH, in order. Relative folders are left out: what they mean depends on where one stands. */
export async function filesOnPath(name: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const folders = new Set((env.PATH ?? "").split(delimiter).filter((folder) => isAbsolute(folder)));
  const found: string[] = [];
  for (const folder of folders) {
    const path = join(folder, name);
    if (await isFile(path)) found.push(path);
  }
  return found;
}

/** Whether there is a file at the path; false for whatever keeps us from seeing it. */
export async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
