import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Redaction } from "../../conformance/client/redaction.ts";

/**
 * The last guard: replaces every key in every text of a value, names of properties included. Each part redacts
 * what it shows already; this catches what one of them forgot.
 */
export function redactValue<Value>(value: Value, redaction: Redaction): Value {
  return redactUnknown(value, redaction) as Value;
}

function redactUnknown(value: unknown, redaction: Redaction): unknown {
  if (typeof value === "string") return redaction.redact(value);
  if (Array.isArray(value)) return value.map((entry) => redactUnknown(entry, redaction));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [redaction.redact(name), redactUnknown(entry, redaction)]),
  );
}

/** Replaces every key in every file of a run's folder: logs and summaries of k6 included. */
export async function redactFolder(folder: string, redaction: Redaction): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((candidate) => candidate.isFile())) {
    const path = join(entry.parentPath, entry.name);
    // Latin-1 maps every byte to one character and back, so that a file that is not text stays as it is.
    const text = await readFile(path, "latin1");
    const redacted = redaction.redact(text);
    if (redacted !== text) await writeFile(path, redacted, "latin1");
  }
}
