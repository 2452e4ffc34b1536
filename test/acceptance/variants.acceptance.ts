import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { listChecksAtLimit } from "../../conformance/suite/all.ts";
import type { Variant } from "../../proof/changes/entry.ts";
import { changesOf, variants } from "../../proof/table.ts";
import { keyVariables } from "../../schemas/redaction.ts";
import { startService } from "../../service/start.ts";
import { acceptRows } from "./accept.ts";
import type { AcceptanceRow } from "./row.ts";

// Conformance on every variant of the proof, on one catalog. The proof says that nothing fails; these rows say how the command ends.

const seed = 1;
/** A rate limit that a busy machine exceeds. */
const limited = { rate: 8, burst: 450 };
const unlimited = { rate: 100_000, burst: 100_000 };
const atLimit = (flag: string) => listChecksAtLimit().flatMap((id) => [flag, id]);

function rowOf([name, { takesMinutes, atLimit: needsLimit }]: [string, Variant]): AcceptanceRow {
  const flags = takesMinutes === true ? atLimit("--only") : needsLimit === true ? [] : atLimit("--skip");
  const limit = flags[0] === "--skip" ? unlimited : limited;
  return {
    target: name,
    command: "conformance",
    expect: { exit: [0, 4], seconds: 160 },
    async run(place) {
      const { keys } = place;
      const service = await startService({ ...limit, ...changesOf({ variants: [name] }), keys, seed });
      try {
        const { baseUrl, categories } = service;
        const variant = { baseUrl, categories, keys: { ...keyVariables } };
        const config = { targets: { variant }, defaultTarget: "variant", maxRequests: 3000 };
        const file = join(place.cwd, "shelfcheck.config.mjs");
        await writeFile(file, `export default ${JSON.stringify(config)};\n`);
        return await place.start(["conformance", ...flags]).outcome;
      } finally {
        await service.stop();
      }
    },
  };
}

acceptRows("variants", [...variants].map(rowOf));
