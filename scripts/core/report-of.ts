import type { Results } from "../../schemas/contracts/results.ts";
import type { Report } from "../report/model.ts";
import { runReport } from "../report/subjects/run/run.ts";
import { capabilities } from "./capability.ts";

/** The report of a run of any kind. `run`: its name in commands. */
export function reportOf(results: { readonly command: string }, run = "latest"): Report {
  const own = capabilities.find(({ name }) => name === results.command)?.report;
  return own === undefined
    ? runReport(results as Results, { run, added: capabilities })
    : own(results as never, { run });
}
