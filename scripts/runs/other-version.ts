import { schemaVersion } from "../../schemas/contracts/results.ts";
import { UsageError } from "../errors.ts";

/**
 * Refuses a file that another version of shelfcheck wrote. A file that states no version is not ours.
 *
 * @param what The beginning of the sentence, with its verb.
 * @param again What to do about a file of an older version.
 * @throws UsageError
 */
export function refuseOtherVersion(
  file: unknown,
  { what, where, again }: { readonly what: string; readonly where: string; readonly again: string },
): void {
  const version = versionOf(file);
  if (version === undefined || version === schemaVersion) return;
  const isOlder = version < schemaVersion;
  throw new UsageError({
    what: `${what} from ${isOlder ? "an older" : "a newer"} shelfcheck (schemaVersion ${version}; this version reads ${schemaVersion})`,
    where,
    fix: isOlder ? again : "Update shelfcheck, or use the version that wrote the file.",
  });
}

function versionOf(file: unknown): number | undefined {
  if (typeof file !== "object" || file === null || !("schemaVersion" in file)) return undefined;
  return typeof file.schemaVersion === "number" ? file.schemaVersion : undefined;
}
