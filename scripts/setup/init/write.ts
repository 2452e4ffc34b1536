import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CannotRunError } from "../../errors.ts";
import type { CiFile } from "./ci-file.ts";

/** What became of a file: made, or there already and left as it is. */
export type Written = "wrote" | "kept";

/** Writes a file where there is none. @throws CannotRunError when the folder cannot be written. */
export async function writeWhereNone(root: string, { path, text }: CiFile): Promise<Written> {
  const file = join(root, path);
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: "wx" });
    return "wrote";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return "kept";
    throw new CannotRunError(
      {
        what: "The file cannot be written",
        where: file,
        mend: `${error instanceof Error ? error.message : error}. Mend that, or start in another folder.`,
      },
      { cause: error },
    );
  }
}
