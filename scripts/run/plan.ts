import type { Selection } from "../../conformance/engine/select.ts";
import { sections } from "../../conformance/requirements/requirement.ts";
import { selectListed } from "./conformance.ts";

/** Approximate maximum number of requests that discovery sends. */
const discoveryRequests = 60;

/**
 * The plan as text: the selected checks by section, with the maximum number of requests each sends without retries.
 * @throws UsageError for an unknown name, and for an empty selection.
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
