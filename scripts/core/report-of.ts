import type { Results } from "../../schemas/contracts/results.ts";
import type { Report } from "../report/model.ts";
import { runReport } from "../report/subjects/run/run.ts";
import { added, ownOf } from "./added.ts";

/** The report of a run of any kind. `run`: its name in commands. */
export function reportOf(results: { readonly command: string }, run = "latest"): Report {
  const own = ownOf(results);
  return own === undefined
    ? runReport(results as Results, { run, added })
    : own.report(results as never, { run });
}
