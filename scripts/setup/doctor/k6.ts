import { findK6, type K6Options, k6Mends } from "../../load/k6/resolve.ts";
import type { Finding } from "./finding.ts";

/** Which k6 a load run would take, without fetching or building one. */
export async function diagnoseK6(options: K6Options): Promise<Finding> {
  const about = "k6";
  const { found, tried } = await findK6(options);
  if (found !== undefined) {
    return { about, status: "ok", found: `${found.version} at ${found.path} (from ${found.source})` };
  }
  const looked = tried.map(({ source, outcome }) => `${source}: ${outcome}`).join("; ");
  if (options.env.K6_BIN || options.env.SHELFCHECK_K6_OFFLINE) {
    return { about, status: "problem", found: looked, mend: `${k6Mends}.` };
  }
  const mend = `The first load run downloads it, or builds it with Go. To do without: ${k6Mends}.`;
  return { about, status: "note", found: looked, mend };
}
