import { type Selection, SelectionError, selectChecks } from "../../../conformance/engine/select.ts";
import { sections } from "../../../conformance/requirements/requirement.ts";
import { type Listed, listChecks, requestsOf } from "../../../conformance/suite/all.ts";
import { counted, grouped } from "../../../schemas/words/format.ts";
import { didYouMean } from "../../config/did-you-mean.ts";
import { UsageError } from "../../errors.ts";

/**
 * The checks and rules that are selected.
 *
 * @param from Where each list comes from, for messages.
 * @throws UsageError for an unknown name, and for an empty selection.
 */
export function selectListed(
  selection: Selection,
  from: Readonly<Record<keyof Selection, string>> = { only: "--only", skip: "--skip" },
): Listed[] {
  try {
    return selectChecks(listChecks(), selection);
  } catch (error) {
    if (!(error instanceof SelectionError)) throw error;
    const { mistake } = error;
    if (mistake.kind === "unknown name") {
      throw new UsageError({
        what: "There is no check with this id, nor a requirement or section that has checks",
        where: `${from[mistake.list]} ${mistake.name}`,
        fix: didYouMean(mistake.name, mistake.known),
      });
    }
    const { only, skip } = mistake.selection;
    const named = [
      ...only.map((name) => `${from.only} ${name}`),
      ...skip.map((name) => `${from.skip} ${name}`),
    ];
    throw new UsageError({
      what: "Nothing is selected",
      where: named.join(" "),
      fix: "Change one of them: together they exclude every check.",
    });
  }
}

/** Number of requests that discovery usually sends at most. */
const discoveryRequests = 60;

/** The plan as data: the checks with the most requests that each sends. @throws as selectListed */
export function conformancePlan(selection: Selection, maxSeconds: number) {
  const checks = selectListed(selection);
  const { polite, bursts } = requestsOf(checks);
  return { checks, requests: polite + bursts, discoveryRequests, maxSeconds };
}

/** The plan as text: the checks by section, with the most requests that each sends without retries. */
export function renderConformancePlan({ checks, maxSeconds }: ReturnType<typeof conformancePlan>): string {
  const { polite, bursts } = requestsOf(checks);
  const atLimit = `At the end, at most ${grouped(bursts)} more to exceed the rate limit, once for all checks of it, and the waits after Retry-After.`;
  const lines = [...Map.groupBy(checks, ({ section }) => section)].flatMap(([section, own]) => [
    "",
    `${section}: ${sections[section]}`,
    ...own.map(({ id, title, requests }) => `  ${String(requests).padStart(4)}  ${id}\n       ${title}`),
  ]);
  return [
    `${counted(checks.length, "check")}, at most ${counted(polite, "request")}, and usually at most ${discoveryRequests} before them to discover the target.`,
    ...(bursts === 0 ? [] : [atLimit]),
    `It ends after at most ${grouped(maxSeconds)} s (--max-time): what is not judged by then is not judged.`,
    "A failed request is repeated, and so is a check that fails. The walk of a category is made once for all checks that need it. Checks with 0 requests examine every response of the run.",
    ...lines,
    "",
  ].join("\n");
}
