import { UsageError } from "../errors.ts";
import { findK6, type K6Options } from "../k6/resolve.ts";
import type { Finding } from "./finding.ts";

/** Which k6 a load run would take, without fetching or building one. */
export async function diagnoseK6(options: K6Options): Promise<Finding> {
  const about = "k6";
  try {
    const { found, tried } = await findK6(options);
    if (found !== undefined) {
      return { about, status: "ok", found: `${found.version} at ${found.path} (from ${found.source})` };
    }
    return {
      about,
      status: "note",
      found: `none yet (${tried.map(({ source, outcome }) => `${source}: ${outcome}`).join("; ")})`,
      mend: "The first load run fetches it, or builds it with Go. To do without: set K6_BIN, or put k6 on PATH.",
    };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { about, status: "problem", found: `${error.what}: ${error.where}`, mend: error.mend };
  }
}
