import type { Selection } from "../../conformance/engine/select.ts";
import { sections } from "../../conformance/requirements/requirement.ts";
import { selectListed } from "./conformance.ts";

/** Requests that discovery sends at most for a few categories; it sends fewer to a small target. */
const discoveryRequests = 60;

/**
 * The checks that would run, by section, with the most requests each sends when all goes well. Sends nothing.
 * @throws UsageError for an unknown name, and when nothing is selected.
 */
export function renderPlan(selection: Selection): string {
  const selected = selectListed(selection);
  const bySection = Map.groupBy(selected, ({ section }) => section);
  const lines = [...bySection].flatMap(([section, checks]) => [
    "",
    `${section}: ${sections[section]}`,
    ...checks.map(({ id, title, requests }) => `  ${String(requests).padStart(3)}  ${id}\n       ${title}`),
  ]);
  const total = selected.reduce((sum, { requests }) => sum + requests, 0);
  return [
    `${selected.length} checks, at most ${total} requests, and up to ${discoveryRequests} before them to discover the target.`,
    "A failed request is repeated. Checks with 0 requests examine every response of the run.",
    ...lines,
    "",
  ].join("\n");
}
