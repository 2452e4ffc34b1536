import packageJson from "../../../package.json" with { type: "json" };
import type { Finding } from "./finding.ts";

/** Whether the running Node (`26.10.0`) is one that the package's engines allow (`>=24`). */
export function diagnoseNode(running: string): Finding {
  const wanted = packageJson.engines.node;
  const least = Number(wanted.replace(">=", ""));
  const found = `${running}, wanted ${wanted}`;
  if (Number.parseInt(running, 10) >= least) return { about: "Node", status: "ok", found };
  const mend =
    "Start it through npm (npm run, npx): npm ci brings the right Node along. Or install a newer one.";
  return { about: "Node", status: "problem", found, mend };
}
